"""`flagtui demo`: the whole program on a service of its own, in one process."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Final

import click

from flagtui.app.shell.preload import CLIENT, load_in_background
from flagtui.app.terminal.background import asked_background
from flagtui.cli.linear import run_linear
from flagtui.cli.plumbing.command_groups import LINEAR
from flagtui.cli.plumbing.errors import Trouble, require_terminal
from flagtui.cli.plumbing.options import is_read_only
from flagtui.cli.plumbing.profile_choice import BUILT_IN, settings_in
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.word_types import COMMAND_WORDS
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.locations import (
    KEY_VARIABLE,
    FolderUnusable,
    find_locations,
    make_folder,
    take_variable,
    use_state,
)
from flagtui.config.profiles import Profile

NAME: Final = "demo"
"""The profile of commands in the demo."""

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.cli.launch.demo_service import DemoService


@dataclass(frozen=True)
class Demonstration:
    """What was asked for on the command line."""

    fresh: bool = False
    nasty: bool = False
    flags: int | None = None
    read_only: bool = False
    mouse: bool = True
    flag: str = ""
    """Key of the flag to open first."""

    @property
    def words(self) -> str:
        """What opens the same sample: `demo --nasty`."""
        count = "" if self.flags is None else f" --flags {self.flags}"
        return f"demo{' --nasty' * self.nasty}{count}"


def open_demo(options: Demonstration) -> int:
    """Run the app until it is left; the exit code."""
    folder = _folder()
    # The demo needs no key, and what it starts must not inherit one.
    take_variable(KEY_VARIABLE)
    with asked_background():
        from flagtui.app.state.app_state import Reread, Session
        from flagtui.cli.launch.app_session import checked_keymap, preferences_of, run_session

        places = find_locations()
        settings = settings_in(places)
        keymap = checked_keymap(settings)
    name = _name(options)
    if options.fresh:
        _start_over(folder, name)
    opened: list[DemoService] = []

    def reread() -> Reread | str:
        try:
            settings = settings_in(places)
            renewed = preferences_of(settings, places.settings_file, folder / f"{name}-tastes")
            return Reread(replace(session, preferences=renewed), checked_keymap(settings))
        except Trouble as trouble:
            return str(trouble)

    preferences = preferences_of(settings, places.settings_file, folder / f"{name}-tastes")
    session = Session(
        profile=name,
        host="embedded service",
        badge=_profile(options).word,
        colour=_profile(options).theme_colour,
        rules=GuardRules(Level.READ_ONLY if options.read_only else Level.GUARDED, place="DEMO"),
        connect=lambda: _connect(folder / f"{name}.db", options, opened),
        journal_folder=folder / f"{name}-state" / "journal",
        state_folder=folder,
        embedded_in=options.words,
        flag=options.flag,
        offers_tour=not (preferences.remembered.toured or options.read_only or options.nasty),
        preferences=preferences,
        reread=reread,
    )
    try:
        return run_session(session, keymap, mouse=options.mouse and settings.mouse)
    finally:
        for service in opened:
            service.close()


def run_in_demo(options: Demonstration, words: Sequence[str]) -> int:
    """Do what another command does, about the demo; without words lines are asked for. The exit code."""
    from flagtui.cli.launch.demo_service import KEY, NOWHERE, DemoService

    folder, name = _folder(), _name(options)
    if options.fresh:
        _start_over(folder, name)
    service = DemoService(folder / f"{name}.db", options.nasty, options.flags)
    service.embed()
    use_state(folder / f"{name}-state")
    BUILT_IN[NAME] = replace(_profile(options), host=NOWHERE, project=str(service.project))
    # Named as the host too: whatever profile a command asks for, the key of the demo goes nowhere else.
    os.environ.update({"FLAGTUI_PROFILE": NAME, "FLAGTUI_HOST": NOWHERE, KEY_VARIABLE: KEY})
    os.environ.pop("FLAGTUI_PROJECT", None)
    run = click.get_current_context().find_root().obj
    common = ["--read-only"] if options.read_only else []
    try:
        return int(run([*common, *words])) if words else run_linear(run, common)
    finally:
        service.close()


def _folder() -> Path:
    try:
        return make_folder(find_locations().data, "the demo's data")
    except FolderUnusable as fault:
        raise Trouble(str(fault)) from None


def _profile(options: Demonstration) -> Profile:
    """How the demo looks wherever it is named."""
    return Profile(NAME, badge="NASTY", colour="yellow") if options.nasty else Profile(NAME, colour="green")


def _name(options: Demonstration) -> str:
    """Each kind of sample keeps its own file."""
    kind = "nasty" if options.nasty else "demo"
    return kind if options.flags is None else f"{kind}-{options.flags}"


def _start_over(folder: Path, name: str) -> None:
    try:
        for ending in (".db", ".db-wal", ".db-shm", ".db.key"):
            (folder / f"{name}{ending}").unlink(missing_ok=True)
    except OSError as fault:
        raise Trouble(f"the demo cannot start over: {fault.strerror}: {fault.filename}.") from None
    # What was changed in a database that is gone cannot be undone.
    rmtree(folder / f"{name}-state", ignore_errors=True)
    # Its searches and moments are about what is gone as well; the tour begins again.
    rmtree(folder / f"{name}-tastes", ignore_errors=True)


async def _connect(path: Path, options: Demonstration, opened: "list[DemoService]") -> "Client":
    await load_in_background(CLIENT)
    from flagtui.cli.launch.demo_service import DemoService

    if not opened:
        opened.append(DemoService(path, options.nasty, options.flags))
    return await opened[0].connect()


@command(
    "demo",
    is_online=False,
    examples=(
        "demo",
        "demo --fresh --flags 2000",
        "demo flags list is:stale",
        "demo flags disable new-nav --yes",
    ),
    # What follows the first word of a command is for that command.
    context_settings={"allow_interspersed_args": False},
)
@click.option("--fresh", is_flag=True, help="Start over: throw away what was changed in the demo before.")
@click.option("--nasty", is_flag=True, help="A project whose every text tries to harm the terminal.")
@click.option(
    "--flags", type=click.IntRange(0, 100_000), metavar="N", help="How many flags the sample lists."
)
@click.option("--read-only", is_flag=True, help="Refuse every change.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.option("--linear", is_flag=True, help="Ask for commands and answer in lines, without a screen.")
@click.argument("words", metavar="[COMMAND]...", nargs=-1, type=COMMAND_WORDS)
@click.pass_context
def demo(
    context: click.Context, /, words: tuple[str, ...], linear: bool, no_mouse: bool, **given: object
) -> None:
    """Open the app on its own embedded service: no account, no network.

    A COMMAND with its words is done in the demo instead, also while the app is open on it.

    What you change is kept between runs, in the user data folder; --fresh starts over.
    """
    is_linear = linear or context.meta[LINEAR]
    if words and (is_linear or words[0] == "demo"):
        raise click.UsageError("Give the demo either one command or --linear, which asks for commands.")
    before = context.find_root().params
    if before["profile"] or before["project"]:
        raise click.UsageError("The demo has no profile, and p switches between its projects.")
    is_screen = not (words or is_linear)
    if is_screen:
        require_terminal()
    mouse = not (no_mouse or before["no_mouse"])
    # Click has checked the types.
    found = Demonstration(mouse=mouse, flag=before["flag"], **given)  # type: ignore[arg-type]
    options = replace(found, read_only=found.read_only or is_read_only())
    raise SystemExit(open_demo(options) if is_screen else run_in_demo(options, words))
