"""What only the server knows about a step before it is taken."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.steps import ExperimentIntent
from flagtui.models.experiment import Experiment
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.api import Client


async def gather_for_step(
    intent: ExperimentIntent, fresh: Experiment, client: "Client", rows: Sequence[FlagRow]
) -> StepContext:
    """`rows` are the flags that are known. Hints that cannot be had are left out: the server decides."""
    context = StepContext(flag_keys=frozenset(row.key for row in rows))
    flag = fresh.feature_flag
    try:
        if intent.step.name == "launch" and (events := events_measured(fresh)):
            needs_code = await client.results.requires_flag_implementation(events)
            context = replace(context, needs_code=needs_code)
        if flag is not None and (intent.step.name == "pause" or intent.choices.disable_flag):
            off = {row.id for row in rows if not row.active}
            found = await client.flags.dependents(flag.id)
            context = replace(context, dependents=tuple(one.key for one in found if one.id not in off))
    except ApiError:
        return context
    return context
