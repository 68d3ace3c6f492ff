"""An experiment as a text to edit, and back: only what differs is an edit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import CONCLUSIONS, FOR_DRAFTS, stored_field
from flagtui.changes.experiments.step_refusals import EDITABLE_OLD
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON

EDITABLE: Final[Mapping[str, type]] = {
    "name": str,
    "description": str,
    "conclusion": str,
    "conclusion_comment": str,
    "metrics": list,
    "metrics_secondary": list,
    "saved_metrics_ids": list,
    "exposure_criteria": dict,
    "stats_config": dict,
    "holdout_id": int,
    "parameters": dict,
}
"""Fields that can be edited, and what each has to be where it is not null."""
_NEVER_NULL: Final = ("name", "metrics", "metrics_secondary", "saved_metrics_ids", "parameters")


@dataclass(frozen=True, slots=True)
class Draft:
    """What an edited text asks for."""

    fields: Mapping[str, JSON]
    seen: Mapping[str, JSON]


def editable(fresh: Experiment) -> dict[str, JSON]:
    """The fields that can be edited now, as they are stored."""
    names = [name for name in EDITABLE if name in fresh.raw]
    if fresh.is_mostly_fixed:
        names = [name for name in names if name in EDITABLE_OLD]
    if fresh.state != "draft":
        names = [name for name in names if name not in FOR_DRAFTS]
    return {name: stored_field(fresh, name) for name in names}


def as_text(fresh: Experiment) -> str:
    """The fields that can be edited now, as JSON."""
    return json.dumps(editable(fresh), indent=2, ensure_ascii=False) + "\n"


def from_text(text: str, fresh: Experiment) -> Draft | str:
    """The edit, or why the text is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as fault:
        return f"it is not JSON: {fault}"
    if not isinstance(found, dict):
        return "it has to be one object"
    for name, value in found.items():
        if why := _fault(name, value):
            return why
    fields = {name: value for name, value in found.items() if not same(stored_field(fresh, name), value)}
    return Draft(fields, {name: stored_field(fresh, name) for name in fields})


def _fault(name: str, value: JSON) -> str:
    if name not in EDITABLE:
        return f"{name} cannot be edited here"
    if value is None:
        return f"{name} cannot be null" if name in _NEVER_NULL else ""
    if not isinstance(value, EDITABLE[name]):
        kinds: dict[type, str] = {str: "text", list: "a list", dict: "an object", int: "a number"}
        return f"{name} has to be {kinds[EDITABLE[name]]}"
    if name == "conclusion" and value not in CONCLUSIONS:
        return f"conclusion has to be one of {', '.join(CONCLUSIONS)}, or null"
    return ""
