"""What the caller may do with each experiment of a project."""

from flagtui.service.call import Call
from flagtui.service.errors import forbidden
from flagtui.service.experiments.records import Experiment
from flagtui.service.flags.levels import DEFAULT, Levels, load_levels

RESOURCE = "experiment"


def levels_of(call: Call) -> Levels:
    return load_levels(call.db, call.caller, call.project, RESOURCE)


def check_level(call: Call, experiment_id: int, level: str) -> None:
    """403 when the caller's level is lower than `level`."""
    if not levels_of(call).reaches(experiment_id, level):
        raise forbidden(f"You do not have {level} access to this resource.")


def shown_level(call: Call, levels: Levels, one: Experiment) -> str:
    """The access level in an answer: the creator of an experiment is its manager."""
    level = levels.of(one.id)
    is_own = one.fields["created_by_id"] == call.caller.user_id
    return "manager" if is_own and level == DEFAULT else level
