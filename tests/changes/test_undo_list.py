"""The journal as a list of changes that can be undone, and as a timeline."""

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.office import ENTRY, HERE, NOW
from tests.doubles.expected import require
from tests.doubles.tables import table

from flagtui.changes.journal_entries import Entry, Signature, with_directions
from flagtui.changes.proposal import Purpose
from flagtui.changes.timeline import markdown, summary
from flagtui.changes.undo import find_skipped, next_undo, questions_of, undo_words, undoable, why_not
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag


def an_entry(kind: str = "flag", verb: str = "turn off", **more: Any) -> Entry:
    """A saved change made here."""
    bare = replace(ENTRY, before={}, after={}, ending="saved")
    return replace(bare, kind=kind, verb=verb, **more)


ENFORCED = an_entry("event_definition", "set enforcement", record=0, uuid="u")


@pytest.mark.parametrize("entry", [an_entry(), ENFORCED])
def test_a_saved_change_made_here_can_be_taken_back_once(entry: Entry) -> None:
    assert undoable([entry], HERE) == [entry]
    back = an_entry(entry.kind, entry.verb, id="later", undoes="a1", uuid=entry.uuid)
    assert entry not in undoable([back, entry], HERE)
    given_up = an_entry(entry.kind, entry.verb, id="later", undoes="a1", ending="failed")
    assert entry in undoable([given_up, entry], HERE)


STATUS = {"before": {"status": "running"}, "after": {"status": "draft"}}


@table("entry, reason", {
    "a reset before its dates were written down": (an_entry("experiment", "reset experiment", **STATUS),
                                                   "was not recorded"),
    "a copy without a number": (an_entry("copy", "copy", record=0, after={"project": 2}), "id is not known"),
    "a schedule without a number": (
        an_entry("scheduled_change", "schedule", after={"payload": {"operation": "x"}}), "id is not known"),
    "an experiment without a number": (an_entry("experiment", "create experiment", record=0),
                                       "id of the new experiment"),
    "an event elsewhere": (an_entry("event_definition", signature=Signature(host="other", project="1")),
                           "another server"),
    "an event of another project": (
        an_entry("event_definition", signature=Signature(host=HERE.host, project="9")), "another project"),
    **{f"an event that ended as {ending}": (an_entry("event_definition", ending=ending), "it ended as ")
       for ending in ("refused", "conflicted")},
    **{f"an event whose outcome is {ending or 'open'}": (an_entry("event_definition", ending=ending),
                                                         "whether it was applied is not known")
       for ending in ("unknown", "")},
    "something newer": (an_entry("survey", "rename"), "does not know"),
})  # fmt: skip
def test_what_cannot_be_taken_back_says_why(entry: Entry, reason: str) -> None:
    assert reason in require(why_not(entry, HERE)).reason
    assert undoable([entry], HERE) == []


def test_changes_that_are_undone_differently_are_counted() -> None:
    off, renamed = an_entry(), an_entry(verb="rename")
    assert undo_words([off, replace(off, id="b")]) == "turn 2 flags on again"
    assert undo_words([off, renamed]) == "2 changes"


def test_parts_of_one_change_that_were_redone_are_undone_together() -> None:
    changed = an_entry(at=1.0)
    undone = [an_entry(id=f"undo {part}", undoes="a1", at=2.0) for part in "xy"]
    redone = [an_entry(id=f"redo {part}", undoes=f"undo {part}", at=3.0) for part in "xy"]
    other = an_entry(id="other", at=0.5)
    entries = with_directions({entry.id: entry for entry in (changed, *undone, *redone, other)})
    assert [entry.id for entry in next_undo(entries, HERE)] == ["redo x", "redo y"]


