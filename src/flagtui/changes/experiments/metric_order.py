"""The order in which metrics are shown, which servers keep beside them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_list, as_text

ORDERS: Final[Mapping[str, str]] = {
    "metrics": "primary_metrics_ordered_uuids",
    "metrics_secondary": "secondary_metrics_ordered_uuids",
}


def as_shown(fresh: Experiment, name: str) -> list[dict[str, JSON]]:
    """The metrics of a field in the order in which people see them."""
    places = {as_text(uuid): place for place, uuid in enumerate(as_list(fresh.raw.get(ORDERS[name])))}
    found = [metric for metric in as_list(fresh.raw.get(name)) if isinstance(metric, dict)]
    return sorted(found, key=lambda metric: places.get(as_text(metric.get("uuid")), len(places)))


def with_order(fresh: Experiment, fields: Mapping[str, JSON]) -> dict[str, JSON]:
    """The fields as they are sent: metrics that trade places take their order along.

    Servers keep the old order otherwise. What is added or removed they arrange by themselves.
    """
    sent = dict(fields)
    for name, order in ORDERS.items():
        kept = [as_text(uuid) for uuid in as_list(fresh.raw.get(order))]
        if name not in fields or not kept:
            continue
        wanted = [as_text(as_dict(metric).get("uuid")) for metric in as_list(fields[name])]
        before = [as_text(metric.get("uuid")) for metric in as_shown(fresh, name)]
        by_itself = [*_common(before, wanted), *(uuid for uuid in wanted if uuid not in before)]
        if all(wanted) and wanted != by_itself:
            sent[order] = _rearranged(kept, wanted, before)
    return sent


def _common(ours: Sequence[str], others: Iterable[str]) -> list[str]:
    known = set(others)
    return [uuid for uuid in ours if uuid in known]


def _rearranged(kept: Sequence[str], wanted: Sequence[str], before: Iterable[str]) -> list[JSON]:
    """The old order with our metrics in the places that were ours; shared ones stay where they are."""
    own, coming = set(before), list(wanted)
    found: list[JSON] = []
    for uuid in kept:
        if uuid not in own:
            found.append(uuid)
        elif coming:
            found.append(coming.pop(0))
    return [*found, *coming]
