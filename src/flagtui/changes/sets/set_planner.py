"""Plan a change set as a whole: every change on the current records and the state after all of them.

The order is one in which the server refuses no change because of another.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.event_definitions.definition_planner import EventPlanner
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_planner import StepPlanner
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.changes.flags.flag_intent import LASTING, Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_planner import FlagPlanner, NewFlag, NewFlagPlanner
from flagtui.changes.flags.flags_together import skip_unplanned
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.planner import Planned, Planner, read_each
from flagtui.changes.proposal import Proposal
from flagtui.changes.send_order import send_order
from flagtui.changes.sets.after_set import AfterSet, base_on, references_in, values_on
from flagtui.changes.sets.change_set import StagedChange
from flagtui.changes.sets.outdated import OutdatedChange, OutdatedChanges, Record, name_of
from flagtui.changes.sets.set_adapter import SetAdapter
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.models.flag import Flag
from flagtui.models.json_value import as_id
from flagtui.store.kinds import EXPERIMENTS, FLAGS

LISTED: Final = 1.0
"""The time of reading of a plan on a list: so long ago that the flag is read again before it is sent."""
_LASTING: Final = Blocked("permanent", "a permanent delete cannot be part of a set", "delete it directly")
Result: TypeAlias = Proposal | Skipped | OutdatedChange


@dataclass
class SetPlanner(Planner[StagedChange, Proposal, Flag]):
    """Plans the changes of a set."""

    changes: Sequence[StagedChange] = field(kw_only=True)
    """All changes of the set, also those that are applied already."""
    new_ids: dict[str, int] = field(default_factory=dict)
    """The numbers of flags that the set has created already, by their names in the set."""
    since: OutdatedChanges = field(kw_only=True)
    """Compares the changes with the current records."""
    is_overwriting: bool = False
    """Whether records that have changed since are planned too, and conflicting values overwritten."""
    outdated: list[OutdatedChange] = field(default_factory=list)
    """After `plan`: changes that are not planned because their record has changed since."""
    done: list[StagedChange] = field(default_factory=list)
    """After `plan`: no-ops, whose record has the values already."""

    def name(self, request: StagedChange) -> str:
        return request.key

    async def plan(self, requests: Sequence[StagedChange]) -> Planned[StagedChange, Proposal]:
        """Read every record once and plan its change on the state after the set. Raises ApiError."""
        after = AfterSet(self.context, self.changes)
        await self._use_list(requests)
        listed = frozenset(self.fresh)
        flag_planner = FlagPlanner(after, is_part=True)
        new = await self._plan_new([change for change in requests if change.is_new], after)

        async def plan(change: StagedChange) -> Result:
            if change.is_new:
                return new[change.key]
            if change.kind == "flag":
                result = await self._plan_flag(change, flag_planner, is_alone=len(requests) == 1)
                return _as_listed(result, listed)
            if change.kind == EXPERIMENTS.entry:
                return await self._plan_experiment(change)
            return await self._plan_event(change, after)

        results = await read_each(requests, plan)
        self.outdated = [result for _, result in results if isinstance(result, OutdatedChange)]
        skipped = [result for _, result in results if isinstance(result, Skipped)]
        self.done = [change for change, result in results if isinstance(result, Skipped) and result.is_no_op]
        planned = [
            (change, result) for change, result in results if not isinstance(result, OutdatedChange | Skipped)
        ]
        if len(planned) == 1 < len(requests) and isinstance(planned[0][1], Plan):
            planned = [await self._plan_alone(*planned[0], flag_planner)]
        for refused, blocked in refused_references([plan for _, plan in planned], self.new_ids):
            skipped.append(skip(refused.id, refused.key, blocked))
            planned = [pair for pair in planned if pair[1] is not refused]
        requested = {id(plan): change for change, plan in planned}
        plans = sort_plans([plan for _, plan in planned])
        adapter = SetAdapter(self.context.client, self.new_ids)
        return Planned(adapter, plans, [requested[id(plan)] for plan in plans], skipped)

    async def _use_list(self, requests: Sequence[StagedChange]) -> None:
        """Plan several flags on one list; the check before the first request compares it with the flags."""
        changes = {change.record: change for change in requests if change.kind == FLAGS.entry}
        if len(changes) < 2:
            return
        for raw in await self.context.listed_flags():
            change = changes.get(as_id(raw.get("id")) or 0)
            # A list shows encrypted payloads masked, and older servers omit fields from it.
            if change is not None and change.base.keys() | {"version", "active", "filters"} <= raw.keys():
                flag = Flag.of(raw)
                if not flag.has_encrypted_payloads:
                    self.fresh[flag.id] = flag

    async def _plan_new(self, changes: Sequence[StagedChange], after: AfterSet) -> dict[str, Result]:
        """Plan the new flags by key, with one read of the keys in use; the set makes none of them free."""
        if not changes:
            return {}
        planned = await NewFlagPlanner(after).plan([NewFlag(change.values) for change in changes])
        by_key: dict[str, Result] = {plan.key: plan for plan in planned.plans}
        return by_key | {skipped.key: skipped for skipped in planned.skipped}

    async def _plan_flag(self, change: StagedChange, planner: FlagPlanner, *, is_alone: bool) -> Result:
        number = int(change.record)
        fresh = self.fresh.pop(number, None)
        try:
            fresh = fresh or await self.context.read_flag(number)
        except ApiError as error:
            return skip(number, change.key, error)
        outdated = await self.since.compare_off_loop(fresh, change)
        if (settled := self._settle(change, fresh, outdated)) is not None:
            return settled
        base = {} if outdated is None else base_on(fresh, change)
        values = values_on(fresh, change)
        intent = Intent(number, values, change.verb, seen=base, seen_version=change.version)
        planner.fresh[number] = fresh
        reading = await planner.read(intent, is_one_of_many=not is_alone)
        if isinstance(reading, Skipped):
            return reading
        result = await reading.plan_off_loop(frozenset())
        if not isinstance(result, Plan):
            return skip_unplanned(fresh, result)
        if result.verb.name == LASTING:
            return skip(fresh.id, fresh.key, _LASTING)
        return _with_conflicts(result, outdated)

    async def _plan_alone(
        self, change: StagedChange, result: Proposal, planner: FlagPlanner
    ) -> tuple[StagedChange, Proposal]:
        """Plan the only change that the question is about, with its reach."""
        alone = result if change.is_new else await self._plan_flag(change, planner, is_alone=True)
        return change, alone if isinstance(alone, Plan) else result

    async def _plan_event(self, change: StagedChange, after: AfterSet) -> Result:
        record = str(change.record)
        try:
            fresh = await self.context.read_event(record)
        except ApiError as error:
            return skip(record, change.key, error)
        outdated = await self.since.compare_off_loop(fresh, change)
        if (settled := self._settle(change, fresh, outdated)) is not None:
            return settled
        intent = EventIntent(record, change.values, change.verb, change.base)
        planned = await EventPlanner(after, {record: fresh}).plan([intent])
        result: Result = planned.plans[0] if planned.plans else planned.skipped[0]
        return _with_conflicts(result, outdated)

    async def _plan_experiment(self, change: StagedChange) -> Result:
        record = int(change.record)
        try:
            fresh = await self.context.read_experiment(record)
        except ApiError as error:
            return skip(record, change.key, error)
        outdated = await self.since.compare_off_loop(fresh, change)
        if (settled := self._settle(change, fresh, outdated)) is not None:
            return settled
        archived, choices = change.values.get("archived"), Choices(fields=change.values)
        step = STEPS["edit" if archived is None else "archive" if archived else "unarchive"]
        intent = ExperimentIntent(record, step, choices if archived is None else Choices())
        planned = await StepPlanner(self.context, {record: fresh}).plan([intent])
        result: Result = planned.plans[0] if planned.plans else planned.skipped[0]
        return _with_conflicts(result, outdated)

    def _settle(
        self, change: StagedChange, fresh: Record, outdated: OutdatedChange | None
    ) -> OutdatedChange | Skipped | None:
        """Return why the change needs no plan, or cannot have one; None when it is planned."""
        if outdated is not None and outdated.is_in_effect:
            return skip_no_op(change.record, change.key, outdated.words)
        if outdated is None and (name := name_of(fresh)) != change.key:
            # Reviewers of the set read the name, and the request has the id.
            other = Blocked("record", f"its id {change.record} is that of {name}", "make the change again")
            return skip(change.record, change.key, other)
        return None if self.is_overwriting else outdated


def _with_conflicts(result: Result, outdated: OutdatedChange | None) -> Result:
    """Return the plan with the values that both sides changed, those of this user marked."""
    if outdated is None or not isinstance(result, Plan | EventPlan | ExperimentPlan):
        return result
    return replace(result, conflicts=outdated.conflicts)


def _as_listed(result: Result, listed: Container[int | str]) -> Result:
    """Return the plan on a listed flag as an old one, so that the flag is read before the first request."""
    is_listed = isinstance(result, Plan) and result.id in listed
    return replace(result, read_at=LISTED) if isinstance(result, Plan) and is_listed else result


def refused_references(plans: Sequence[Proposal], created: Collection[str]) -> Iterator[tuple[Plan, Blocked]]:
    """Yield the plans that depend on a new flag that the set does not create, or creates turned off.

    `created` has the names of new flags that exist already. Servers refuse both with the first request.
    """
    flags = [plan for plan in plans if isinstance(plan, Plan)]
    new = {f"{NEW_FLAG}{plan.key}": plan for plan in flags if plan.is_new}
    for plan in flags:
        names = (name for name in references_in(plan.values) if isinstance(name, str))
        for name in names:
            if (
                name.startswith(NEW_FLAG)
                and name not in created
                and (blocked := _refusal(name, new.get(name)))
            ):
                yield plan, blocked
                break


def _refusal(name: str, plan: Plan | None) -> Blocked | None:
    key = name.removeprefix(NEW_FLAG)
    if plan is None:
        reason = f"it depends on {key}, which the set does not create"
        return Blocked("dependencies", reason, "stage that flag too, or edit the conditions")
    if plan.values.get("active") is False:
        reason = f"it depends on {key}, which the set creates turned off"
        return Blocked("dependencies", reason, "stage that flag turned on, or edit the conditions")
    return None


def sort_plans(plans: Sequence[Proposal]) -> list[Proposal]:
    """Return the plans with dependencies first: flags are created and turned on before their dependents.

    Flags are turned off, deleted and freed of dependencies before their dependencies. Otherwise the order
    stays.
    """
    flags = {_name_of(plan): plan for plan in plans if isinstance(plan, Plan)}
    # Records of other kinds can have the number of a flag.
    places = {_name_of(plan): place for place, plan in enumerate(plans) if isinstance(plan, Plan)}
    first: dict[int, list[int]] = {place: [] for place in range(len(plans))}
    for name, plan in flags.items():
        for earlier, later in _pairs(name, plan, flags):
            first[places[later]].append(places[earlier])
    return [plans[place] for place in send_order(first, first)]


def _pairs(
    name: int | str, plan: Plan, flags: dict[int | str, Plan]
) -> Iterator[tuple[int | str, int | str]]:
    """Yield the pairs of names that this plan orders, the earlier one first."""
    before = {*references_in({"filters": plan.fresh.filters})}
    after = {*references_in(plan.values)} if "filters" in plan.values else before
    for other in (before | after) & flags.keys():
        if other == name:
            continue
        if other not in after or _goes_down(flags[other]):
            yield name, other
        else:
            yield other, name


def _name_of(plan: Plan) -> int | str:
    return f"{NEW_FLAG}{plan.key}" if plan.is_new else plan.id


def _goes_down(plan: Plan) -> bool:
    is_off = plan.values.get("active") is False or plan.values.get("deleted") is True
    return is_off and not plan.is_new
