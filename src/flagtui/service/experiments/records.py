"""An experiment and the flag it rests on."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from flagtui.service.clock import read_stamp
from flagtui.service.errors import Json
from flagtui.service.flags.status import variants_of

Status = Literal["draft", "running", "paused", "stopped", "exposure_frozen"]


def is_frozen(group: Json) -> bool:
    """Return whether freezing the exposure of an experiment marked this condition of its flag."""
    return isinstance(group, dict) and group.get("exposure_frozen") is True


class LinkedFlag(msgspec.Struct, frozen=True):
    """The data of a flag that an experiment needs; `fields` are its columns with JSON decoded."""

    fields: Mapping[str, Json]
    id: int
    key: str
    active: bool
    deleted: bool
    filters: dict[str, Json]

    @classmethod
    def of(cls, fields: Mapping[str, Json]) -> "LinkedFlag":
        return cls(fields, *(fields[name] for name in ("id", "key", "active", "deleted", "filters")))

    @property
    def variants(self) -> list[dict[str, Json]]:
        """Empty for a boolean flag."""
        return variants_of(self.filters)

    @property
    def continuity(self) -> bool:
        """Return whether people keep their variant when they log in."""
        return bool(self.fields["ensure_experience_continuity"])

    @property
    def variant_keys(self) -> list[str]:
        return [str(variant.get("key")) for variant in self.variants]


def baseline_of(stats: Json, variant_keys: Sequence[str]) -> str:
    """Return the chosen baseline, else `control`, else the first variant."""
    chosen = (stats or {}).get("baseline_variant_key")
    if chosen in variant_keys:
        return str(chosen)
    return "control" if "control" in variant_keys or not variant_keys else variant_keys[0]


class Experiment(msgspec.Struct, frozen=True):
    """One row; `fields` are its columns with JSON decoded."""

    fields: Mapping[str, Json]
    flag: LinkedFlag

    @property
    def id(self) -> int:
        return int(self.fields["id"])

    @property
    def project_id(self) -> int:
        return int(self.fields["project_id"])

    @property
    def start(self) -> datetime | None:
        return _moment(self.fields["start_date"])

    @property
    def end(self) -> datetime | None:
        return _moment(self.fields["end_date"])

    @property
    def is_launched(self) -> bool:
        return self.fields["start_date"] is not None

    @property
    def status(self) -> Status:
        """Return the state by its first rule that holds: not started, ended, flag off, frozen, else running.

        Frozen is a flag whose every condition carries the mark of a frozen exposure.
        """
        if not self.is_launched:
            return "draft"
        if self.fields["end_date"] is not None:
            return "stopped"
        if not self.flag.active:
            return "paused"
        groups = self.flag.filters.get("groups") or []
        return "exposure_frozen" if groups and all(map(is_frozen, groups)) else "running"

    @property
    def baseline(self) -> str:
        """Return the variant the others are compared with."""
        return baseline_of(self.fields["stats_config"], self.flag.variant_keys)

    def metrics(self, kind: Literal["primary", "secondary"]) -> list[dict[str, Json]]:
        items = self.fields["metrics" if kind == "primary" else "metrics_secondary"]
        return [metric for metric in items or () if isinstance(metric, dict)]


def _moment(text: str | None) -> datetime | None:
    return None if text is None else read_stamp(text)
