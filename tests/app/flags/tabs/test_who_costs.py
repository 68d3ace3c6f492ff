"""The Who tab with fifty expensive patterns: the app stays responsive and reports unknown values."""

from pathlib import Path

from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive
from tests.doubles.flag_app import FlagApp
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.new_database import copy_tables
from tests.doubles.quiet import run_quietly
from textual.app import ComposeResult
from textual.widgets import Input

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.flags.tabs.who_tab import WhoPane
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation, evaluate_for
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.models.flag import Flag
from flagtui.models.flag_details import FlagDetails
from flagtui.service import close_service, create_service

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
