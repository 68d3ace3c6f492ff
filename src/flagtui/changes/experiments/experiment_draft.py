"""An experiment being edited: values to change freely, their problems, and the differences."""

from collections.abc import Mapping
from typing import Final, Literal

from flagtui.changes.difference import same
from flagtui.changes.draft import Draft, move
from flagtui.changes.editor_text import RecordText
from flagtui.changes.experiments.experiment_fields import (
    BASELINE,
    problems_in_fields,
    stored_field,
    variants_in,
)
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.changes.shares import even_shares
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS

Role = Literal["primary", "secondary"]
Place = Literal["metrics", "metrics_secondary", "saved_metrics_ids"]
_EMPTY: Final[Mapping[str, JSON]] = {
    name: field.blank
    for name, field in EXPERIMENT_FIELDS.items()
    if field.is_edited and name not in ("name", "parameters", "conclusion", "conclusion_comment")
}
"""The fields of a new experiment; the server fills in the project's defaults."""


def editable(fresh: Experiment) -> dict[str, JSON]:
    """Return the fields that can be edited now, as they are stored."""
    skipped = EXPERIMENT_FIELDS.having("for drafts") if fresh.state != "draft" else frozenset()
    names = [name for name in EXPERIMENT_FIELDS.edited if name in fresh.raw and name not in skipped]
    if fresh.is_mostly_fixed:
        names = [name for name in names if name in EXPERIMENT_FIELDS.having("old engine")]
    return {name: stored_field(fresh, name) for name in names}


def experiment_text(fresh: Experiment) -> RecordText:
    """Return the text that the editor opens."""
    return RecordText(
        name=fresh.name,
        about=f"experiment {fresh.id}",
        file=f"experiment-{fresh.id}",
        shown=editable(fresh),
        problems=lambda changed: [*problems_in_fields(changed)],
    )


