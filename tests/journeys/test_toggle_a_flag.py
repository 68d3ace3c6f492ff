"""Turning a flag off and on again, with everything that can come between."""

import httpx
import pytest
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Wire

from flagtui.app.widgets.row_list import RowList
from flagtui.changes.guard import GuardRules, Level
from flagtui.models.rows import FlagRow


async def test_a_flag_is_turned_off_in_the_database_and_brought_back_by_undo(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space")
        question = words(program.screen)
        assert "Turn OFF in TEST" in question
        assert "on → off" in question
        assert "true" not in question, "the phrase says it all"
        assert "users lose it" in question
        assert (await program.stored("new-nav")).active
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert not program.row("new-nav").active
        assert "new-nav is off · u to undo" in program.notices[-1]
        await program.press("u")
        assert "Undo: turn new-nav on again in TEST" in words(program.screen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        await program.colleague().flags.update(program.row("new-nav").id, {"active": False})
        await program.press("u")
        assert "Nothing of yours is left to undo" in words(program.screen)
        await program.press("U")
        assert "new-nav is as it was already; nothing was sent. u goes on with" in words(program.screen)
        assert len(program.wire.writes()) == 2


async def test_only_the_changed_field_is_sent_with_what_protects_it(setting: Setting) -> None:
    sent: list[bytes] = []

    def listen(wire: Wire) -> None:
        wire.before = lambda request: sent.append(request.content) if request.method == "PATCH" else None

    async with running(setting, listen) as program:
        await program.go_to("new-nav")
        version = program.row("new-nav").version
        await program.press("space", "y")
    assert [httpx.Response(200, content=body).json() for body in sent] == [
        {"active": False, "version": version, "original_flag": {"active": True}}
    ]


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_but_a_yes_confirms(program: Program) -> None:
    await program.go_to("new-nav")
    for answer in ("escape", "n", "enter", "space", "x"):
        await program.press("space")
        assert program.app.screen.is_modal, answer
        await program.press(answer)
        assert program.wire.writes() == [], answer
        if program.app.screen.is_modal:
            await program.press("escape")
    assert (await program.stored("new-nav")).active


async def test_a_yes_that_comes_too_quickly_does_not_confirm(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space")
        # The same moment as the key before: a held key, or keys typed ahead.
        await program.pilot.press("y")
        await program.settle()
        assert "nothing was sent" in program.screen
        assert program.wire.writes() == []
        await program.press("y")
        assert len(program.wire.writes()) == 1


async def test_a_strict_profile_wants_the_key_typed_in_full(setting: Setting) -> None:
    strict = Setting(setting.template, setting.folder, rules=GuardRules(Level.STRICT, place="PROD"))
    async with running(strict) as program:
        await program.go_to("new-nav")
        await program.press("space", *"new-na", "enter")
        assert program.wire.writes() == []
        await program.press("v", "enter")
        assert not (await program.stored("new-nav")).active


async def test_a_read_only_profile_refuses_before_asking(setting: Setting) -> None:
    read_only = Setting(setting.template, setting.folder, rules=GuardRules(Level.READ_ONLY, place="PROD"))
    async with running(read_only) as program:
        await program.go_to("new-nav")
        await program.press("space")
        assert not program.app.screen.is_modal
        assert "read-only" in program.screen.splitlines()[0]
        assert program.wire.writes() == []


async def test_a_lost_answer_is_looked_up_and_never_sent_again(setting: Setting) -> None:
    def lose_answers(wire: Wire) -> None:
        wire.after = lambda request: httpx.ReadTimeout("lost") if request.method == "PATCH" else None

    async with running(setting, lose_answers) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        assert program.wire.writes() == [f"PATCH /api/projects/1/feature_flags/{program.row('new-nav').id}/"]
        assert "new-nav is off" in program.notices[-1]
        assert not (await program.stored("new-nav")).active
        assert [entry.ending for entry in program.journal.entries()] == ["saved"]


async def test_a_change_that_never_arrives_is_called_failed_and_the_row_comes_back(setting: Setting) -> None:
    def refuse(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down") if request.method == "PATCH" else None

    async with running(setting, refuse) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        assert "not saved" in program.notices[-1]
        assert program.row("new-nav").active
        assert [entry.ending for entry in program.journal.entries()] == ["failed"]


async def test_a_flag_that_a_colleague_turned_off_meanwhile_is_left_as_it_is(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        seen = program.row("new-nav")
        await program.colleague().flags.update(seen.id, {"active": False})
        await program.press("space")
        assert "already is off" in program.notices[-1]
        assert not program.row("new-nav").active
        assert program.wire.writes() == []


async def test_a_change_of_a_colleague_is_told_before_the_question_is_answered(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.colleague().flags.update(program.row("new-nav").id, {"name": "Somebody else was here"})
        await program.press("space")
        assert "Changed since yes" in words(program.screen)


async def test_a_key_revoked_midway_changes_nothing_and_says_so(setting: Setting) -> None:
    refusal = {"type": "authentication_error", "code": "authentication_failed", "detail": "no", "attr": None}

    def revoke(wire: Wire) -> None:
        wire.before = lambda request: httpx.Response(401, json=refusal) if request.method == "PATCH" else None

    async with running(setting, revoke) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        assert "not saved" in program.notices[-1]
        assert program.row("new-nav").active
        assert (await program.stored("new-nav")).active


@pytest.mark.asyncio(loop_scope="module")
async def test_what_the_server_would_refuse_is_said_without_asking_it(program: Program) -> None:
    await program.go_to("checkout-redesign")
    await program.press("d")
    assert "is running on it" in program.notices[-1]
    assert program.wire.writes() == []


async def test_the_first_row_of_the_demo_is_switched_by_the_first_key_and_back(setting: Setting) -> None:
    async with running(setting) as program:
        first: FlagRow | None = program.app.screen.query_one(RowList).row
        assert first is not None
        await program.press("space")
        assert "Turn OFF in TEST" in program.screen
        await program.press("y")
        assert not program.row(first.key).active
        await program.press("u", "y")
        assert program.row(first.key).active


async def test_a_flag_that_others_depend_on_is_turned_off_together_with_them_and_back(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        await program.go_to("checkout-redesign")
        await program.press("space")
        asked = words(program.screen)
        assert "Turn OFF 2 flags in TEST" in asked
        assert "also turned off: it depends on checkout-redesign" in asked
        assert program.wire.writes() == []
        await program.press("y")
        # The one that depends goes first, as the server wants it.
        banner, redesign = program.row("checkout-v2-banner"), program.row("checkout-redesign")
        assert [line.rstrip("/").rsplit("/", 1)[1] for line in program.wire.writes()] == [
            str(banner.id),
            str(redesign.id),
        ]
        assert not banner.active
        assert not redesign.active
        await program.press("u", "y")
        assert program.row("checkout-v2-banner").active
        assert program.row("checkout-redesign").active


async def test_what_a_flag_depends_on_is_turned_on_together_with_it(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("checkout-redesign")
        await program.press("space", "y")
        await program.go_to("checkout-v2-banner")
        await program.press("space")
        assert "also turned on: checkout-v2-banner depends on it" in words(program.screen)
        await program.press("y")
        assert program.row("checkout-redesign").active
        assert program.row("checkout-v2-banner").active


async def test_the_activity_log_of_the_service_tells_who_did_what(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        page = await program.colleague().flags.activity(program.row("new-nav").id, limit=1)
    entry = page.entries[0]
    assert entry.user is not None
    assert entry.user.email == "alice@acme.com"
    assert [(change.field, change.before, change.after) for change in entry.changes] == [
        ("active", True, False)
    ]


async def test_a_held_key_asks_once(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        program.wire.held = lambda request: request.method == "GET"
        for key in ("space", "d", "u", "n"):
            program.wire.let_go.clear()
            await program.hold(key, times=20)
            program.wire.let_go.set()
            await program.settle()
            assert program.app.screen.is_modal, key
            await program.press("escape")
            assert not program.app.screen.is_modal, key
