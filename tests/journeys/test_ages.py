"""Ages on screen are those of now, and times those of the zone of the user; nothing is drawn in between."""

import ast
import re
from email.utils import formatdate
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.expected import require
from tests.doubles.slices import one_in
from tests.doubles.source_trees import find_nodes
from tests.doubles.whole_program import WIDE, Program, Setting, running
from tests.journeys.steps import on_activity
from textual.events import ScreenResume
from textual.widgets import Input

import flagtui.app
from flagtui.app.widgets.row_list import RowList
from flagtui.models.rows import FlagRow

SIZE = WIDE
HOURS = 3 * 3600
AGE = re.compile(r"\b\d+ (?:min|h|days?) ago\b|\b\d+[mhd]\b|\bjust now\b|\bthis minute\b|\bnow\b")
"""Not those of months: three hours change nothing about them."""
RESULT = re.compile(r"(?<=· )(?:p|win) [\d.]+(?: %)?  \w+")
"""The end of a result in a row, with its age."""

PLACES = {
    "the list of flags with its preview": ("1", "j"),
    "a flag": ("1", "j", "enter"),
    "the history of a flag": ("1", "j", "h"),
    "the list of experiments with its preview": ("2", "j"),
    "the list of events with its preview": ("3", "j"),
    "an event": ("3", "j", "enter"),
    "the inbox": ("3", "i"),
    "the activity": ("4", "j"),
}
OF_ITS_OWN = {"an experiment": ("2", "j", "enter"), "the journal": ("1", "space", "y", "J")}
"""Results are calculated at most once, and the journal tells what was changed."""


def ages(program: Program) -> list[str]:
    """Every age on screen, without that of results, which a new look asks for again."""
    lines = [RESULT.sub("", line) for line in program.screen.splitlines() if "results from" not in line]
    return AGE.findall("\n".join(lines))


async def assert_ages(program: Program, keys: tuple[str, ...], back: tuple[str, ...]) -> None:
    """What these keys open tells, three hours later, what it tells when it is opened again."""
    await program.press(*keys)
    young = ages(program)
    program.timing.now += HOURS
    program.app.ages.pass_minute()
    await program.settle()
    aged = ages(program)
    assert aged != young
    program.see(lacks="this minute")
    await program.press(*back, *(key for key in keys if key not in ("space", "y", "j")))
    assert aged == ages(program)


@pytest.mark.parametrize("place", one_in(4, PLACES))
async def test_ages_three_hours_later_equal_those_of_a_new_screen(shared: Program, place: str) -> None:
    await assert_ages(shared, PLACES[place], ("escape",) if place == "the inbox" else ("escape", "1"))


async def test_ages_of_results_and_journal_equal_a_new_screen(program: Program) -> None:
    for keys in OF_ITS_OWN.values():
        await assert_ages(program, keys, ("escape", "1"))
        await program.press("escape", "1")


async def test_ages_in_an_open_question_grow(program: Program) -> None:
    await program.go_to("new-nav", "space")
    (young,) = re.findall(r"Last change .* (\d+) h ago", program.screen)
    program.timing.now += HOURS
    program.app.ages.pass_minute()
    await program.settle()
    assert re.findall(r"Last change .* (\d+) h ago", program.screen) == [f"{int(young) + 3}"]
    await program.press("y")
    assert not (await program.stored("new-nav")).active


