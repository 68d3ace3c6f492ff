"""Actions on a mirror: choose a value or a share, and hand the override to the pipeline."""

from collections.abc import Iterator, Sequence
from typing import Final

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.flags.flag_columns import upstream_words
from flagtui.app.flags.flag_reader import read_flag
from flagtui.app.shell.change_tasks import OnReport
from flagtui.app.state.app_state import AppState
from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.overrides.override_plan import OverrideIntent
from flagtui.changes.overrides.override_planner import OverridePlanner
from flagtui.models.override import Override, Share
from flagtui.models.rows import FlagRow
from flagtui.text.formats import share_of

NONE: Final = ""
"""The choice that removes an override."""
HERE: Final = "on this machine only"


class OverrideEdits:
    """Starts overrides of the chosen flags while a mirror is open. Only within `ChangeRunner.run`."""

    def __init__(
        self, app_state: AppState, runner: ChangeRunner, on_report: OnReport, mirror: MirrorWatch
    ) -> None:
        self._app_state = app_state
        self._runner = runner
        self._on_report = on_report
        self._mirror = mirror

    async def choose(self, rows: Sequence[FlagRow]) -> None:
        """Ask for on, off, a variant for everyone, or no override."""
        choices = [*self._choices(rows, await self._variants(rows))]
        value = await self._runner.ask(PickerScreen(f"Override {_whose(rows)}, {HERE}", choices))
        if value is not None:
            await self._override(rows, value or None)

    async def share(self, rows: Sequence[FlagRow]) -> None:
        """Ask for a share of everyone, chosen by each flag's own bucketing."""
        about = f"A share of everyone, chosen by the flag's own bucketing, {HERE}."
        prompt = Prompt(f"Override {_whose(rows)}", about, hint="20", read=_read_share)
        line = await self._runner.ask(PromptScreen(prompt))
        share = None if line is None else share_of(line)
        if share is not None:
            await self._override(rows, str(Share(share)))

    async def _variants(self, rows: Sequence[FlagRow]) -> Sequence[str]:
        """Return the variants of a single flag that has some."""
        if len(rows) != 1 or rows[0].type == "boolean":
            return ()
        flag = await read_flag(rows[0], self._app_state, self._runner)
        return [] if flag is None else [variant.key for variant in flag.targeting.variants]

    def _choices(self, rows: Sequence[FlagRow], variants: Sequence[str]) -> Iterator[Choice[str]]:
        current = [self._mirror.state.override_at(row.key) for row in rows]
        values = {NONE if each is None else each.override.value_text for each in current}
        now = values.pop() if len(values) == 1 else None
        upstream = f"as upstream: {upstream_words(rows[0])}" if len(rows) == 1 else "each as upstream"
        yield Choice("on", "on", "for everyone", now == "on")
        yield Choice("off", "off", "for everyone", now == "off")
        for variant in variants:
            value = Override(rows[0].key, variant).value_text
            yield Choice(value, variant, "variant, for everyone", now == value)
        yield Choice(NONE, "no override", upstream, now == NONE)

    async def _override(self, rows: Sequence[FlagRow], value: str | None) -> None:
        workspace = self._runner.open_workspace()
        if workspace is None:
            return
        intents = [OverrideIntent(row.id, row.key, value) for row in rows]
        planner = OverridePlanner(WorkspaceContext(self._app_state, workspace), mirror=self._mirror)
        await self._runner.write(intents, planner, self._on_report)


def _whose(rows: Sequence[FlagRow]) -> str:
    return rows[0].key if len(rows) == 1 else f"{len(rows):,} flags"


def _read_share(line: str) -> PromptReading:
    share = share_of(line)
    if share is None:
        return PromptReading(problem="a number from 0 to 100")
    return PromptReading([(f"{share:g} % of everyone, {HERE}", "$text-muted")])
