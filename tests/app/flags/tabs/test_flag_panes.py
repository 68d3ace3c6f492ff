"""The tabs as widgets: one app, many flags, every width, and expensive patterns."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

from tests.doubles import quiet
from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive
from tests.doubles.flag_app import FlagApp
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.new_database import copy_tables
from tests.doubles.served_flags import Served
from tests.doubles.slices import FULL
from textual.events import Resize
from textual.geometry import Size
from textual.widgets import Input

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.app.flags.tabs.history_tab import HistoryPane
from flagtui.app.flags.tabs.overview_tab import overview_lines
from flagtui.app.flags.tabs.tab_pane import FlagJsonPane, Study, TextPane
from flagtui.app.flags.tabs.who_tab import WhoPane
from flagtui.app.records.record_screen import RecordPane
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.subject_evaluations import evaluate_for
from flagtui.evaluate.flags import evaluate_all
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.flag_details import FlagDetails
from flagtui.models.flag_responses import FlagVersion
from flagtui.service import close_service, create_service
from flagtui.text.styled import Piece

SIZES = ((132, 40), (80, 24), (60, 15))
NOW = 1_780_000_000.0
ADA = EvaluationSubject("ada", {"email": "ada@acme.com"})


Ask = Callable[[EvaluationSubject, Flag], Awaitable[PersonEvaluation]]


def values_of(project: Served) -> Ask:
    values = evaluate_all(ADA.person({}, is_complete=True), project.definitions)

    async def find(subject: EvaluationSubject, flag: Flag) -> PersonEvaluation:
        return PersonEvaluation(subject, flag, None, {}, values, project.definitions)

    return find


def all_tabs(project: Served) -> FlagApp:
    """A tab of each kind, one at a time."""

    async def read_log(record: int) -> Sequence[Activity]:
        return project.entries[str(record)]

    async def read_version(record: int, number: int) -> FlagVersion:
        return FlagVersion()

    history = HistoryPane("history", read_log, read_version, lambda record, version: None)
    overview, who = TextPane("overview", overview_lines), WhoPane("who", values_of(project))
    return FlagApp(overview, who, history, FlagJsonPane("json"))


def study(flag: Flag) -> Study:
    return Study(FlagDetails(flag.row(), flag), NOW)


def ask_about(app: FlagApp, person: str, other: str = "") -> None:
    """Type the people whose values are to be shown."""
    app.query_one("#whom-one", Input).value = person
    app.query_one("#whom-other", Input).value = other
    app.query_one("#whom-one").focus()


async def test_every_tab_draws_every_flag_at_every_size(projects: Sequence[Served]) -> None:
    for place, project in enumerate(projects):
        flags = [Flag.of(raw) for raw in project.flags[:: max(1, len(project.flags) // 3)]]
        app = all_tabs(project)
        async with quiet.run_quietly(app, size=SIZES[0]) as pilot:
            panes = [pane for pane in app.query("*").results() if isinstance(pane, RecordPane)]
            show(panes, flags[0], 1)
            ask_about(app, "ada")
            await pilot.press("enter")
            for number, flag in enumerate(flags, place):
                # In a short run each flag has its turn at one of the sizes.
                for size in SIZES if FULL else (SIZES[number % len(SIZES)],):
                    app.post_message(Resize(Size(*size), Size(*size)))
                    show(panes, flag, number % len(panes))
                    await quiet.settle(app)
                    drawn = "".join(strip.text for strip in app.screen._compositor.render_strips())
                    assert len(drawn.strip()) > 20, flag.key


def show(panes: Sequence[RecordPane], flag: Flag, place: int) -> None:
    """Every tab learns of the flag; one of them is open."""
    for pane in panes:
        pane.display = pane is panes[place]
        pane.show(study(flag))


async def test_hidden_tab_is_not_drawn_before_its_layout() -> None:
    widths, shown = list[int](), study(Flag.of({"id": 1, "key": "a"}))

    def lines(study: Study, width: int) -> Iterator[list[Piece]]:
        widths.append(width)
        yield [(study.details.row.key, "")]

    pane = TextPane("conditions", lines)
    async with quiet.run_quietly(FlagApp(pane), size=SIZES[0]) as pilot:
        pane.display = False
        await pilot.pause()
        pane.show(shown)
        assert widths == []
        pane.display = True
        await pilot.pause()
        pane.show(shown)
        assert widths == [pane.size.width - 2]


KEY = "phx_who_costs"
COSTLY = next(number for number, each in enumerate(EXPENSIVE) if each.pattern == "(a|aa)+$")


async def test_expensive_patterns_never_block_the_event_loop(tmp_path: Path) -> None:
    service = create_service(copy_tables(tmp_path / "service.db"), key=KEY)
    await store_expensive(service, KEY)
    async with Client("http://127.0.0.1:1", KEY, 1, transport=in_process(service)) as client:
        rows = (await client.flags.page({"search": f"costly-{COSTLY}"})).rows
        flag = await client.flags.get(rows[0].id)
        local = LocalDefinitions(client, ProjectCohorts(client))
        app = FlagApp(
            pane := WhoPane("who", lambda subject, flag: evaluate_for(subject, flag, client, local))
        )
        async with quiet.run_quietly(app, size=(132, 60)) as pilot:
            pane.show(study(flag))
            ask_about(app, "ada", f"eve p{COSTLY}={'a' * 80}!")
            await pilot.pause()
            async with LoopBlocks() as blocks:
                await pilot.press("enter")
                await app.workers.wait_for_complete()
            await pilot.pause()
            shown = "".join(strip.text for strip in app.screen._compositor.render_strips())
    close_service(service)
    assert "too costly to evaluate here: (a|aa)+$" in shown
    assert "flags have a pattern that is too costly to evaluate here" in shown
    assert blocks.longest < 0.2


async def test_flag_that_changes_meanwhile_is_evaluated_again(projects: Sequence[Served]) -> None:
    evaluated, may, find = list[Flag](), asyncio.Event(), values_of(projects[0])

    async def find_slowly(subject: EvaluationSubject, flag: Flag) -> PersonEvaluation:
        evaluated.append(flag)
        await may.wait()
        return await find(subject, flag)

    before, after = (Flag.of({**projects[0].flags[0], "active": active}) for active in (True, False))
    app = FlagApp(pane := WhoPane("who", find_slowly))
    async with quiet.run_quietly(app, size=SIZES[0]) as pilot:
        pane.show(study(before))
        ask_about(app, "ada")
        await pilot.press("enter")
        pane.show(study(after))
        may.set()
        await quiet.settle(app)
        assert evaluated == [before, after]
