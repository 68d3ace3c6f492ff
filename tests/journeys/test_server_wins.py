"""What the server says now replaces what was believed, whatever its version."""

from dataclasses import replace

import httpx
import pytest
from tests.doubles.whole_program import Setting, running
from tests.doubles.wire import Wire

KEY = "team-invites-v3"


async def believe_it_off(setting: Setting) -> None:
    """A first run that leaves the flag off at a high version; its database is thrown away then."""
    async with running(setting) as program:
        flag = program.row(KEY)
        assert flag.active
        colleague = program.colleague()
        for active in (False, True, False, True, False):
            await colleague.flags.update(flag.id, {"active": active})
        await program.press("f5")
        assert not program.row(KEY).active


def lose_lists(wire: Wire) -> None:
    """Every list of flags fails on its way; single flags are answered."""

    def fault(request: httpx.Request) -> httpx.Response | Exception | None:
        return httpx.ConnectError("down") if request.url.path.endswith("/feature_flags/") else None

    wire.before = fault


async def test_a_flag_of_a_restored_backup_is_shown_as_it_is_and_can_be_turned_off(setting: Setting) -> None:
    kept = replace(setting, snapshots=True)
    await believe_it_off(kept)
    async with running(kept) as program:
        assert program.row(KEY).active
        await program.go_to(KEY)
        await program.press("space", "y")
        assert not program.row(KEY).active
        assert not (await program.stored(KEY)).active


async def test_a_change_planned_on_what_was_believed_is_asked_anew(setting: Setting) -> None:
    kept = replace(setting, snapshots=True)
    await believe_it_off(kept)
    async with running(kept, lose_lists) as program:
        assert not program.row(KEY).active
        await program.go_to(KEY)
        await program.press("space")
        assert any("already" in notice for notice in program.notices)
        assert program.row(KEY).active
        await program.press("space")
        assert "Turn OFF in TEST" in program.screen
        await program.press("y")
        assert not (await program.stored(KEY)).active
        assert len(program.wire.writes()) == 1


@pytest.mark.parametrize("lost", [False, True])
async def test_a_record_read_again_while_a_question_is_open_replaces_the_row(
    setting: Setting, lost: bool
) -> None:
    async with running(setting) as program:
        await program.go_to(KEY)
        await program.press("space")
        await program.colleague().flags.update(program.row(KEY).id, {"name": "renamed meanwhile"})
        if lost:
            program.wire.after = lambda request: (
                httpx.ReadTimeout("lost") if request.method == "PATCH" else None
            )
        await program.press("y")
        stored = await program.stored(KEY)
        assert (program.row(KEY).active, program.row(KEY).name) == (stored.active, stored.name)
