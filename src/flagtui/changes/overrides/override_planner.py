"""Plan overrides of flags on the values that the mirror serves now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flagtui.api.errors import ApiError
from flagtui.changes.overrides.override_plan import (
    OverrideIntent,
    OverrideMirror,
    OverridePlan,
    plan_override,
)
from flagtui.changes.overrides.override_save import OverrideAdapter
from flagtui.changes.planner import Planned, Planner, collect
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.models.mirror_state import MirrorState


@dataclass
class OverridePlanner(Planner[OverrideIntent, OverridePlan, MirrorState]):
    """Plans overrides of flags in one mirror."""

    mirror: OverrideMirror = field(kw_only=True)
    is_local = True
    is_listed = False

    def name(self, request: OverrideIntent) -> str:
        return request.key

    async def plan(self, requests: Sequence[OverrideIntent]) -> Planned[OverrideIntent, OverridePlan]:
        try:
            state = await self.mirror.read()
        except ApiError as error:
            return Planned(None, skipped=[skip(each.id, each.key, error) for each in requests])
        adapter = OverrideAdapter(self.mirror)
        return collect(adapter, [(each, self._plan(each, state)) for each in requests])

    def _plan(self, intent: OverrideIntent, state: MirrorState) -> OverridePlan | Skipped:
        plan = plan_override(intent, state, self.context.clock.time())
        if isinstance(plan, Blocked):
            return skip(intent.id, intent.key, plan)
        if plan is not None:
            return plan
        override = intent.override
        words = "has no override" if override is None else f"is overridden with {override.words} already"
        return skip_no_op(intent.id, intent.key, f"it {words}", f"{intent.key} {words}; nothing was changed.")
