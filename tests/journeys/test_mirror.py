"""The app on a mirror: overrides are set, undone and shown, and nothing is written to the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace
from tests.doubles.open_mirror import OpenMirror, open_mirror
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from textual.actions import parse

from flagtui.api.errors import Unreachable
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.lists.list_screen import ListScreen
from flagtui.mirror.override_file import OverrideFile


@asynccontextmanager
async def on_mirror(setting: Setting, mirror: OpenMirror) -> AsyncIterator[Program]:
    """The app on this mirror; whatever was done, the server was only read."""
    async with running(replace(setting, mirror=mirror, size=WIDE)) as program:
        yield program
        program.see(sent=0)


def overrides(mirror: OpenMirror) -> list[str]:
    return [str(each) for each in mirror.mirror.session]


def row(program: Program, key: str) -> str:
    return next(line[:88] for line in program.screen.splitlines() if f"●  {key}" in line)


async def test_space_overrides_a_flag_on_this_machine_and_u_undoes(setting: Setting) -> None:
    mirror = open_mirror()
    async with on_mirror(setting, mirror) as program:
        program.see("flagtui  MIRROR")
        assert "space override" in program.last_line
        await program.go_to("new-nav", "space", shows="● no override  as upstream: on, 25 %")
        await program.press(*"off", "enter", shows="Override in MIRROR")
        program.see("only overrides of this machine; nothing is written to prod")
        program.see("undo with u: restore the previous override")
        await program.press("y")
        assert mirror.changes == ["set new-nav=off"]
        program.see(toast="new-nav is overridden on this machine · u to undo")
        assert "25 %  off" in row(program, "new-nav")
        assert (await program.stored("new-nav")).active
        await program.press("u", "y")
        assert overrides(mirror) == []
        await program.press("U", "y")
        assert overrides(mirror) == ["new-nav=off"]
        await program.press("percent_sign", *"120", "enter", shows="a number from 0 to 100")
        await program.press("backspace", shows="12 % of everyone, on this machine only")
        await program.press("enter", "y")
        assert overrides(mirror) == ["new-nav=12%"]
        await program.go_to("ai-summaries", "enter", "space", *"v2", "enter", "y")
        assert overrides(mirror) == ["new-nav=12%", "ai-summaries=v2"]
        program.see("everyone v2 upstream on, 10 %")
        await program.press("escape")
        before = overrides(mirror)
        mirror.changes.clear()
        await program.press("escape", "escape", "x", "x", "x", "space")
        program.see("Override 3 flags, on this machine only", "no override  each as upstream")
        await program.press(*"off", "enter", "y")
        assert len(mirror.changes) == 3
        assert len(overrides(mirror)) > len(before)
        await program.press("u", shows="Undo: restore the previous override of 3 flags in MIRROR")
        await program.press("y")
        assert overrides(mirror) == before


async def test_undo_passes_changes_that_a_restart_of_the_mirror_undid(setting: Setting) -> None:
    mirror = open_mirror()
    async with on_mirror(setting, mirror) as program:
        await program.press("x", "x", "space", *"off", "enter", "y")
        mirror.mirror.clear()
        await program.press("u")
        assert words(program.screen).count("it already has the values to restore") == 1
        assert words(program.screen).count("for the same reason") == 1
        await program.press("escape", "u", toast="You have no change left to undo")
        await program.press("colon", shows="Override the flag on this machine: on, off or a variant")
        program.see("flagtui mirror set ")


async def test_invalid_override_file_and_missing_mirror_are_shown(setting: Setting, tmp_path: Path) -> None:
    file = OverrideFile(tmp_path / "overrides.toml")
    file.path.write_text("[everyone]\nnew-nav = true\n")
    mirror = open_mirror(file=file)
    mirror.mirror.look_at_files()
    async with on_mirror(setting, mirror) as program:
        assert "on" in row(program, "new-nav").split()
        file.path.write_text("[everyone\n")
        mirror.mirror.look_at_files()
        await program.look_at_mirror()
        program.see("overrides.toml", "; the last good overrides stay")
        assert program.header.endswith("bad overrides.toml")
        mirror.error = Unreachable("The mirror on port 8020 does not respond.", next="Start it again.")
        await program.look_at_mirror()
        gone = "mirror gone: The mirror on port 8020 does not respond. The values below are its last ones."
        program.see(f"{gone} Start it again.")
        assert program.header.endswith("mirror gone")
        await program.go_to("new-nav", "space", *"off", "enter", toast="does not respond")
        mirror.error = None
        file.path.write_text("")
        mirror.mirror.look_at_files()
        await program.look_at_mirror()
        assert program.header.endswith("synced just now")


async def test_every_other_change_is_refused_with_the_reason(setting: Setting) -> None:
    async with on_mirror(setting, open_mirror()) as program:
        await program.press("p")
        assert not program.app.screen.is_modal
        program.see(toast="the mirror serves this project alone")
        for tab, place in {"1": "flags", "2": "experiments", "3": "events"}.items():
            await program.press(tab)
            screen = program.front(ListScreen)
            changes = [command for command in COMMANDS if command.writes and place in command.places]
            assert any(command.in_mirror for command in changes)
            refused = [command for command in changes if not command.in_mirror]
            for command in refused:
                _, action, values = parse(command.action)
                assert screen.check_action(action, values) is not True, command.id
            await program.press(refused[0].keys.split(",")[0])
            assert not program.app.screen.is_modal
            program.see(toast="a mirror changes only overrides of this machine")
        await program.press("1")
        await program.go_to("new-nav", "h", "down", "down", "z")
        assert not program.app.screen.is_modal
        program.see(toast="restore: a mirror changes only overrides of this machine")
