"""What the server says now replaces what was believed, whatever its version."""

from dataclasses import replace
from functools import partial

import httpx
from tests.doubles.whole_program import Setting, running
from tests.doubles.wire import Wire

KEY = "team-invites-v3"


def lose_lists(wire: Wire) -> None:
    """Every list of flags fails on its way; single flags are answered."""

    def fault(request: httpx.Request) -> httpx.Response | Exception | None:
        return httpx.ConnectError("down") if request.url.path.endswith("/feature_flags/") else None

    wire.before = fault


async def test_a_change_planned_on_what_was_believed_is_asked_anew(setting: Setting) -> None:
    kept = replace(setting, snapshots=True)
    async with running(kept) as program:
        # Off at a high version; the database is thrown away then.
        id = program.row(KEY).id
        for active in (False, True, False, True, False):
            await program.colleague().flags.update(id, {"active": active})
        await program.press("f5")
        assert not program.row(KEY).active
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


def fail_writes(fault: Exception | None, request: httpx.Request) -> Exception | None:
    return fault if request.method == "PATCH" else None


async def test_a_record_read_again_while_a_question_is_open_replaces_the_row(setting: Setting) -> None:
    async with running(setting) as program:
        for key, fault in ((KEY, None), ("new-nav", httpx.ReadTimeout("lost"))):
            await program.go_to(key)
            await program.press("space")
            await program.colleague().flags.update(program.row(key).id, {"name": "renamed meanwhile"})
            program.wire.after = partial(fail_writes, fault)
            await program.press("y")
            stored = await program.stored(key)
            assert (program.row(key).active, program.row(key).name) == (stored.active, stored.name)
