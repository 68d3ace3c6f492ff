"""A flag with only what evaluating it takes."""

import sqlite3

from flagtui.service.answers import joined
from flagtui.service.call import Call
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS


def minimal_text(call: Call, row: sqlite3.Row, filters: str, **more: str) -> str:
    """JSON text; `filters` and whatever `more` it has are JSON texts already."""
    own = FLAGS.texts(row, Use.SUMMARY) | {"team_id": str(row["project_id"]), "filters": filters} | more
    return joined(call.generation.written("flag summary", own))
