"""What the journal keeps of a step: enough to know later whether it was done, and to take it back."""

from collections.abc import Mapping
from typing import Final

from flagtui.api.errors import Invalid
from flagtui.api.variant_shipment import shipped
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags.flag_body import clean_filters
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON

CONCLUDED: Final = ("conclusion", "conclusion_comment")
RESET: Final = ("start_date", "end_date", *CONCLUDED, "archived")
"""What a reset erases."""
MAKING: Final[frozenset[StepName]] = frozenset({"create", "duplicate", "copy"})
"""Steps that make another experiment; the number in the journal is that one's, and 0 until it is known."""

Sides = tuple[dict[str, JSON], dict[str, JSON]]


def before_and_after(plan: ExperimentPlan) -> Sides:
    """Every value that the step changes, also those a person is told of in other words."""
    before, after = _sides(plan)
    flag = plan.fresh.feature_flag
    if flag is not None and plan.step.name in ("launch", "ship", "archive"):
        before |= {"feature_flag.id": flag.id, "feature_flag.key": flag.key}
    return before, after


def learned(step: StepName, record: Experiment) -> dict[str, JSON]:
    """What the server chose when the step was taken."""
    if step in MAKING:
        return {"name": record.name}
    return {"end_date": record.raw.get("end_date")} if step in ("end", "ship") else {}


def _sides(plan: ExperimentPlan) -> Sides:
    before = {move.where: move.line.before for move in plan.moves}
    after = {move.where: move.line.after for move in plan.moves}
    chosen = plan.choices
    said: dict[str, JSON] = {"conclusion": chosen.conclusion, "conclusion_comment": chosen.comment}
    match plan.step.name:
        case "end":
            # What is not said is erased.
            return _with(plan, (before, after), {name: value or None for name, value in said.items()})
        case "reset":
            return _with(plan, (before, after), {**dict.fromkeys(RESET), "archived": False})
        case "ship":
            sides = _with(plan, (before, after), {name: value for name, value in said.items() if value})
            return _shipped(plan, sides)
        case "archive" if chosen.disable_flag and plan.fresh.feature_flag is not None:
            name = "feature_flag.active"
            return {**before, name: plan.fresh.feature_flag.active}, {**after, name: False}
        case "duplicate" | "copy":
            return {"id": plan.id}, _copied(plan)
    return before, after


def _with(plan: ExperimentPlan, sides: Sides, values: Mapping[str, JSON]) -> Sides:
    old = {name: plan.fresh.raw.get(name) for name in values}
    return {**sides[0], **old}, {**sides[1], **values}


def _shipped(plan: ExperimentPlan, sides: Sides) -> Sides:
    """The flag's whole targeting instead of each share: the undo is a change of the flag."""
    flag = plan.fresh.feature_flag
    if flag is None:
        return sides
    try:
        filters = shipped(flag.filters, plan.choices.variant, plan.choices.everyone)
    except Invalid:
        return sides
    kept = [{name: side[name] for name in side if not name.startswith("filters.")} for side in sides]
    return {**kept[0], "filters": clean_filters(flag.filters)}, {**kept[1], "filters": clean_filters(filters)}


def _copied(plan: ExperimentPlan) -> dict[str, JSON]:
    chosen = plan.choices
    found: dict[str, JSON] = {"feature_flag_key": chosen.flag_key or plan.fresh.feature_flag_key}
    if chosen.name:
        found["name"] = chosen.name
    if chosen.project:
        found["project"] = chosen.project
    return found
