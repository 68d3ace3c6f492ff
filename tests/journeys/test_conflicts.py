"""Another user is faster, or the outcome of a change is unknown: questions, rows and header."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import WRITE
from tests.journeys.steps import stand_on_experiment
from tests.journeys.test_edit_flags import RICH, make

from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.app.shell.status_line import link_of
from flagtui.changes.unanswered import LOOKS
from flagtui.store.kinds import Kind

KEY = "team-invites-v3"


async def set_share_while(program: Program, id: int, theirs: Mapping[str, Any], share: str = "40") -> None:
    """This share for the second condition is agreed to and in flight when theirs arrives."""
    await program.press("percent_sign", "down", *share, "enter")
    program.wire.hold(WRITE)
    await program.press_without_waiting("y")
    await program.colleague().flags.update(id, theirs)
    await program.let_go()


def second_share(percent: float) -> dict[str, Any]:
    groups = [dict(group) for group in RICH["groups"]]
    groups[1]["rollout_percentage"] = percent
    return {"filters": {**RICH, "groups": groups}}


async def test_both_sides_are_shown_asked_about_and_read_into_rows(program: Program) -> None:
    id = await make(program, "rich-flag", RICH)
    await set_share_while(program, id, second_share(70))
    program.see(" by Alice, just now", "rollout of condition 2 since was 12.5 % now 70 % new 40 %")
    await program.press("escape")
    assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 70
    program.see(sent=1)
    await set_share_while(program, id, second_share(60))
    await program.press("y")
    assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 60
    await program.press("o")
    assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 40
    assert not [line for line in program.wire.writes() if line.startswith("PATCH")]
    await set_share_while(program, id, {"name": "theirs"}, share="50")
    program.see(" by Alice, just now", "40 + 50")
    await program.press("y")
    flag = await program.stored("rich-flag")
    assert (flag.name, flag.targeting.conditions[1].rollout) == ("theirs", 50)
    for key, is_lost in ((KEY, False), ("new-nav", True)):
        await program.go_to(key, "space")
        await program.colleague().flags.update(program.row(key).id, {"name": "renamed meanwhile"})
        if is_lost:
            program.wire.lose("PATCH")
        await program.press("y")
        stored = await program.stored(key)
        assert (program.row(key).active, program.row(key).name) == (stored.active, stored.name)


async def test_page_closes_when_its_record_is_deleted_elsewhere(program: Program) -> None:
    colleague, workspace = program.colleague(), program.app.app_state.workspace
    assert workspace is not None
    cases: list[tuple[Kind, str, str]] = [
        ("flags", "1", "replay-canvas"),
        ("experiments", "2", "Length of the tour"),
    ]
    for kind, tab, name in cases:
        await program.press(tab)
        await program.go_to(name, "enter", "question_mark")
        page = program.app.screen_stack[-2]
        assert isinstance(page, RecordScreen)
        await getattr(colleague, kind).update(page.chosen()[0].id, {"deleted": True})
        await workspace.refresh(kind)
        await program.settle()
        assert program.app.screen_stack[-2] is page
        await program.press("escape", front=ListScreen)
        program.see(toast=f"{name} was deleted or archived elsewhere; its page is closed")
    before = len(program.notices)
    await program.press("1")
    await program.go_to("dark-mode-default", "enter", "d", "y", front=ListScreen)
    assert "elsewhere" not in str(program.notices[before:])


async def test_row_of_a_record_that_the_server_lacks_goes(program: Program) -> None:
    await stand_on_experiment(program, "Length of the tour", "L", shows="draft → running")
    experiment = next(row for row in program.workspace.experiments.rows if row.name == "Length of the tour")
    await program.colleague().experiments.delete(experiment.id)
    await program.press("y", toast="It may have been deleted, or this key may not see it")
    assert program.workspace.experiments.get(experiment.id) is None


async def test_row_and_header_show_an_unresolved_change(program: Program) -> None:
    await program.go_to("new-nav")
    path = f"/feature_flags/{program.row('new-nav').id}/"
    looks = len(LOOKS)

    def one_too_many(request: httpx.Request) -> bool:
        nonlocal looks
        looks -= request.method == "GET" and request.url.path.endswith(path)
        return looks < 0

    await program.press("space")
    program.wire.answer("PATCH", httpx.ReadTimeout("lost"))
    program.wire.held = one_too_many
    program.timing.now += 1
    await quiet.press(program.app, "y")
    while looks >= 0:
        await quiet.settle(program.app)
    program.see(toast="not known: new-nav: no response")
    assert program.link == "◔ 1 change not known"
    program.see(" ●↻ new-nav ")
    app_state = program.app.app_state
    app_state.reading = "another-flag"
    assert link_of(app_state).words == "1 change not known"
    app_state.reading = ""
    program.see(toasts="whether the change was applied")
    await program.let_go()
    assert not any("whether the change was applied" in notice for notice in program.notices)
    program.see(toast="not saved: new-nav: the server did not apply it within 60 s")
    assert program.link.startswith("● synced ")
    program.see(" ●  new-nav ")
    program.wire.heal()
    program.wire.held = lambda request: False
    program.wire.let_go.clear()
    program.app.clear_notifications()
    await program.press("space")
    lost: list[str] = []

    def lose(request: httpx.Request) -> httpx.ReadTimeout | None:
        if request.method != "PATCH":
            return None
        lost.append(request.url.path)
        return httpx.ReadTimeout("lost")

    program.wire.after = lose
    program.wire.held = lambda request: bool(lost)
    program.timing.now += 1
    await quiet.press(program.app, "y")
    while not any("checking whether it was applied" in notice for notice in program.notices):
        await quiet.settle(program.app)
    assert program.link.endswith("1 change not known")
    await program.let_go()
    assert "not known" not in program.link
    program.see("new-nav is off", lacks="no response; checking")


async def test_unreadable_change_stays_unresolved_and_offline_until_a_read(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.go_to("new-nav", "space")
        program.wire.lose("PATCH")
        program.wire.cut("^(?!PATCH)")
        await program.press("y", shows="new-nav: could not confirm whether the change was applied")
        program.see("The record cannot be read. It was sent only once. F5 refreshes the list", " ●↻ new-nav ")
        assert not any("cannot be read at the moment" in notice for notice in program.notices)
        assert program.link == "▲ offline, 1 change not known"
        program.wire.heal()
        await program.press("f5", shows=" ○• new-nav ")
        assert (program.link, len(program.wire.writes())) == ("● synced just now", 1)
        await program.press("space")
        program.wire.cut()
        await program.press("y")
        assert program.link == "▲ offline, data <1 min old"
        forbidden = httpx.Response(403, json={"detail": "No.", "code": "permission_denied"})
        program.wire.answer("PATCH", forbidden)
        await program.press("space")
        assert program.link == "● synced just now"
        await program.press("y", toast="not saved")
        assert program.link == "● synced just now"


@pytest.mark.parametrize(("tab", "name", "keys"), [
    ("2", "Pricing page test", ("space",)),
    ("3", "plan upgraded", ("V",)),
    ("3", "plan upgraded", ("plus", "V", "ampersand", "A")),
], ids=["an experiment", "an event", "a staged event"])  # fmt: skip
async def test_records_stay_unresolved_until_they_are_read_again(
    program: Program, tab: str, name: str, keys: tuple[str, ...]
) -> None:
    def is_cut_off(request: httpx.Request) -> bool:
        # A set is read again before its first request.
        return request.method == "GET" and bool(program.wire.writes() or program.wire.count("/pause/"))

    await program.press(tab)
    await program.go_to(name, *keys)
    program.wire.lose("PATCH|/pause/$")
    program.wire.before = lambda request: httpx.ConnectError("down") if is_cut_off(request) else None
    await program.press("y")
    assert program.link == "▲ offline, 1 change not known"
    await program.press(tab)
    assert next(line for line in program.screen.splitlines()[4:] if name in line)[3] == "↻"
    program.wire.heal()
    await program.press("f5", lacks="↻")
    assert program.link == "● synced just now"
