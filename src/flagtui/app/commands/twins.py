"""The command line twin of each command of the app: `flagtui flags disable new-nav`."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_ROWS: Final = """
flags.toggle  flags enable|disable FLAGS
flags.rollout  flags rollout FLAGS --to PERCENT
flags.edit  flags edit FLAG --field NAME=VALUE
flags.delete  flags delete FLAGS
flags.archive  flags archive|unarchive FLAGS
flags.tags  flags tag FLAGS --add TAG
flags.edit_json  flags edit FLAG
flags.copy_to  flags copy FLAGS --to-project ID
flags.schedule  flags schedule FLAG --off --at WHEN
flags.new  flags create KEY
flags.who  flags explain FLAGS --for PERSON
flags.history  flags history FLAGS
flags.ids  flags get ID
flags.my_values  flags evaluate --for PERSON
flags.definitions  flags definitions
flag.unmask  flags payload FLAGS
flag.cohort  flags cohort FLAG
flag.dashboard  flags dashboard FLAG
history.compare  flags diff FLAG --from VERSION
experiments.launch  experiments launch EXPERIMENTS
experiments.switch  experiments resume|pause EXPERIMENTS
experiments.end  experiments end EXPERIMENTS --conclusion CONCLUSION
experiments.ship  experiments ship EXPERIMENT --variant VARIANT
experiments.edit  experiments edit EXPERIMENT --field NAME=VALUE
experiments.archive  experiments archive|unarchive EXPERIMENTS
experiments.reset  experiments reset EXPERIMENTS
experiments.duplicate  experiments duplicate EXPERIMENT --flag-key KEY
experiments.cohort  experiments cohort EXPERIMENTS
experiments.delete  experiments delete EXPERIMENTS
experiments.edit_json  experiments edit EXPERIMENT
experiments.new  experiments create NAME --flag-key KEY
experiments.read  experiments results EXPERIMENTS --anew
experiments.metric  experiments timeseries EXPERIMENT --metric METRIC
days.recalculate  experiments timeseries EXPERIMENT --anew
days.read_again  experiments timeseries EXPERIMENT
events.inbox  events list is:unverified
events.verify  events verify|unverify EVENTS
events.hide  events hide|show EVENTS
events.describe  events describe EVENT --text TEXT
events.tags  events tag EVENTS --add TAG
events.owner  events owner EVENTS --to PERSON
events.delete  events delete EVENTS
events.primary_property  events property EVENT --to NAME
events.enforcement  events enforce EVENTS --mode reject
event.code  events types
inbox.verify  events verify EVENTS
inbox.hide  events hide EVENTS
inbox.take_tags  events tag EVENTS --add TAG
inbox.tags  events tag EVENTS --add TAG
inbox.describe  events describe EVENT --text TEXT
deleted.restore  flags restore FLAGS
activity.moment  activity WORDS
activity.copy  activity
activity.export  activity --json
journal.revert  undo CHANGE
journal.copy  journal --markdown
lists.open  KIND get RECORD
app.undo  undo
app.redo  redo
app.flags  flags list
app.experiments  experiments list
app.events  events list
app.activity  activity
app.project  projects
app.profile  profiles
app.journal  journal
app.sign_in  auth login
app.palette  commands
"""
"""An id of a command and its twin, two spaces apart. FLAG is filled in with the record under the cursor,
FLAGS with all that are marked; other words in capitals are for the person. Of two words with a bar the second
is for what is so already. KIND and RECORD are of whatever kind is shown."""

TWINS: Final[Mapping[str, str]] = {
    id: twin for id, _, twin in (line.partition("  ") for line in _ROWS.split("\n") if line)
}
"""By id of the command."""

_SO_ALREADY: Final[Mapping[str, str]] = {
    "enable|disable": "active",
    "archive|unarchive": "archived",
    "resume|pause": "flag_active",
    "verify|unverify": "verified",
    "hide|show": "hidden",
}
"""By two words: what a record is for the second of them."""
_ONE: Final = ("FLAG", "EXPERIMENT", "EVENT", "RECORD")
_MANY: Final = ("FLAGS", "EXPERIMENTS", "EVENTS")
_SERVERLESS: Final = ("profiles", "auth", "commands")
"""Commands that are about no server, or any."""
_PLACELESS: Final = (*_SERVERLESS, "journal")
"""Commands that take no project."""


@dataclass(frozen=True)
class TwinSubject:
    """What a command of the app would be about now. Names are raw."""

    kind: str = ""
    """flags, experiments or events; empty where no record is meant."""
    one: Any = None
    """The record under the cursor."""
    many: Sequence[Any] = ()
    """The rows that are marked, or of that one."""
    where: Sequence[str] = ()
    """The options that name profile and project."""
    embedded_in: str = ""
    """The command that has the server in its process, such as `demo`."""


def twin_of(id: str, subject: TwinSubject) -> str:
    """The command line of a command, its names quoted for a shell; empty for a command without one."""
    line = TWINS.get(id, "")
    if not line:
        return ""
    group, *rest = line.replace("KIND", subject.kind or "flags").split()
    words = ["flagtui", group] if group in _SERVERLESS else ["flagtui", *subject.embedded_in.split(), group]
    for word in rest:
        if subject.one is None or group != subject.kind:
            words.append(word.partition("|")[0])
        elif "|" in word:
            first, _, second = word.partition("|")
            words.append(second if getattr(subject.many[0], _SO_ALREADY[word], False) else first)
        elif word in _ONE:
            words.append(name_of(subject.kind, subject.one))
        elif word in _MANY:
            words += (name_of(subject.kind, record) for record in subject.many)
        else:
            words.append(word)
    if group not in _PLACELESS:
        words += subject.where
    return " ".join(words)


def name_of(kind: str, record: Any) -> str:
    """What the command line calls it, quoted: its id where the name could be an option or a query."""
    if kind == "experiments":
        return str(record.id)
    name = str(record.name if kind == "events" and hasattr(record, "name") else record.key)
    return shlex.quote(str(record.id) if name.startswith("-") or ":" in name else name)
