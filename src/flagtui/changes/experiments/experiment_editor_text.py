"""An experiment as JSON for an editor."""

from flagtui.changes.experiments.experiment_fields import problems_in_fields, stored_field
from flagtui.changes.record_text import RecordText
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EXPERIMENT_FIELDS


def editable(fresh: Experiment) -> dict[str, JSON]:
    """The fields that can be edited now, as they are stored."""
    left_out = EXPERIMENT_FIELDS.having("for drafts") if fresh.state != "draft" else frozenset()
    names = [name for name in EXPERIMENT_FIELDS.edited if name in fresh.raw and name not in left_out]
    if fresh.is_mostly_fixed:
        names = [name for name in names if name in EXPERIMENT_FIELDS.having("old engine")]
    return {name: stored_field(fresh, name) for name in names}


def experiment_text(fresh: Experiment) -> RecordText:
    """What the editor opens."""
    return RecordText(
        name=fresh.name,
        about=f"experiment {fresh.id}",
        file=f"experiment-{fresh.id}",
        shown=editable(fresh),
        problems=lambda changed: [*problems_in_fields(changed)],
    )
