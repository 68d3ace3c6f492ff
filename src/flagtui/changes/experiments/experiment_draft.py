"""An experiment being edited: values to change freely, what is wrong with them, and what differs.

What is not touched stays as it is stored, also unknown keys of metrics and settings.
"""

import copy
from collections.abc import Mapping
from typing import Final, Literal

from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_editor_text import editable
from flagtui.changes.experiments.experiment_fields import (
    BASELINE,
    METRICS,
    problems_in_fields,
    share_sum,
    variants_in,
)
from flagtui.changes.experiments.metric_nodes import events_of
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.changes.flags.targeting_intents import even_shares
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS

Role = Literal["primary", "secondary"]
Place = Literal["metrics", "metrics_secondary", "saved_metrics_ids"]
ROLES: Final[Mapping[Role, Place]] = {"primary": "metrics", "secondary": "metrics_secondary"}
_EMPTY: Final[Mapping[str, JSON]] = {
    name: field.blank
    for name, field in EXPERIMENT_FIELDS.items()
    if field.is_edited and name not in ("name", "parameters", "conclusion", "conclusion_comment")
}
"""What a new experiment has when nothing more is said; the server fills in the project's ways."""


class ExperimentCopy:
    """The values as the person has them now. Places of metrics and variants count from 0."""

    def __init__(self, fresh: Experiment, values: Mapping[str, JSON], *, has_own_flag: bool) -> None:
        self.fresh = fresh
        self.values: dict[str, JSON] = copy.deepcopy(dict(values))
        self.has_own_flag = has_own_flag
        """Whether variants and shares are set here, and not by a flag that has a life of its own."""
        self.unseen_events: set[str] = set()
        """Names of events that were taken although none was sent yet."""
        self._at_first: dict[str, JSON] = copy.deepcopy(self.values)

    @classmethod
    def of(cls, fresh: Experiment) -> "ExperimentCopy":
        """A copy of what can be edited now."""
        found, flag = editable(fresh), fresh.feature_flag
        is_launched = fresh.start_date is not None
        # A flag that is on serves people already: who gets what is changed there.
        has_own_flag = bool(variants_in(found.get("parameters"))) and flag is not None and not flag.active
        kept_back = {"parameters"} if not has_own_flag else set()
        kept_back |= set() if is_launched else {"conclusion", "conclusion_comment"}
        values = {name: value for name, value in found.items() if name not in kept_back}
        return cls(fresh, values, has_own_flag=has_own_flag)

    @classmethod
    def new(cls, name: str, flag_key: str, *, is_linked: bool) -> "ExperimentCopy":
        """For an experiment that is not there yet, on a flag that is there or one made with it."""
        made = cls(Experiment.of({"id": 0, "name": name}), {"name": name, **_EMPTY}, has_own_flag=False)
        made.change_flag(flag_key, is_linked=is_linked)
        made._at_first = copy.deepcopy(made.values)
        return made

    def change_flag(self, key: str, *, is_linked: bool) -> None:
        """Another flag for an experiment that is not there yet; a linked one keeps the variants it has."""
        self.fresh = Experiment.of({"id": 0, "name": self.fresh.name, "feature_flag_key": key})
        self.has_own_flag = not is_linked
        if is_linked:
            self.values.pop("parameters", None)
        elif "parameters" not in self.values:
            shares = zip((BASELINE, "test"), even_shares(2), strict=True)
            variants: list[JSON] = [{"key": key, "rollout_percentage": share} for key, share in shares]
            self.values["parameters"] = {"feature_flag_variants": variants, "rollout_percentage": 100}

    @property
    def is_new(self) -> bool:
        return self.fresh.id == 0

    @property
    def is_changed(self) -> bool:
        """Whether anything would be lost by forgetting it."""
        return not same(self.values, self._at_first)

    @property
    def problems(self) -> list[str]:
        """What a strict server would refuse; top to bottom."""
        return list(problems_in_fields(self.values if self.is_new else self.changes))

    @property
    def changes(self) -> dict[str, JSON]:
        """Fields that differ from what was there; for a new one, from what it has when nothing is said."""
        start: Mapping[str, JSON] = _EMPTY if self.is_new else self._at_first
        found = {
            name: value
            for name, value in self.values.items()
            if name not in start or not same(value, start[name])
        }
        if self.is_new:
            found.pop("name", None)
        if self.unseen_events & self._events_in(found):
            found["allow_unknown_events"] = True
        return found

    def intent(self) -> ExperimentIntent | None:
        """The step that saves it; None when everything is as it was."""
        changes = self.changes
        if self.is_new:
            name = as_text(self.values["name"]).strip()
            choices = Choices(name=name, flag_key=self.fresh.feature_flag_key, fields=changes)
            return ExperimentIntent(0, STEPS["create"], choices)
        if not changes:
            return None
        seen = {name: self._at_first[name] for name in changes if name in self._at_first}
        return ExperimentIntent(self.fresh.id, STEPS["edit"], Choices(fields=changes, seen=seen))

    def set(self, name: str, value: JSON) -> None:
        """One field."""
        self.values[name] = value

    def settings(self, name: str) -> dict[str, JSON]:
        """The parts of a field themselves, to be changed."""
        if not isinstance(self.values.get(name), dict):
            self.values[name] = {}
        return as_dict(self.values[name])

    # Metrics

    def metrics(self, place: Place) -> list[JSON]:
        """The metrics of a role, or the shared ones, themselves, to be changed."""
        if not isinstance(self.values.get(place), list):
            self.values[place] = []
        return as_list(self.values[place])

    def remove_metric(self, place: Place, at: int) -> None:
        del self.metrics(place)[at]

    def move_metric(self, place: Place, at: int, to: int) -> bool:
        """False at the ends, and for shared ones, whose order is not kept."""
        metrics = self.metrics(place)
        if place == "saved_metrics_ids" or not 0 <= to < len(metrics):
            return False
        metrics.insert(to, metrics.pop(at))
        return True

    def change_role(self, place: Place, at: int) -> None:
        """Primary becomes secondary, and the other way round."""
        if place == "saved_metrics_ids":
            link = as_dict(self.metrics(place)[at])
            kept = as_dict(link.get("metadata"))
            role = "primary" if kept.get("type") == "secondary" else "secondary"
            link["metadata"] = {**kept, "type": role}
            return
        other: Place = "metrics_secondary" if place == "metrics" else "metrics"
        self.metrics(other).append(self.metrics(place).pop(at))

    def share_metric(self, id: int, role: Role) -> None:
        """Use a shared metric as well."""
        self.metrics("saved_metrics_ids").append({"id": id, "metadata": {"type": role}})

    @staticmethod
    def _events_in(fields: Mapping[str, JSON]) -> frozenset[str]:
        metrics = [as_dict(one) for name in METRICS for one in as_list(fields.get(name))]
        return frozenset(event for metric in metrics for event in events_of(metric))

    # Variants

    @property
    def variants(self) -> list[JSON]:
        """The variants themselves, to be changed; empty where a flag decides."""
        return variants_in(self.values.get("parameters")) if self.has_own_flag else []

    @property
    def share_sum(self) -> float:
        """In percent; has to be 100."""
        return share_sum(self.variants)

    def add_variant(self, key: str) -> None:
        """Without a share, so that the others keep theirs until shares are distributed."""
        self.variants.append({"key": key, "rollout_percentage": 0})

    def remove_variant(self, at: int) -> None:
        del self.variants[at]

    def distribute(self) -> None:
        """Equal shares, as whole numbers."""
        if self.variants:
            for variant, share in zip(self.variants, even_shares(len(self.variants)), strict=True):
                as_dict(variant)["rollout_percentage"] = share

    def variant_problem(self, key: str, itself: str = "") -> str:
        """Why a variant cannot have this key; empty when it can."""
        if not is_plain_key(key):
            return "letters, digits, - and _, up to 400 of them"
        taken = key != itself and key in {as_text(as_dict(one).get("key")) for one in self.variants}
        return "there is already a variant with this key" if taken else ""
