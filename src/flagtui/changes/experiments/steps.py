"""What can be done with an experiment, in which state, and what it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.changes.verbs import Verb
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
]
LIVE: Final = frozenset({"running", "paused", "exposure_frozen"})
LAUNCHED: Final = LIVE | {"stopped"}
ANY: Final = LAUNCHED | {"draft"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `states` are those it may be taken from."""

    name: StepName
    verb: Verb
    states: frozenset[str]
    back: StepName | None = None
    """The step that takes it back; None when nothing does. An edit is taken back by another."""
    for_old_engine: bool = True
    """Whether experiments of the old engine can take it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person chose on the way to a step."""

    conclusion: str = ""
    comment: str = ""
    variant: str = ""
    everyone: bool = False
    """Ship to people no condition lets in, too."""
    disable_flag: bool = False
    flag_key: str = ""
    name: str = ""
    project: int = 0
    """Where a copy goes."""
    fields: Mapping[str, JSON] = field(default_factory=dict)
    """New values of an edit."""
    seen: Mapping[str, JSON] = field(default_factory=dict)
    """What the person saw in those fields."""


@dataclass(frozen=True, slots=True)
class ExperimentIntent:
    """One step for one experiment."""

    id: int
    step: Step
    choices: Choices = Choices()


def _verb(name: str, title: str, done: str, undo: str = "", *, is_grave: bool = False) -> Verb:
    return Verb(f"{name} experiment", title, done, undo, is_grave)


_STEPS: Final = (
    Step(
        "launch",
        _verb("launch", "Launch the experiment", "is launched", "make it a draft again", is_grave=True),
        frozenset({"draft"}),
        back="reset",
        for_old_engine=False,
    ),
    Step(
        "pause",
        _verb("pause", "Pause: turn its flag OFF", "is paused; its flag is off", "turn its flag on again"),
        frozenset({"running", "exposure_frozen"}),
        back="resume",
    ),
    Step(
        "resume",
        _verb("resume", "Resume: turn its flag ON", "runs again; its flag is on", "turn its flag off again"),
        frozenset({"paused"}),
        back="pause",
    ),
    Step(
        "end", _verb("end", "End the experiment", "has ended", "let it go on", is_grave=True), LIVE, "reopen"
    ),
    Step(
        "ship",
        _verb(
            "ship", "Ship a variant", "is decided", "give it back the old shares of its flag", is_grave=True
        ),
        LAUNCHED,
        back="reopen",
        for_old_engine=False,
    ),
    Step(
        "archive",
        _verb("archive", "Archive the experiment", "is archived", "bring it back"),
        frozenset({"stopped"}),
        back="unarchive",
        for_old_engine=False,
    ),
    Step(
        "unarchive",
        _verb("unarchive", "Bring the experiment back", "is back from the archive", "archive it again"),
        ANY,
        back="archive",
        for_old_engine=False,
    ),
    Step(
        "reset",
        _verb("reset", "Reset to a draft", "is a draft again", "give it its dates back", is_grave=True),
        LAUNCHED,
        back="reopen",
        for_old_engine=False,
    ),
    Step(
        "duplicate",
        _verb("duplicate", "Duplicate the experiment", "has a copy", "delete the copy"),
        ANY,
        back="delete",
        for_old_engine=False,
    ),
    Step(
        "create",
        _verb("create", "Create an experiment", "is created as a draft", "delete it"),
        ANY,
        back="delete",
    ),
    Step("edit", _verb("edit", "Edit the experiment", "is changed", "put back the old values"), ANY, "edit"),
    Step(
        "copy",
        _verb("copy", "Copy to another project", "has a copy there", "delete the copy"),
        ANY,
        back="delete",
        for_old_engine=False,
    ),
    Step("cohort", _verb("cohort", "Create an exposure cohort", "has an exposure cohort"), LAUNCHED),
    Step(
        "delete",
        _verb("delete", "Delete the experiment", "is deleted", "restore it", is_grave=True),
        ANY,
        back="restore",
    ),
    Step(
        "restore",
        _verb("restore", "Restore the experiment", "is restored", "delete it again"),
        ANY,
        back="delete",
    ),
    Step(
        "reopen",
        _verb(
            "reopen",
            "Bring back its dates and conclusion",
            "is as it was",
            "take that away again",
            is_grave=True,
        ),
        ANY,
        back="reopen",
    ),
)
STEPS: Final[Mapping[str, Step]] = {step.name: step for step in _STEPS}
BY_VERB: Final[Mapping[str, Step]] = {step.verb.name: step for step in _STEPS}
"""By what the journal calls them."""
