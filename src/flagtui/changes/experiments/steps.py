"""The steps of an experiment: states, words and undo."""

from collections.abc import Mapping
from typing import Final, Literal, cast

import msgspec
from msgspec.structs import replace

from flagtui.changes.verbs import Verb
from flagtui.models.editable_fields import trim
from flagtui.models.json_value import JSON

StepName = Literal[
    "launch",
    "pause",
    "resume",
    "end",
    "ship",
    "archive",
    "unarchive",
    "reset",
    "duplicate",
    "cohort",
    "delete",
    "restore",
    "create",
    "edit",
    "copy",
    "reopen",
    "freeze",
    "unfreeze",
]
LIVE: Final = frozenset({"running", "paused", "exposure_frozen"})
LAUNCHED: Final = LIVE | {"stopped"}
ANY: Final = LAUNCHED | {"draft"}


class Step(msgspec.Struct, frozen=True):
    """One step. `states` are those it may be taken from."""

    name: StepName
    verb: Verb
    states: frozenset[str]
    back: StepName | None = None
    """The step that undoes it; None when none does. An edit undoes an edit."""
    for_old_engine: bool = True
    """Whether experiments of the old engine can take it."""


class Choices(msgspec.Struct, frozen=True):
    """The choices of the user for a step."""

    conclusion: str = ""
    comment: str = ""
    variant: str = ""
    everyone: bool = False
    """Ship to users whom no condition matches, too."""
    disable_flag: bool = False
    flag_key: str = ""
    name: str = ""
    project: int = 0
    """Where a copy goes."""
    fields: Mapping[str, JSON] = {}
    """New values of an edit."""
    seen: Mapping[str, JSON] = {}
    """The values of those fields that the user saw."""
    shared: Mapping[int, str] = {}
    """The names of shared metrics that the edit adds, by id."""
    unseen: tuple[str, ...] = ()
    """New events of metrics that were never sent, which the user is warned about."""
    takes_unseen: bool = False
    """Whether such events are accepted without a question, too."""
    is_restored: bool = False
    """Whether the values were stored before, so that their events need no check."""


def trim_choices(choices: Choices) -> Choices:
    """Return the choices with their texts as servers store them."""
    fields = {name: trim(value) for name, value in choices.fields.items()}
    return replace(choices, name=trim(choices.name), comment=trim(choices.comment), fields=fields)


class ExperimentIntent(msgspec.Struct, frozen=True):
    """One step for one experiment."""

    id: int
    step: Step
    choices: Choices = Choices()
    leading: str = ""
    """What its first metric shows so far, in words."""


_TABLE: Final = """
launch | Launch the experiment | is launched | make it a draft again | draft | reset | grave newer
pause | Pause: turn its flag OFF | is paused; its flag is off | turn its flag on again | on | resume
resume | Resume: turn its flag ON | runs again; its flag is on | turn its flag off again | paused | pause
end | End the experiment | has ended | let it go on | live | reopen | grave
ship | Ship a variant | is shipped | restore the old shares of its flag | launched | reopen | grave newer
archive | Archive the experiment | is archived | unarchive it | stopped | unarchive | newer
unarchive | Unarchive the experiment | is unarchived | archive it again | any | archive | newer
reset | Reset to a draft | is a draft again | restore its dates | launched | reopen | grave newer
duplicate | Duplicate the experiment | has a copy | delete the copy | any | delete | newer
create | Create an experiment | is created as a draft | delete it | any | delete
edit | Edit the experiment | is changed | put back the old values | any | edit
copy | Copy to another project | has a copy there | delete the copy | any | delete | newer
cohort | Create an exposure cohort | has an exposure cohort | | launched
delete | Delete the experiment | is deleted | restore it | any | restore | grave
restore | Restore the experiment | is restored | delete it again | any | delete
reopen | Restore its old dates and conclusion | has its old values | remove them again | any | reopen | grave
freeze | Freeze the exposure | enrolls no new users | unfreeze it | on | unfreeze | newer
unfreeze | Unfreeze the exposure | enrolls new users again | freeze it again | on | freeze | newer
"""
"""Name, title, done, undo, states, the step that takes it back, and what else is to be known."""
_STATES: Final[Mapping[str, frozenset[str]]] = {
    "on": LIVE - {"paused"},
    "live": LIVE,
    "launched": LAUNCHED,
    "any": ANY,
}


def _step(line: str) -> Step:
    columns = [part.strip() for part in line.split("|")]
    name, title, done, undo, states, back, traits = [*columns, *[""] * (7 - len(columns))]
    return Step(
        cast(StepName, name),
        Verb(f"{name} experiment", title, done, undo, "grave" in traits),
        _STATES.get(states, frozenset({states})),
        cast(StepName, back) if back else None,
        for_old_engine="newer" not in traits,
    )


_STEPS: Final = tuple(map(_step, _TABLE.strip().splitlines()))
STEPS: Final[Mapping[str, Step]] = {step.name: step for step in _STEPS}
BY_VERB: Final[Mapping[str, Step]] = {step.verb.name: step for step in _STEPS}
"""By their names in the journal."""