class ExperimentCopy(Draft):
    """An experiment as the person has it now, also unknown keys of metrics and settings."""

    noun = "experiment"
    fields = EXPERIMENT_FIELDS
    variants_path = ("parameters", "feature_flag_variants")

    def __init__(self, fresh: Experiment, values: Mapping[str, JSON], *, has_own_flag: bool) -> None:
        super().__init__(values)
        self.fresh = fresh
        self.has_own_flag = has_own_flag
        """Whether the experiment sets variants and shares, not an independent flag."""
        self.shared: dict[int, str] = {}
        """The names of shared metrics that were added, by id."""

    @classmethod
    def of(cls, fresh: Experiment) -> "ExperimentCopy":
        """Return a copy of the editable fields."""
        fields, flag = editable(fresh), fresh.feature_flag
        is_launched = fresh.start_date is not None
        # A flag that is on serves people already: who gets what is changed there.
        has_own_flag = bool(variants_in(fields.get("parameters"))) and flag is not None and not flag.active
        kept_back = {"parameters"} if not has_own_flag else set()
        kept_back |= set() if is_launched else {"conclusion", "conclusion_comment"}
        values = {name: value for name, value in fields.items() if name not in kept_back}
        return cls(fresh, values, has_own_flag=has_own_flag)

    @classmethod
    def new(cls, name: str, flag_key: str, *, is_linked: bool, flag: Flag | None = None) -> "ExperimentCopy":
        """Return a copy for a new experiment, on an existing flag or one created with it."""
        made = cls(Experiment.of({"id": 0, "name": name}), {"name": name, **_EMPTY}, has_own_flag=False)
        made.change_flag(flag_key, is_linked=is_linked, flag=flag)
        made._at_first = dict(made.values)
        made.snapshot()
        return made

    def change_flag(self, key: str, *, is_linked: bool, flag: Flag | None = None) -> None:
        """Choose another flag for a new experiment; a linked one keeps its variants."""
        nested = {} if flag is None else {"feature_flag": dict(flag.raw)}
        self.fresh = Experiment.of({"id": 0, "name": self.fresh.name, "feature_flag_key": key, **nested})
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

    def state(self) -> dict[str, JSON]:
        shared = {str(id): name for id, name in self.shared.items()}
        own = {"fresh": dict(self.fresh.raw), "has_own_flag": self.has_own_flag} if self.is_new else {}
        return {**super().state(), "shared": shared, **own}

    def resume(self, state: Mapping[str, JSON]) -> None:
        super().resume(state)
        self.shared |= {int(id): as_text(name) for id, name in as_dict(state["shared"]).items()}
        if self.is_new:
            self.fresh = Experiment.of(as_dict(state["fresh"]))
            self.has_own_flag = bool(state["has_own_flag"])

    @property
    def problems(self) -> list[str]:
        return list(problems_in_fields(self.values if self.is_new else self.changes))

    @property
    def changes(self) -> dict[str, JSON]:
        """Return the fields that differ from the stored experiment, or from the defaults of a new one."""
        start: Mapping[str, JSON] = _EMPTY if self.is_new else self._at_first
        values = {
            name: value
            for name, value in self.values.items()
            if name not in start or not same(value, start[name])
        }
        if self.is_new:
            values.pop("name", None)
        return values

    def intent(self) -> ExperimentIntent | None:
        """Return the step that saves it; None when it is unchanged."""
        changes = self.changes
        if self.is_new:
            name = as_text(self.values["name"]).strip()
            flag_key, shared = self.fresh.feature_flag_key, self.shared
            choices = Choices(name=name, flag_key=flag_key, fields=changes, shared=shared)
            return ExperimentIntent(0, STEPS["create"], choices)
        if not changes:
            return None
        seen = {name: self._at_first[name] for name in changes if name in self._at_first}
        choices = Choices(fields=changes, seen=seen, shared=self.shared)
        return ExperimentIntent(self.fresh.id, STEPS["edit"], choices)

    def settings(self, name: str) -> dict[str, JSON]:
        """Return the parts of a field, to be read."""
        return as_dict(self.values.get(name))

    def change_settings(self, name: str) -> dict[str, JSON]:
        """Return the parts of a field, to be changed."""
        self.values[name] = self.settings(name)
        return as_dict(self.change(name))

    # Metrics

    def metrics(self, place: Place) -> list[JSON]:
        """Return the metrics of a role, or the shared ones, to be read."""
        return as_list(self.values.get(place))

    def change_metrics(self, place: Place) -> list[JSON]:
        """Return the same list, to be changed."""
        self.values[place] = self.metrics(place)
        return as_list(self.change(place))

    def remove_metric(self, place: Place, at: int) -> None:
        del self.change_metrics(place)[at]

    def move_metric(self, place: Place, at: int, to: int) -> bool:
        """Move a metric; return False at the ends and for shared metrics, whose order is not stored."""
        return place != "saved_metrics_ids" and move(self.change_metrics(place), at, to)

    def change_role(self, place: Place, at: int) -> None:
        """Turn a primary metric into a secondary one, or the reverse."""
        if place == "saved_metrics_ids":
            link = as_dict(self.change(place, at))
            kept = as_dict(link.get("metadata"))
            role = "primary" if kept.get("type") == "secondary" else "secondary"
            link["metadata"] = {**kept, "type": role}
            return
        other: Place = "metrics_secondary" if place == "metrics" else "metrics"
        self.change_metrics(other).append(self.change_metrics(place).pop(at))

    def share_metric(self, id: int, role: Role, name: str = "") -> None:
        """Use a shared metric as well."""
        self.shared[id] = name
        self.change_metrics("saved_metrics_ids").append({"id": id, "metadata": {"type": role}})

    # Variants

    @property
    def variants(self) -> list[JSON]:
        """Empty where a flag decides."""
        return variants_in(self.values.get("parameters")) if self.has_own_flag else []

    @property
    def variant_keys(self) -> list[str]:
        """Return the keys of the variants, also where a flag decides."""
        own = [as_text(as_dict(variant).get("key")) for variant in self.variants]
        return own or [variant.key for variant in self.fresh.variants]

    def add_variant(self, key: str) -> None:
        variants = as_list(self.change(*self.variants_path))
        variants.append({"key": key, "rollout_percentage": 0})

    def remove_variant(self, place: int) -> None:
        del self.change(*self.variants_path)[place]
