"""Steps the server would refuse, or worse, an older one would not: known before anything is sent."""

from collections.abc import Callable, Mapping
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import (
    SAYS_HOW,
    problems_in_fields,
    stored_field,
)
from flagtui.changes.experiments.steps import ANY, Choices, Step
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.record_fields import EXPERIMENT_FIELDS

Check = Callable[[Experiment, Step, Choices], Blocked | None]
EDITABLE_OLD: Final = EXPERIMENT_FIELDS.having("old engine")
"""All that experiments of the old engine let be changed."""
_WHATEVER: Final = ("unarchive", "delete", "restore", "duplicate", "create", "edit", "copy", "reopen")
"""Steps for which the state does not matter."""
_REFUSED: Final[Mapping[str | tuple[str, str], Blocked]] = {
    "launch": Blocked("state", "it has already been launched"),
    "reset": Blocked("state", "it is already a draft"),
    "archive": Blocked("state", "it must be ended before it can be archived", "E ends it"),
    ("archive", "draft"): Blocked("state", "it must be launched and ended before it can be archived"),
    ("pause", "paused"): Blocked("state", "it is already paused", "space resumes it"),
    ("resume", "running"): Blocked("state", "it is not paused", "space pauses it"),
    ("resume", "exposure_frozen"): Blocked("state", "it is not paused", "space pauses it"),
    "draft": Blocked("state", "it has not been launched yet", "L launches it"),
    "stopped": Blocked("state", "it has already ended", "R resets it to a draft"),
}
"""By step and state, by step, or by state: why not, in the order in which it is looked up."""


def foresee_refusal(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    """The first reason why this step cannot be taken now."""
    for check in _CHECKS:
        if found := check(fresh, step, choices):
            return found
    return None


def _access(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    # A copy changes nothing here.
    if fresh.can_edit or step.name in ("duplicate", "copy"):
        return None
    return Blocked(
        "access", "you may look at this experiment but not change it", "ask for editor access to it"
    )


def _old_engine(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.for_old_engine or not fresh.is_mostly_fixed:
        return None
    reason = "it is measured by the old engine; only its name, description and end can be changed"
    return Blocked("old engine", reason, "make a new experiment in the browser")


def _state(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name in ("archive", "unarchive") and (step.name == "archive") == fresh.archived:
        return Blocked("state", "it is already archived" if fresh.archived else "it is not archived")
    state = fresh.state
    if state in step.states or step.name in _WHATEVER:
        return None
    known = ((step.name, state), step.name, state) if state in ANY else ()
    asked = next((_REFUSED[place] for place in known if place in _REFUSED), None)
    reason = f"its state is {state}, which this step does not know"
    return asked or Blocked("state", reason, "do it in the browser")


def _flag(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name not in ("launch", "pause", "resume", "ship", "cohort", "restore"):
        return None
    flag = fresh.feature_flag
    if step.name == "restore":
        is_gone = flag is not None and flag.deleted
        return Blocked("flag", "its flag has been deleted", "restore the flag first") if is_gone else None
    if flag is None or flag.id <= 0:
        return Blocked("flag", "it has no flag", "look at it in the browser")
    if flag.deleted:
        return Blocked("flag", f"its flag {flag.key} has been deleted", "restore the flag first")
    if step.name == "launch" and len(fresh.variants) < 2:
        return Blocked("flag", "its flag has fewer than two variants", "give the flag variants first")
    return None


def _choices(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name == "ship" and choices.variant not in {variant.key for variant in fresh.variants}:
        return Blocked("variant", f"its flag has no variant {choices.variant or 'without a name'}")
    said = {"conclusion": choices.conclusion, "conclusion_comment": choices.comment}
    if problems := EXPERIMENT_FIELDS.problems(said):
        return Blocked("conclusion", problems[0], "say it otherwise")
    return None


def _cohort(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name != "cohort" or not fresh.exposure_cohort:
        return None
    return Blocked("cohort", f"it already has an exposure cohort, #{fresh.exposure_cohort}")


def _fields(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name not in ("create", "edit"):
        return None
    named = {"name": choices.name} if step.name == "create" else {}
    if problem := next(problems_in_fields({**choices.fields, **named}), ""):
        return Blocked("fields", problem, "change it in the form, or in your editor")
    if step.name == "create":
        if not is_plain_key(choices.flag_key):
            return Blocked("key", "a flag key has 1 to 400 letters, digits, - and _", "choose another key")
        return None
    return _fixed(fresh, choices) or _moved(fresh, choices)


def _fixed(fresh: Experiment, choices: Choices) -> Blocked | None:
    """Fields that this experiment cannot change any more."""
    refused = sorted(set(choices.fields) - EDITABLE_OLD - SAYS_HOW)
    if refused and fresh.is_mostly_fixed:
        reason = f"it is measured by the old engine; {', '.join(refused)} cannot be changed"
        return Blocked("old engine", reason, "change only its name and description")
    fixed = [
        EXPERIMENT_FIELDS.words(name)
        for name in sorted(EXPERIMENT_FIELDS.having("for drafts") & choices.fields.keys())
    ]
    if fixed and fresh.state != "draft":
        reason = f"{' and '.join(fixed)} cannot be changed once it is launched"
        return Blocked("state", reason, "reset it first, or make another one")
    if "parameters" in choices.fields and fresh.feature_flag is not None and fresh.feature_flag.active:
        reason = f"its flag {fresh.feature_flag_key} is on: another split would give people other variants"
        return Blocked("flag", reason, "change the flag itself, which says whom it reaches")
    return None


def _moved(fresh: Experiment, choices: Choices) -> Blocked | None:
    moved = [name for name, value in choices.seen.items() if not same(stored_field(fresh, name), value)]
    if not moved:
        return None
    reason = f"somebody changed {', '.join(moved)} while you were editing"
    return Blocked("clash", reason, "edit it again; what you made is kept")


def _copy(fresh: Experiment, step: Step, choices: Choices) -> Blocked | None:
    if step.name != "duplicate":
        return None
    if not is_plain_key(choices.flag_key):
        return Blocked("key", "a flag key has 1 to 400 letters, digits, - and _", "choose another key")
    if choices.flag_key == fresh.feature_flag_key:
        reason = "with the same flag, pausing or shipping one would do it to both"
        return Blocked("key", reason, "give the copy a flag of its own")
    return None


_CHECKS: Final[tuple[Check, ...]] = (_access, _old_engine, _state, _flag, _choices, _cohort, _copy, _fields)
