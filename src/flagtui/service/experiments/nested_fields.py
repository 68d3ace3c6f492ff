"""The fields of what an experiment nests: its holdout, and the saved metrics it uses."""

from typing import Final

from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.flag_config import is_share
from flagtui.service.field_kinds import Field, Table, Use, checked_kind, text
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MOMENT,
    NUMBER,
    OBJECT,
    OBJECTS,
    SHARE,
    TEXT,
    USER,
    list_of,
    record,
)


def _checked_filters(sent: Json) -> list[dict[str, Json]]:
    if sent is None:
        return []
    if not isinstance(sent, list) or not all(isinstance(item, dict) for item in sent):
        raise invalid("Filters must be a list of objects", "filters")
    for item in sent:
        share = item.get("rollout_percentage")
        if share is None:
            raise invalid("Rollout percentage must be present.", "filters")
        if not is_share(share):
            raise invalid("Rollout percentage must be between 0 and 100.", "filters")
    return sent


_FILTERS: Final = checked_kind(_checked_filters, list_of(record({"rollout_percentage": SHARE})))
HOLDOUT_FIELDS: Final = Table(
    "holdout",
    (
        Field("id", None, Use.ALWAYS, NUMBER),
        Field("name", text(400, blank=False), Use.NEEDED | Use.ALWAYS),
        Field("description", text(400, null=True)),
        Field("filters", _FILTERS, Use.ALWAYS, OBJECTS),
        Field("created_by", None, shown=USER, column="created_by_id"),
        Field("created_at", None, shown=MOMENT),
        Field("updated_at", None, shown=MAYBE_MOMENT),
    ),
)
HOLDOUT: Final = record(HOLDOUT_FIELDS.answer_schema(), HOLDOUT_FIELDS.always(), of="holdout")

LINK_FIELDS: Final = Table(
    "saved metric link",
    (
        Field("id", None, Use.ALWAYS, NUMBER),
        Field("experiment", None, Use.ALWAYS, NUMBER),
        Field("saved_metric", None, Use.ALWAYS, NUMBER),
        Field("metadata", None, Use.ALWAYS, OBJECT),
        Field("created_at", None, Use.ALWAYS, MOMENT),
        Field("query", None, Use.ALWAYS, OBJECT),
        Field("name", None, Use.ALWAYS, TEXT),
    ),
)
LINK: Final = record(LINK_FIELDS.answer_schema(), LINK_FIELDS.always(), of="saved metric link")
