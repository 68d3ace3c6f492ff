"""What the body of an experiment says: of its own columns, of its flag and of other tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.flag_config import FlagConfig, from_parameters
from flagtui.service.experiments.metric_rules import ORDER_OF
from flagtui.service.experiments.saved_metrics import Link
from flagtui.service.field_kinds import Target


@dataclass(frozen=True, slots=True)
class Input:
    """What a body says: columns that change, and what concerns other tables."""

    columns: dict[str, Json] = field(default_factory=dict)
    """Only what was sent."""
    flag_key: str | None = None
    flag: FlagConfig = field(default_factory=FlagConfig)
    says_variants: bool = False
    links: list[Link] | None = None
    order_given: frozenset[str] = frozenset()
    sent: frozenset[str] = frozenset()
    allow_unknown_events: bool = False
    update_flag: bool = False


def read_input(call: Call, sent: Mapping[str, Json], *, new: bool) -> Input:
    """Every field of the body; raises the fault of the first that is wrong."""
    fields = Fields(sent)
    columns = EXPERIMENTS.read(fields, Target(call), needed=new)
    flag_key, asked = columns.pop("feature_flag_key", None), columns.pop("feature_flag", None)
    links = columns.get("saved_metrics_ids")
    if "saved_metrics_ids" in columns:
        columns["saved_metrics_ids"] = sent["saved_metrics_ids"]
    parameters = sent.get("parameters") or {}
    return Input(
        columns=columns,
        flag_key=flag_key,
        flag=asked or from_parameters(call, parameters),
        says_variants=bool(parameters.get("feature_flag_variants")),
        links=links,
        order_given=frozenset(name for name in ORDER_OF.values() if name in sent),
        sent=frozenset(sent),
        allow_unknown_events=bool(fields.flag("allow_unknown_events", False)),
        update_flag=bool(fields.flag("update_feature_flag_params", False)),
    )
