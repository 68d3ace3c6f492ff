"""Profiles, keys that stop working, changes left open, the journal: nothing is lost or repeated."""

import re
from dataclasses import replace

import httpx
import pytest
from tests.doubles.whole_program import KEY, WIDE, Program, Setting, Wire, running, words
from textual.widgets import Input

from flagtui.app.screens.confirm import ConfirmScreen
from flagtui.app.screens.experiment import ExperimentScreen
from flagtui.app.screens.experiment_parts.series import SeriesScreen
from flagtui.app.screens.flags import FlagsScreen
from flagtui.app.screens.journal import JournalScreen
from flagtui.app.screens.picker import PickerScreen
from flagtui.app.screens.sign_in import SignInScreen
from flagtui.app.widgets.key_line import KeyLine
from flagtui.app.widgets.row_list import RowList
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.event_definitions.intent import KIND
from flagtui.changes.guard import Level, Rules
from flagtui.service.keys import NewKey, create_key

REVOKED = {"type": "authentication_error", "code": "authentication_failed", "detail": "Invalid API key."}


def revoke(wire: Wire, method: str = "") -> None:
    """The server knows this key no more; any other it still knows."""

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_ours = request.headers["authorization"] == f"Bearer {KEY}"
        return httpx.Response(401, json=REVOKED) if is_ours and request.method.startswith(method) else None

    wire.before = refuse


async def type_key(program: Program, key: str) -> None:
    """Put a key into the sign-in screen."""
    program.app.screen.query_one(Input).value = key
    await program.press("enter")


def another_key(program: Program, *scopes: str) -> str:
    return create_key(program.database, NewKey("another", scopes or ("*",)))


# A key revoked midway


@pytest.mark.parametrize("server", ["default", "strict", "legacy"])
async def test_a_key_revoked_while_results_are_read_is_replaced_and_no_result_is_lost(
    setting: Setting, server: str
) -> None:
    options = () if server == "default" else ((server, True),)
    async with running(replace(setting, options=options, size=WIDE)) as program:
        await program.press("2", "slash", *"is:running", "enter", "enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        seen = results(program)
        assert seen
        revoke(program.wire)
        await program.press("r")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert results(program) == seen
        assert "not accepted" in words(program.screen)
        await program.press("r")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, ExperimentScreen)
        assert results(program) == seen
        assert "not accepted" not in words(program.screen)


def results(program: Program) -> list[str]:
    """Each metric with its numbers and its interval."""
    return [line.rpartition("┤")[0].strip(" ▌") for line in program.screen.splitlines() if "(funnel)" in line]


