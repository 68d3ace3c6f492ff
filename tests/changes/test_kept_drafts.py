"""Drafts that the end of the program leaves: what is stored of them, for whom, and what they become."""

from pathlib import Path
from typing import Any

from tests.doubles.expected import require

from flagtui.changes.draft import Draft
from flagtui.changes.experiments.experiment_draft import ExperimentCopy
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.kept_drafts import ComparedFields, DraftShelf, KeptDraft
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag

HOSTILE = "\x1b[2J\ud800 phx_secret"
FIRST = {"groups": [{"properties": [], "rollout_percentage": 5}]}
WIDER = {"groups": [{"properties": [], "rollout_percentage": 10**30}]}


def flag(**fields: Any) -> Flag:
    return Flag.of({"id": 7, "key": "k", "name": "old", "version": 3, "tags": [], "filters": FIRST, **fields})


def edited(of: Flag) -> WorkingCopy:
    copy = WorkingCopy.of(of)
    copy.set("name", HOSTILE)
    copy.change_group(0)["rollout_percentage"] = 10**30
    return copy


def redact(text: str) -> str:
    return text.replace("phx_secret", "[key]")


def keep(shelf: DraftShelf, draft: Draft, id: str = "7", at: float = 1e9) -> None:
    shelf.keep(KeptDraft("k", at, draft.state()), draft.noun, id)


def test_edits_resume_on_a_newer_version_as_seen_before(tmp_path: Path) -> None:
    shelf = DraftShelf(tmp_path / "drafts", "https://a.test", "1", redact)
    keep(shelf, edited(flag()))
    [file] = shelf.folder.iterdir()
    assert (file.stat().st_mode & 0o777, shelf.folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.read_text().isprintable()
    resumed = WorkingCopy.of(flag(version=5, tags=["new"], name="theirs"))
    [kept] = shelf.find(resumed, "7")
    assert kept.compare(resumed) == ComparedFields(["name", "filters"], ["name"], [])
    resumed.resume(kept.state)
    intent = require(resumed.intent())
    assert intent.changes == {"name": redact(HOSTILE), "filters": WIDER}
    assert intent.seen == {"name": "old", "filters": FIRST}
    assert (intent.seen_version, resumed.values["tags"]) == (3, ["new"])


def test_a_draft_is_found_for_its_record_until_saved(tmp_path: Path) -> None:
    shelf = DraftShelf(tmp_path, "https://a.test", "1", redact)
    fresh = WorkingCopy.of(flag())
    for at in (1e9, 2e9):
        keep(shelf, edited(flag()), at=at)
    (tmp_path / "form-0-broken.json").write_text("{")
    shelf.keep(KeptDraft("of another version", 0, {"values": {"name": ""}}), fresh.noun, "8")
    assert [kept.kept_at for kept in shelf.find(fresh, "7")] == [2e9, 1e9]
    assert [shelf.names(since) for since in (1e9, 3e9)] == [["k"], []]
    for other in (shelf._replace(host="https://b.test"), shelf._replace(project="2")):
        assert not other.find(fresh, "7") + other.names(0)
    assert not shelf.find(fresh, "8")
    rules = WorkingCopy.of(flag(filters={"version": 2, "rules": []}))
    assert shelf.find(rules, "7")[0].compare(rules) == ComparedFields(["name"], [], ["filters"])
    saved = WorkingCopy.of(edited(flag()).flag)
    saved.values.update({"name": redact(HOSTILE), "filters": WIDER})
    assert not shelf.find(saved, "7")
    assert not shelf.find(fresh, "7")


def test_new_records_resume_whole(tmp_path: Path) -> None:
    shelf = DraftShelf(tmp_path, "https://a.test", "1", redact)
    new = ExperimentCopy.new("Blue", "blue", is_linked=False)
    new.add_variant("third")
    new.share_metric(5, "primary", "Sales")
    keep(shelf, new, "0")
    other = ExperimentCopy.new("Other", "other", is_linked=True)
    [kept] = shelf.find(other, "0")
    other.resume(kept.state)
    assert other.intent() == new.intent()
    assert (other.has_own_flag, other.variant_keys) == (True, ["control", "test", "third"])
    running = ExperimentCopy.of(Experiment.of({"id": 4, "name": "a", "description": ""}))
    running.set("description", "b")
    keep(shelf, running, "4")
    again = ExperimentCopy.of(Experiment.of({"id": 4, "name": "a", "description": "theirs"}))
    again.resume(shelf.find(again, "4")[0].state)
    assert require(again.intent()).choices.seen == {"description": ""}
    flag_draft = WorkingCopy.new({"key": "fresh", "active": True})
    keep(shelf, flag_draft, "0")
    another = WorkingCopy.new({"key": "another"})
    another.resume(shelf.find(another, "0")[0].state)
    assert another.values == flag_draft.values
    encrypted = {"key": "fresh", "has_encrypted_payloads": True}
    assert [WorkingCopy.new(each).is_secret for each in (encrypted, {"key": "fresh"})] == [True, False]


def test_text_of_an_open_question_is_taken_once(tmp_path: Path) -> None:
    shelf = DraftShelf(tmp_path, "https://a.test", "1", redact)
    shelf.keep_text("reason", HOSTILE)
    assert shelf._replace(project="2").take_text("reason") is None
    assert [shelf.take_text("reason") for _ in range(2)] == [redact(HOSTILE), None]
