"""The tabs as widgets: one app, many flags, every width, and expensive patterns."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.doubles import quiet
from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive
from tests.doubles.flag_app import FlagApp
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.new_database import copy_tables
from tests.doubles.quiet import run_quietly
from tests.doubles.served_flags import Served
from tests.doubles.slices import FULL
from textual.app import ComposeResult
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


class Panes(FlagApp):
    """A tab of each kind, one at a time."""

    def __init__(self, project: Served) -> None:
        super().__init__()
        self.project = project
        self.told = evaluate_all(ADA.person({}, is_complete=True), project.definitions)

    def compose(self) -> ComposeResult:
        yield TextPane("overview", overview_lines)
        yield WhoPane("who", self.find)
        yield HistoryPane("history", self.read_log, self.read_version, lambda record, version: None)
        yield FlagJsonPane("json")

    async def find(self, subject: EvaluationSubject, flag: Flag) -> PersonEvaluation:
        return PersonEvaluation(subject, flag, None, {}, self.told, self.project.definitions)

    async def read_log(self, record: int) -> Sequence[Activity]:
        return self.project.entries[str(record)]

    async def read_version(self, record: int, number: int) -> FlagVersion:
        return FlagVersion()


async def test_every_tab_draws_every_flag_at_every_size(projects: Sequence[Served]) -> None:
    for place, project in enumerate(projects):
        flags = [Flag.of(raw) for raw in project.flags[:: max(1, len(project.flags) // 3)]]
        app = Panes(project)
        async with quiet.run_quietly(app, size=SIZES[0]) as pilot:
            panes = [pane for pane in app.query("*").results() if isinstance(pane, RecordPane)]
            show(panes, flags[0], 1)
            app.query_one("#whom-one", Input).value = "ada"
            app.query_one("#whom-one").focus()
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
        pane.show(Study(FlagDetails(flag.row(), flag), NOW))


class OnePane(FlagApp):
    """A hidden tab of lines."""

    def compose(self) -> ComposeResult:
        self.widths: list[int] = []
        yield TextPane("conditions", self.lines)

    def lines(self, study: Study, width: int) -> Iterator[list[Piece]]:
        self.widths.append(width)
        yield [(study.details.row.key, "")]


async def test_hidden_tab_is_not_drawn_before_its_layout() -> None:
    app, flag = OnePane(), Flag.of({"id": 1, "key": "a"})
    async with quiet.run_quietly(app, size=SIZES[0]) as pilot:
        pane, study = app.query_one(TextPane), Study(FlagDetails(flag.row(), flag), NOW)
        pane.display = False
        await pilot.pause()
        pane.show(study)
        assert app.widths == []
        pane.display = True
        await pilot.pause()
        pane.show(study)
        assert app.widths == [pane.size.width - 2]


KEY = "phx_who_costs"
COSTLY = next(number for number, each in enumerate(EXPENSIVE) if each.pattern == "(a|aa)+$")


class WhoApp(FlagApp):
    """The tab alone, before a client."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._local = LocalDefinitions(client, ProjectCohorts(client))

    def compose(self) -> ComposeResult:
        yield WhoPane("who", self._ask)

    async def _ask(self, subject: EvaluationSubject, flag: Flag) -> PersonEvaluation:
        return await evaluate_for(subject, flag, self._client, self._local)


async def test_expensive_patterns_never_block_the_event_loop(tmp_path: Path) -> None:
    service = create_service(copy_tables(tmp_path / "service.db"), key=KEY)
    await store_expensive(service, KEY)
    async with Client("http://127.0.0.1:1", KEY, 1, transport=in_process(service)) as client:
        rows = (await client.flags.page({"search": f"costly-{COSTLY}"})).rows
        flag = await client.flags.get(rows[0].id)
        app = WhoApp(client)
        async with run_quietly(app, size=(132, 60)) as pilot:
            pane = app.query_one(WhoPane)
            pane.show(Study(FlagDetails(flag.row(), flag), 1_780_000_000.0))
            app.query_one("#whom-one", Input).value = "ada"
            app.query_one("#whom-other", Input).value = f"eve p{COSTLY}={'a' * 80}!"
            app.query_one("#whom-one").focus()
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


class SlowPanes(Panes):
    """Evaluates once it may; `asked` has the flags."""

    def __init__(self, project: Served) -> None:
        super().__init__(project)
        self.asked: list[Flag] = []
        self.may = asyncio.Event()

    async def find(self, subject: EvaluationSubject, flag: Flag) -> PersonEvaluation:
        self.asked.append(flag)
        await self.may.wait()
        return await super().find(subject, flag)


async def test_flag_that_changes_meanwhile_is_evaluated_again(projects: Sequence[Served]) -> None:
    app = SlowPanes(projects[0])
    before, after = (Flag.of({**projects[0].flags[0], "active": active}) for active in (True, False))
    async with quiet.run_quietly(app, size=SIZES[0]) as pilot:
        pane = app.query_one(WhoPane)
        pane.show(Study(FlagDetails(before.row(), before), NOW))
        app.query_one("#whom-one", Input).value = "ada"
        app.query_one("#whom-one").focus()
        await pilot.press("enter")
        pane.show(Study(FlagDetails(after.row(), after), NOW))
        app.may.set()
        await quiet.settle(app)
        assert app.asked == [before, after]