async def test_a_key_revoked_while_days_are_read_is_replaced_and_the_days_come(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await program.press("2", "slash", *"is:running", "enter", "enter")
        revoke(program.wire)
        await program.press("enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" in words(program.screen)
        await program.press("r")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" not in words(program.screen)
        assert re.search(r"\d+ of \d+ days", words(program.screen))


async def test_a_key_revoked_before_the_question_is_replaced_and_the_question_comes(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        revoke(program.wire)
        await program.press("space")
        assert isinstance(program.app.screen, SignInScreen)
        await type_key(program, "phx_nobody_knows_this_one")
        assert isinstance(program.app.screen, SignInScreen)
        assert "not accepted" in words(program.screen)
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, ConfirmScreen)
        assert program.wire.writes() == []
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert len(program.wire.writes()) == 1


async def test_a_key_revoked_during_the_save_brings_the_question_back_and_sends_nothing_by_itself(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space")
        revoke(program.wire, "PATCH")
        await program.press("y")
        assert isinstance(program.app.screen, SignInScreen)
        key = another_key(program)
        assert len(program.wire.writes()) == 1
        await type_key(program, key)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert len(program.wire.writes()) == 1
        assert (await program.stored("new-nav")).active
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert key not in program.screen
        ends = [entry.ending for entry in program.journal.entries()]
        assert ends == ["saved", "refused"]


async def test_signing_in_can_wait_and_the_list_stays_with_the_reason(setting: Setting) -> None:
    async with running(setting) as program:
        revoke(program.wire)
        await program.press("f5")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.app.screen.query_one(RowList).shown == 248
        assert "sign in again" in program.screen.splitlines()[0]
        await program.press("ctrl+l")
        await type_key(program, another_key(program, "feature_flag:read", "user:read"))
        assert "synced" in program.screen.splitlines()[0]
        assert "change flags: the key lacks feature_flag:write" in program.notices[-1]


# Keys that may not, profiles that only read


async def test_what_the_key_may_not_is_dimmed_with_the_scope_in_the_help(setting: Setting) -> None:
    async with running(setting) as program:
        kinds = ("feature_flag", "experiment", "event_definition", "user", "project")
        await program.press("ctrl+l")
        await type_key(program, another_key(program, *(f"{kind}:read" for kind in kinds)))
        for tab, writes, scope in (
            ("1", {"switch", "delete", "undo"}, "feature_flag:write"),
            ("2", {"switch", "step('end')", "undo"}, "experiment:write"),
            ("3", {"verify", "hide", "delete", "undo"}, "event_definition:write"),
        ):
            await program.press(tab)
            bindings = program.app.screen.active_bindings.values()
            enabled = {each.binding.action: each.enabled for each in bindings}
            assert {enabled[action] for action in writes} == {False}, tab
            assert enabled["open"] is True
            await program.press("V", "d", "question_mark")
            assert f"needs {scope}" in words(program.screen)
            await program.press("escape")
        await take_nothing_back(program)
        assert program.wire.writes() == []


async def take_nothing_back(program: Program) -> None:
    """In the journal the help names the scope of what the change under the cursor was made to."""
    assert program.app.desk.workspace is not None
    here = program.app.desk.signature(program.app.desk.workspace)
    scopes = {"flag": "feature_flag:write", "experiment": "experiment:write", KIND: "event_definition:write"}
    for place, kind in enumerate(scopes):
        program.journal.begin(Entry(kind, 9.0 - place, 1, "k", "edit", here, kind))
        program.journal.finish(kind, "saved")
    await program.press("J")
    for scope in scopes.values():
        await program.press("u", "question_mark")
        inside = [line.split("│")[1] for line in program.screen.splitlines() if line.count("│") > 1]
        assert f"Take back the change under the cursor needs {scope}" in words(" ".join(inside))
        await program.press("escape", "down")


async def test_a_read_only_profile_has_no_keys_that_write(setting: Setting) -> None:
    careful = replace(setting, rules=Rules(Level.READ_ONLY, place="TEST"))
    async with running(careful) as program:
        actions = {each.binding.action for each in program.app.screen.active_bindings.values()}
        assert not actions & {"switch", "delete", "undo"}
        assert "open" in actions
        assert "on/off" not in program.screen


# Profiles


async def test_another_profile_takes_the_place_of_this_one_with_its_badge(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await program.press("slash", *"checkout", "enter", "x")
        await program.press("P")
        assert "prod" in words(program.screen)
        await program.press("down", "enter")
        header = program.screen.splitlines()[0]
        assert "PROD" in header
        assert "TEST" not in header
        assert program.app.desk.session.rules.level is Level.READ_ONLY
        assert not program.app.screen.query_one(RowList).marks
        await program.press("P", "up", "enter")
        assert "TEST" in program.screen.splitlines()[0]


async def test_alone_a_profile_says_how_to_make_another(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("P")
        assert "flagtui auth login" in program.notices[-1]


async def test_rows_of_one_profile_never_stand_under_the_badge_of_another(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await program.press("3")
        assert program.app.screen.query_one(RowList).shown > 0
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("P", "down", "enter")
        for tab in ("3", "1"):
            await program.press(tab)
            assert "PROD" in program.screen.splitlines()[0]
            assert program.app.screen.query_one(RowList).shown == 0
            assert "new-nav" not in program.screen


async def test_a_profile_without_a_key_shows_no_rows_of_the_one_before(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("keyless",))) as program:
        await program.press("P", "down", "enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert "KEYLESS" in program.screen.splitlines()[0]
        assert program.app.screen.query_one(RowList).shown == 0
        assert "There is no API key." in program.screen
        await program.press("ctrl+l")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, PickerScreen)
        assert "#1 " in program.screen
        assert "#2 " in program.screen
        await program.press(*"Web", "enter")
        assert program.app.screen.query_one(RowList).shown == 248
        header = program.screen.splitlines()[0]
        assert "KEYLESS" in header
        assert "Web app #1" in header


async def test_a_key_for_other_projects_asks_which_of_them_is_opened(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("ctrl+l")
        other = max(project.id for project in await program.colleague().projects.list())
        key = create_key(program.database, NewKey("elsewhere", ("*",), teams=(other,)))
        await type_key(program, key)
        assert isinstance(program.app.screen, PickerScreen)
        await program.press("enter")
        assert f"#{other}" in program.screen.splitlines()[0]
        assert 0 < program.app.screen.query_one(RowList).shown < 248


# The journal


async def test_the_journal_is_searched_while_typing_and_any_change_is_taken_back(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        for key in ("new-nav", "export-parquet"):
            await program.go_to(key)
            await program.press("space", "y", "escape")
        await program.press("J")
        assert isinstance(program.app.screen, JournalScreen)
        rows = program.app.screen.query_one(RowList)
        assert rows.shown == 2
        assert "u takes it back" in words(program.screen)
        await program.press("slash", *"nav turn")
        assert rows.shown == 1
        await program.press("enter", "u")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert not (await program.stored("export-parquet")).active
        await program.press("escape")
        assert rows.shown == 3
        await program.press("slash", *"zzz")
        assert "None of 3 changes has  zzz" in program.screen


async def test_an_empty_journal_says_so(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("J")
        assert "You changed nothing yet." in program.screen
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)


# A strict profile


async def test_a_strict_profile_asks_for_the_key_again_once_its_minutes_are_over(setting: Setting) -> None:
    strict = replace(setting, rules=Rules(Level.STRICT, place="PROD"), unlock=600.0)
    async with running(strict) as program:
        await program.go_to("new-nav")
        await program.press("space", "y")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("backspace", *"new-nav", "enter")
        assert not (await program.stored("new-nav")).active
        await program.press("space", "y")
        assert (await program.stored("new-nav")).active
        await program.press("d")
        assert "to confirm, type new-nav" in words(program.screen)
        await program.press("escape")
        program.timing.now += 600
        await program.press("space")
        assert "to confirm, type new-nav" in words(program.screen)


async def test_a_strict_profile_without_minutes_asks_for_the_key_every_time(setting: Setting) -> None:
    async with running(replace(setting, rules=Rules(Level.STRICT, place="PROD"))) as program:
        await program.go_to("new-nav")
        await program.press("space", *"new-nav", "enter", "space")
        assert "to confirm, type new-nav" in words(program.screen)


async def test_the_line_of_keys_dims_what_the_key_may_not_from_the_start(setting: Setting) -> None:
    def confine(wire: Wire) -> None:
        scopes = {"id": "x", "label": "narrow", "scopes": ["feature_flag:read"], "scoped_teams": []}
        wire.before = lambda request: (
            httpx.Response(200, json=scopes) if "personal_api_keys" in request.url.path else None
        )

    async with running(setting) as program:
        assert ("space", "bold") in key_styles(program)
    async with running(setting, confine) as program:
        assert ("space", "$faint") in key_styles(program)
        assert ("⏎", "bold") in key_styles(program)
        program.wire.before = lambda request: None
        await program.press("f5")
        assert ("space", "bold") in key_styles(program)


def key_styles(program: Program) -> list[tuple[str, str]]:
    """The keys on the last line and how they are drawn."""
    line = program.app.screen.query_one(KeyLine).render()
    return [(line.plain[span.start : span.end], str(span.style)) for span in line.spans]


# Since a moment


async def ask_since(program: Program, moment: str) -> None:
    program.app.screen.query_one(Input).value = moment
    await program.press("enter")


async def test_the_list_is_compared_with_the_copy_of_a_moment(setting: Setting) -> None:
    async with running(replace(setting, snapshots=True)) as program:
        colleague = program.colleague()
        await colleague.flags.update(program.row("new-nav").id, {"active": False, "name": "\x1b[31mred"})
        everyone = {"groups": [{"properties": [], "rollout_percentage": 100}]}
        await colleague.flags.create({"key": "brand-new", "name": "", "filters": everyone})
        program.timing.now += 7_200
        await program.press("f5", "equals_sign")
        assert "No copy of this list is that old" in words(program.screen)
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "+ brand-new is new" in seen
        assert "~ new-nav" in seen
        assert "on yes → no" in seen
        assert "\x1b" not in program.screen
        await ask_since(program, "soon")
        assert "is no moment" in words(program.screen)
        await ask_since(program, "1s")
        assert "Nothing is different." in words(program.screen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)


async def test_experiments_and_events_are_compared_with_their_own_copies(setting: Setting) -> None:
    async with running(replace(setting, snapshots=True)) as program:
        colleague = program.colleague()
        await program.press("3", "2")
        page = await colleague.experiments.page({"limit": 1, "status": "running"})
        await colleague.experiments.pause(page.rows[0].id)
        event = await colleague.event_definitions.by_name("checkout completed")
        await colleague.event_definitions.update(event.id, {"tags": ["till"], "verified": False})
        await colleague.event_definitions.create("brand new")
        program.timing.now += 7_200
        await program.press("f5", "equals_sign")
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "What is different in the experiments since" in seen
        assert f"~ {page.rows[0].name} flag active yes → no, status running → paused" in seen
        await program.press("escape", "3", "f5", "equals_sign")
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "+ brand new is new" in seen
        assert "~ checkout completed tags revenue checkout → till, verified yes → no" in seen
        await ask_since(program, "1s")
        assert "Nothing is different." in words(program.screen)


async def test_nothing_in_the_journal_is_obeyed_by_the_terminal(setting: Setting) -> None:
    nasty = "[bold]x\x1b]0;owned\x07\u202egnp.exe\x9b31m"
    async with running(setting) as program:
        signature = Signature(nasty, nasty, nasty, nasty)
        program.journal.begin(
            Entry("n", program.timing.now, 7, nasty, nasty, signature, reason=nasty, words=(nasty,))
        )
        await program.press("J")
        assert program.app.screen.query_one(RowList).shown == 1
        assert [each for each in program.screen if each != "\n" and not each.isprintable()] == []
        assert "[bold]x" in program.screen
        await program.press("u")
        assert isinstance(program.app.screen, JournalScreen)
