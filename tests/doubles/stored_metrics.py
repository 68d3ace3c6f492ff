"""Compare stored metrics with their parsed descriptions."""

from collections.abc import Iterator
from typing import Any, Final

from tests.doubles.metric_reader import UNNAMED, Measured, Node, Tree, flat, read_metric
from tests.doubles.stored_targeting import differs
from tests.doubles.targeting_reader import Asked

JSON = Any
PLACES: Final[dict[str, tuple[str, ...]]] = {
    "mean": ("source",), "ratio": ("numerator", "denominator"), "count": ("metric_config",),
    "retention": ("start_event", "completion_event"), "continuous": ("metric_config",),
    "binomial": ("metric_config",),
}  # fmt: skip
SAID: Final = {"continuous": "mean", "binomial": "share"}


def node_of(raw: dict[str, JSON], *, is_counted: bool) -> Node:
    """What is stored, in the parts that a reader finds."""
    name = raw.get("event") or raw.get("name") or ("any event" if "event" in raw else UNNAMED)
    if raw.get("kind") == "ActionsNode":
        name = f"action {raw.get('name') or raw['id']}"
    if raw.get("table_name"):
        name = f"table {raw['table_name']}"
    asked = tree_of(raw.get("properties") or [])
    counting = (raw.get("math") or "total") if is_counted else "total"
    return Node(name, counting, "" if counting == "total" else _of(counting, raw), asked)


def _of(counting: str, raw: dict[str, JSON]) -> str:
    place = {"hogql": "math_hogql", "unique_group": "math_group_type_index"}.get(counting, "math_property")
    return str(raw.get(place, ""))


def tree_of(raw: JSON) -> Tree:
    """Filters as they are stored, without what joins nothing."""
    if isinstance(raw, dict) and "values" not in raw:
        return ("leaf", raw)
    joint, parts = ("and", raw) if isinstance(raw, list) else (raw["type"].lower(), raw["values"])
    found = [tree for tree in map(tree_of, parts) if tree is not None]
    return flat(joint, found) if found else None


def compare_trees(said: Tree, stored: Tree) -> None:
    if stored is None or said is None:
        assert said == stored
    elif stored[0] == "leaf":
        compare_leaf(said, stored[1])
    else:
        assert said[0] == stored[0], (said, stored)
        assert len(said[1]) == len(stored[1]), (said, stored)
        for mine, theirs in zip(said[1], stored[1], strict=True):
            compare_trees(mine, theirs)


def compare_leaf(said: Tree, raw: dict[str, JSON]) -> None:
    owner, clause = said
    if raw.get("type") == "hogql":
        assert (owner, clause) == ("hogql", raw["key"])
        return
    stored_owner = raw["type"] if raw.get("type") in ("person", "group", "session", "element") else ""
    assert owner == stored_owner, (said, raw)
    assert isinstance(clause, Asked)
    assert differs(clause, raw) == "", (said, raw)


def expected(metric: dict[str, JSON]) -> Measured:
    """A stored metric of any engine in the parts that a reader finds."""
    if metric.get("kind") == "ExperimentTrendsQuery":
        return trends(metric)
    if metric.get("kind") == "ExperimentFunnelsQuery":
        return funnels(metric)
    kind = metric["metric_type"]
    raw = [metric[place] for place in PLACES[kind]] if kind in PLACES else metric["series"]
    is_counted = kind not in ("funnel", "retention", "binomial")
    nodes = tuple(node_of(one, is_counted=is_counted) for one in raw)
    found = Measured(str(SAID.get(kind, kind)), nodes, metric.get("threshold"))
    if kind == "funnel":
        found.order = order_of(metric.get("funnel_order_type"), nodes)
    found.further = dict(further_of(metric))
    return found


def order_of(stored: str | None, nodes: tuple[Node, ...]) -> str:
    if stored == "strict":
        return "strict"
    return "unordered" if stored == "unordered" and len(nodes) > 1 else ""


def trends(metric: dict[str, JSON]) -> Measured:
    query = metric["count_query"]
    found = Measured("count", tuple(node_of(one, is_counted=True) for one in query["series"]))
    if "exposure_query" in metric:
        found.further["exposure"] = node_of(metric["exposure_query"]["series"][0], is_counted=False)
    found.further["tests"] = "without" if query.get("filterTestAccounts") else "with"
    return found


def funnels(metric: dict[str, JSON]) -> Measured:
    query = metric["funnels_query"]
    settings = query["funnelsFilter"]
    nodes = tuple(node_of(one, is_counted=False) for one in query["series"])
    found = Measured("funnel", nodes, None, order_of(settings.get("funnelOrderType"), nodes))
    found.further["tests"] = "without" if query.get("filterTestAccounts") else "with"
    if count := settings.get("funnelWindowInterval"):
        found.further["window"] = window(count, settings["funnelWindowIntervalUnit"])
    return found


def further_of(metric: dict[str, JSON]) -> Iterator[tuple[str, JSON]]:
    if metric.get("conversion_window") and metric.get("conversion_window_unit"):
        yield "window", window(metric["conversion_window"], metric["conversion_window_unit"])
    if metric["metric_type"] == "retention":
        first, last = metric["retention_window_start"], metric["retention_window_end"]
        time = "last" if metric.get("start_handling") == "last_seen" else "first"
        yield "back", f"{first} to {last} {metric['retention_window_unit']}s after the {time} time"
    for side, raw in (
        ("bounds", metric),
        ("numerator", metric.get("numerator_outlier_handling") or {}),
        ("denominator", metric.get("denominator_outlier_handling") or {}),
    ):
        if words := bounds(raw):
            yield side, words
    if split := (metric.get("breakdownFilter") or {}).get("breakdowns"):
        yield "split", ", ".join(one["property"] for one in split)
    if metric.get("goal") == "decrease":
        yield "goal", True


def window(count: int, unit: str) -> str:
    return f"{count} {unit}" + "s" * (count != 1)


def bounds(raw: dict[str, JSON]) -> str:
    low, high = raw.get("lower_bound_percentile"), raw.get("upper_bound_percentile")
    ends = [] if low is None else [f"at least the {low * 100:g} %"]
    ends += [] if high is None else [f"at most the {high * 100:g} %"]
    zeros = ", zeros excluded" * (high is not None and raw.get("ignore_zeros") is True)
    return f"{' and '.join(ends)} quantile{zeros}" if ends else ""


def compare(text: str, metric: dict[str, JSON]) -> None:
    """Reads what a metric is said to measure and holds each part against what is stored."""
    found, wanted = read_metric(text), expected(metric)
    assert (found.kind, found.least, found.order) == (wanted.kind, wanted.least, wanted.order), (text, metric)
    pairs = [*zip(found.nodes, wanted.nodes, strict=True)]
    assert found.further.keys() == wanted.further.keys(), (text, metric)
    for name, value in wanted.further.items():
        if name == "exposure":
            pairs.append((found.further[name], value))
        else:
            assert found.further[name] == value, (text, metric)
    for said, stored in pairs:
        counted = (stored.name, stored.counting, stored.of)
        assert (said.name, said.counting, said.of) == counted, (text, metric)
        compare_trees(said.asked, stored.asked)
