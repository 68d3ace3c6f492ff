"""Which saved metrics an experiment uses: the whole list is the new set."""

from dataclasses import dataclass

from flagtui.service.answers import text_of
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, invalid


@dataclass(frozen=True, slots=True)
class Link:
    saved_metric: int
    metadata: dict[str, Json]


def checked_links(call: Call, sent: Json) -> list[Link]:
    """Each metric once, in the order sent; null is no metric."""
    if sent is None:
        return []
    if not isinstance(sent, list):
        raise _fault("Saved metrics must be a list")
    links = {link.saved_metric: link for link in (_link(call, one) for one in sent)}
    return list(links.values())


def replace_links(call: Call, experiment_id: int, links: list[Link]) -> None:
    """Keeps the rows of metrics that stay, so that their ids and dates do."""
    kept = text_of([link.saved_metric for link in links])
    call.db.execute(
        "DELETE FROM experiment_saved_metrics WHERE experiment_id = ?"
        " AND saved_metric_id NOT IN (SELECT value FROM json_each(?))",
        (experiment_id, kept),
    )
    for link in links:
        call.db.execute(
            "INSERT INTO experiment_saved_metrics (experiment_id, saved_metric_id, metadata, created_at)"
            " VALUES (?, ?, ?, ?) ON CONFLICT (experiment_id, saved_metric_id)"
            " DO UPDATE SET metadata = excluded.metadata",
            (experiment_id, link.saved_metric, text_of(link.metadata), call.stamp),
        )


def _link(call: Call, one: Json) -> Link:
    if not isinstance(one, dict):
        raise _fault("Saved metric must be an object")
    if "id" not in one:
        raise _fault("Saved metric must have an id")
    metadata = one.get("metadata")
    if metadata is not None:
        if not isinstance(metadata, dict):
            raise _fault("Metadata must be an object")
        if "type" not in metadata:
            raise _fault("Metadata must have a type key")
    number = one["id"]
    found = None
    if isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**63:
        sql = "SELECT 1 FROM saved_metrics WHERE id = ? AND project_id = ?"
        found = call.db.execute(sql, (number, call.project.id)).fetchone()
    if found is None:
        raise _fault("Saved metric does not exist or does not belong to this project")
    return Link(number, metadata or {"type": "primary"})


def _fault(detail: str) -> Fault:
    return invalid(detail, "saved_metrics_ids")