@pytest.mark.parametrize(("kind", "verb"), [("copy", "copy"), ("experiment", "copy experiment")])
async def test_copies_in_two_projects_are_undone_in_two_questions(kind: str, verb: str) -> None:
    copies = [an_entry(kind, verb, record=id, after={"project": id // 2}) for id in (4, 6, 7)]
    client: Any = SimpleNamespace(project=1)
    questions = await questions_of(copies, copies, client, Purpose("Undo", "3 changes"))
    assert [[part.entry.record for part in parts] for parts, _ in questions] == [[4], [6, 7]]
    assert [purpose.part for _, purpose in questions] == ["1 of 2", "2 of 2"]


@pytest.mark.parametrize(("verb", "kinds"), [
    ("archive experiment", ["experiment", "flag"]), ("launch experiment", ["flag", "experiment"]),
])  # fmt: skip
async def test_a_step_of_many_experiments_is_undone_in_two_questions(verb: str, kinds: list[str]) -> None:
    active = verb == "launch experiment"
    is_archived = not active

    async def read_experiment(id: int) -> Experiment:
        return Experiment.of({"id": id, "archived": is_archived, "start_date": "2026-01-01T09:00:00Z"})

    async def read_flag(id: int) -> Flag:
        return Flag.of({"id": id, "key": "f", "active": active})

    def changed(id: int, before: bool) -> Entry:
        flag = {"feature_flag.id": id + 10, "feature_flag.key": "f", "feature_flag.active": before}
        after = {"feature_flag.active": active}
        return an_entry("experiment", verb, id=str(id), record=id, before=flag, after=after)

    # The flag of the last one was as it is now.
    changes = [changed(1, not active), changed(2, not active), changed(3, active)]
    client: Any = SimpleNamespace(
        project=1, experiments=SimpleNamespace(get=read_experiment), flags=SimpleNamespace(get=read_flag)
    )
    questions = await questions_of(changes, changes, client, Purpose("Undo", "3 changes"))
    assert [parts[0].entry.kind for parts, _ in questions] == kinds
    parts = {parts[0].entry.kind: parts for parts, _ in questions}
    assert [part.entry.record for part in parts["experiment"]] == [1, 2, 3]
    assert [part.entry.record for part in parts["flag"]] == [11, 12]
    skipped = [find_skipped(parts["experiment"], ids) for ids in ([1, 3], [1, 2, 3], [])]
    assert skipped == [{"2"}, set(), set()]
    if kinds[-1] == "flag":
        is_archived = False
        [(rest, purpose)] = await questions_of(changes[:2], changes, client, Purpose("Undo", "2 changes"))
        assert ([part.entry.kind for part in rest], purpose.part) == (["flag", "flag"], "the rest")


SAVED = replace(ENTRY, ending="saved", saved_version=13, ended_at=NOW + 1)


def test_timeline_is_oldest_first_with_user_change_reason_and_outcome() -> None:
    on = replace(SAVED, at=NOW + 90, id="b", verb="turn on", ending="")
    assert markdown([on, replace(SAVED, reason="incident 12")], "Incident").splitlines() == [
        *("# Incident", "", "## 2026-05-28 (UTC)", ""),
        "- **20:26:40** `checkout-v2`: turn off by ada@acme.test in prod. Saved as version 13.",
        "  - on → off",
        "  - why: incident 12",
        "- **20:28:10** `checkout-v2`: turn on by ada@acme.test in prod."
        " **not known whether it was applied**.",
        "  - on → off",
    ]


def test_timeline_tells_undo_from_redo_and_empty_from_anonymous() -> None:
    undo = replace(SAVED, id="b", at=NOW + 1, direction="undo")
    redo = replace(SAVED, id="c", at=NOW + 2, direction="redo")
    lines = [line for line in markdown([SAVED, undo, redo]).splitlines() if "13" in line]
    assert [line.rpartition("13")[2] for line in lines] == [".", " (undo).", " (redo)."]
    text = markdown([replace(SAVED, signature=Signature("", "prod"))], "Incident")
    assert "`checkout-v2`: turn off in prod. Saved as version 13." in text
    assert "Nothing was changed." in markdown([])
    assert summary(SAVED) == "checkout-v2: turn off, saved, v12 → v13"


def test_nothing_from_outside_becomes_markup_or_reaches_a_terminal() -> None:
    nasty = "x`](http://evil) <img src=x>\n# heading\x1b[2J\u202e|"
    text = markdown([replace(SAVED, key=nasty, reason=nasty, words=(nasty,), note=nasty)])
    lines = text.splitlines()
    assert len([line for line in lines if line.startswith("#")]) == 2
    assert not {"\x1b", "\u202e"} & {*text}
    assert all("<img" not in line.replace("\\<img", "") for line in lines if "`" not in line)