async def test_ages_stay_the_same_and_undrawn_within_a_minute(
    shared: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.timing.now = shared.timing.now // 60 * 60 + 2
    shared.app.ages.pass_minute()
    await shared.settle()
    drawn = watch_drawing(shared.rows, monkeypatch)
    shared.timing.now += 50
    await shared.settle()
    assert drawn == []
    await shared.press("j")
    row: FlagRow | None = shared.rows.row
    assert row is not None
    line = next(text for text in shared.screen.splitlines()[6:] if f" {row.key} " in text)
    age = require(re.search(r" (now|\d+[a-z]+) *▏?[^▏]*$", line.partition("▏")[0]))
    shared.see(f"changed {age[1]} ")


async def test_first_ages_are_exact_and_all_move_together(program: Program) -> None:
    session, first = program.app.app_state.session, program.timing.now
    assert session.now() == first
    program.timing.now += 59
    # Other settings leave what is on the screen as it is.
    program.app.app_state.session = replace(session, refresh=0)
    assert [session.now(), program.app.app_state.session.now()] == [first, first]
    assert program.app.app_state.session.next_ages == 1


async def test_minute_that_passes_while_the_app_closes_draws_nothing(program: Program) -> None:
    screen = program.app.screen
    program.app.exit()
    await screen.query(RowList).remove()
    program.app.ages.pass_minute()
    screen.post_message(ScreenResume())
    assert program.app.return_code == 0


def test_every_screen_with_ages_redraws_them_by_the_clock() -> None:
    """A screen that asks what minute it is has, itself or by its base, what redraws ages."""
    lacking = []
    for path in Path(flagtui.app.__file__).parent.rglob("*.py"):
        if "app_state.session.now()" not in path.read_text(encoding="utf-8"):
            continue
        for node in find_nodes(path, ast.ClassDef):
            text = ast.unparse(node)
            draws = re.search(r"_?app_state\.now\(\)", text) and "Static" in text
            if draws and "redraw_ages" not in text and "Screen[None]" in text:
                lacking.append(node.name)
    assert lacking == []


def read_export(folder: Path) -> str:
    return next(folder.glob("activity-1-*Z.md")).read_text()


@pytest.mark.usefixtures("berlin")
async def test_bare_times_are_local_on_every_screen(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(replace(setting, snapshots=True, size=(132, 40))) as program:
        await program.go_to("new-nav", "space", "y", "J", shows=("2026-03-02 10:00:", "CET"))
        await program.press("y")
        assert " CET** (09:00:" in program.app.clipboard
        screen = await on_activity(program)
        await program.press("down", "y")
        assert " CET (08:58:" in program.app.clipboard
        await program.press("ctrl+s")
        text = read_export(tmp_path)
        assert "\n## 2026-03-02 (Europe/Berlin)\n" in text
        assert " CET** (08:58:" in text
        await program.press("at", *"09:58", "enter", shows="@ 09:58 CET")
        assert screen.record is not None
        assert screen.record.at is not None
        assert abs(screen.record.at - (program.timing.now // 60 * 60 - 3 * 60)) < 120
        assert " CET " in program.screen.split("\n")[5]
        await program.press("escape", "1", "at", "enter", shows="09:00 or +2h, in CET (Europe/Berlin)")
        await program.press(*"2026-04-05 09:00", shows="Sunday, 2026-04-05 09:00 CEST (07:00 UTC)")
        await program.press("enter", shows="turned on, 2026-04-05 09:00 CEST (07:00 UTC)")
        await program.press("y")
        changes = await program.colleague().schedule.all({"record_id": program.row("new-nav").id})
        assert changes[0].raw["scheduled_at"].startswith("2026-04-05T07:00")
        await program.press("at", *"drop", shows="2026-04-05 09:00 CEST")
        await program.press("escape")
        await program.colleague().flags.update(program.row("export-parquet").id, {"active": False})
        program.timing.now += 7_200
        await program.press("f5", "equals_sign")
        line = program.app.screen.query_one(Input)
        assert line.placeholder.endswith("in CET")
        line.value = "11:30"
        await program.press("enter", shows=("compared with the copy of 2026-03-02 10:0", " CET "))
        program.see("~ export-parquet")


class DayAhead(httpx.AsyncBaseTransport):
    """A server whose clock is a day ahead."""

    def __init__(self, inner: httpx.AsyncBaseTransport, now: float) -> None:
        self.inner, self.date = inner, formatdate(now + 86_400, usegmt=True)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        response.headers["date"] = self.date
        return response


async def test_wrong_clock_of_this_machine_is_reported(program: Program) -> None:
    program.wire.inner = DayAhead(program.wire.inner, program.app.app_state.session.clock.time())
    program.app.open_connection()
    await program.settle(toast="This machine's clock is 24 hours behind the server's; ages are off")
