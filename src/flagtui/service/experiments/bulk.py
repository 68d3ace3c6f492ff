"""Operations on many experiments at once: the ids of a list, and their tags."""

from flagtui.service.activity import change, log
from flagtui.service.call import Call
from flagtui.service.database import update_row
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.list import matching_experiments
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import levels_of
from flagtui.service.experiments.rows import select
from flagtui.service.experiments.save import SCOPE
from flagtui.service.list_filters import among
from flagtui.service.responses import Response, respond, text_of
from flagtui.service.tag_edits import TagEdit, edit_each, read_numbers, read_tag_edit


def matching_ids(call: Call) -> Response:
    """Return the ids of all experiments that the list would show and the caller can edit, in its order."""
    levels = levels_of(call)
    ids = [each.id for each in matching_experiments(call) if levels.reaches(each.id, "editor")]
    return respond({"ids": ids, "total": len(ids)})


def bulk_update_tags(call: Call) -> Response:
    """Add, remove or replace tags; `updated_at` stays."""
    edit = read_tag_edit(call, read_numbers)
    values = {"project": call.project.id, "ids": text_of(edit.ids)}
    rows = select(call.db, f"e.project_id = :project AND e.deleted = 0 AND e.id IN {among('ids')}", values)
    levels = levels_of(call)
    editable = {experiment.id: experiment for experiment in rows if levels.reaches(experiment.id, "editor")}
    return edit_each(edit, editable, lambda experiment: _retag(call, experiment, edit))


def _retag(call: Call, experiment: Experiment, edit: TagEdit[int]) -> list[str]:
    before = experiment.fields["tags"]
    after = edit.apply(before)
    if after != sorted(before):
        update_row(call.db, "experiments", experiment.id, EXPERIMENTS.encode({"tags": after}))
        log(call, SCOPE, experiment.fields, "updated", [change(SCOPE, "tags", before, after)], merge=None)
    return after
