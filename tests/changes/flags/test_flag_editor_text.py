"""A flag in the person's own editor: nothing typed is lost, and only the difference becomes a change."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.changes.conftest import make_plan
from tests.changes.flags.test_targeting_intents import RICH
from tests.doubles.expected import expect, require
from tests.doubles.flag_server import raw_flag

from flagtui.changes.editor_text import SECRET, Faulty, GivenUp, edit, edit_text, without_comments
from flagtui.changes.flags.flag_draft import editable, flag_text, intent_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.safe_text import MASK


def flag(**fields: JSON) -> Flag:
    return Flag.of(raw_flag(**{"filters": RICH, **fields}))


def secret() -> Flag:
    filters: JSON = {"groups": [{"rollout_percentage": 100}], "payloads": {"true": '"hunter2"'}}
    return flag(filters=filters, has_encrypted_payloads=True)


def as_text(fresh: Flag) -> str:
    return flag_text(fresh).text()


def read_intent(old: str, new: str, fresh: Flag) -> Intent:
    """What is asked for once one text was replaced."""
    values = flag_text(fresh).read(as_text(fresh).replace(old, new))
    assert not isinstance(values, Faulty), values
    return require(intent_of(values, fresh))


def read_faulty(text: str) -> Faulty:
    return expect(flag_text(flag()).read(text), Faulty)


def test_editor_text_has_instructions_and_no_rules() -> None:
    text = as_text(flag())
    assert text.startswith("# checkout-v2: flag 812, version 12\n#\n")
    assert json.loads(without_comments(text)) == editable(flag())
    fresh = flag(filters={"version": 2, "rules": []})
    assert "filters" not in editable(fresh)
    assert "only its state, name and tags can be changed here" in as_text(fresh)


@pytest.mark.parametrize("text", ["", "\n\n", "# only comments\n", as_text(flag())])
def test_an_emptied_file_and_text_as_it_was_change_nothing(text: str) -> None:
    assert flag_text(flag()).read(text) == {}


def test_one_changed_value_is_an_intent_for_it_alone() -> None:
    intent = read_intent('"rollout_percentage": 25,', '"rollout_percentage": 30,', flag())
    assert (list(intent.changes), intent.verb, intent.seen_version) == (["filters"], "change targeting", 12)
    plan = make_plan(intent, flag())
    assert [line.where for line in plan.lines] == ["filters.groups[0].rollout_percentage"]


@pytest.mark.parametrize("broken", ['"active": true', '"active": tru,'])
def test_broken_json_returns_with_the_reason_on_top(broken: str) -> None:
    text = as_text(flag()).replace('"active": true,', broken)
    refusal = read_faulty(text)
    assert "# NOT SAVED:" in refusal.text
    assert "it is not JSON" in refusal.text
    assert without_comments(refusal.text) == without_comments(text)


@pytest.mark.parametrize(("old", "new", "reason"), [
    ('"active": true,', '"active": "yes",', "active must be true or false"),
    ('"key": "checkout-v2",', '"key": "a b",', "key must be 1 to 400"),
    ('"key": "checkout-v2",', '"keys": "checkout-v2",', "`keys` is not a field"),
    ('"key": "checkout-v2",', "", "`key` is missing"),
    ('"tags": [', '"tags": [3,', "tags must be a list of texts"),
    ('"evaluation_runtime": "all"', '"evaluation_runtime": "both"', "must be all, client, server or null"),
    ('"rollout_percentage": 25,', '"rollout_percentage": 250,', "must be between 0 and 100"),
    ('"rollout_percentage": 25,', '"rollout_percentage": NaN,', "NaN is not a number"),
    ('"active": true,', '"active": true, "active": false,', "`active` occurs twice"),
])  # fmt: skip
def test_what_cannot_be_saved_says_why_in_the_file(old: str, new: str, reason: str) -> None:
    assert old in as_text(flag())
    refusal = read_faulty(as_text(flag()).replace(old, new))
    assert any(reason in line for line in refusal.reasons)
    assert reason in refusal.text


def test_anything_but_an_object_is_refused() -> None:
    for text in ("[]", "3", '"x"'):
        assert read_faulty(text).reasons == ("it must be one JSON object",)
    assert "nested too deeply" in read_faulty("[" * 100_000).reasons[0]


def test_control_characters_are_escaped_and_read_back_unchanged() -> None:
    nasty = "a\x1b[2Jb\u202ec\u200bd\x9be\n# not a comment"
    fresh = flag(name=nasty)
    text = as_text(fresh)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert flag_text(fresh).read(text) == {}


def test_encrypted_payloads_are_masked_and_stay_as_they_are() -> None:
    text = as_text(secret())
    assert "hunter2" not in text
    assert MASK in text
    intent = read_intent('"rollout_percentage": 100', '"rollout_percentage": 50', secret())
    assert intent.changes["filters"]["payloads"] == {"true": '"hunter2"'}


class Editor:
    """Types one text after the other into the file it is given."""

    def __init__(self, *texts: str | None, works: bool = True) -> None:
        self.texts = list(texts)
        self.works = works
        self.shown: list[str] = []
        self.modes: list[int] = []
        self.path = Path()

    def __call__(self, path: Path) -> bool:
        self.path = path
        self.shown.append(path.read_text())
        self.modes.append(stat.S_IMODE(path.stat().st_mode) | stat.S_IMODE(path.parent.stat().st_mode))
        text = self.texts.pop(0)
        if text is not None:
            path.write_text(text)
        return self.works


def test_the_file_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    editor = Editor(None)
    assert edit(flag_text(flag()), editor, tmp_path) == {}
    assert editor.modes == [0o700]
    assert not editor.path.parent.exists()


def give_up(editor: Callable[[Path], bool], folder: Path, fresh: Flag | None = None) -> GivenUp:
    return expect(edit(flag_text(fresh or flag()), editor, folder), GivenUp)


def test_faulty_text_opens_again(tmp_path: Path) -> None:
    editor = Editor("{", as_text(flag()).replace("New checkout", "My words"))
    assert edit(flag_text(flag()), editor, tmp_path) == {"name": "My words"}
    assert "# NOT SAVED:" in editor.shown[1]


def test_failing_editors_lose_nothing(tmp_path: Path) -> None:
    first = require(give_up(Editor("half a thought", works=False), tmp_path).copy)
    for _ in range(2):
        later = require(give_up(Editor("another", works=False), tmp_path).copy)
        assert (later.name, later.read_text()) == ("flag-812-2.json", "another")
    assert first.read_text() == "half a thought"
    # Of what lacks the key, the project is not known.
    kept = require(give_up(Editor(f"{as_text(flag())}x", works=False), tmp_path).copy)
    for key, named in (("another", False), (flag().key, True)):
        shown = Editor(None)
        assert edit(flag_text(flag(key=key)), shown, tmp_path) == {}
        assert (f"# Not saved earlier: {kept}\n" in shown.shown[0]) is named
    plain = expect(edit_text("old", "event-1.txt", Editor("new words", works=False), tmp_path), GivenUp)
    assert require(plain.copy).read_text() == "new words"
    assert expect(edit_text("old", "event-2.txt", Editor(None, works=False), tmp_path), GivenUp).copy is None


def test_lost_edits_are_kept_in_a_copy_if_possible(tmp_path: Path) -> None:
    copy = require(give_up(Editor("{ my careful work", None), tmp_path / "drafts").copy)
    assert "my careful work" in copy.read_text()
    stubborn, is_closed = Editor("{ more work", None), iter([True, False])
    lost = give_up(lambda path: stubborn(path) and next(is_closed), tmp_path)
    assert "more work" in require(lost.copy).read_text()
    (tmp_path / "file").touch()
    assert give_up(Editor("{", None), tmp_path / "file").copy is None


def test_program_that_writes_another_fault_each_time_is_stopped(tmp_path: Path) -> None:
    def append(path: Path) -> bool:
        path.write_text(path.read_text() + "junk\n")
        return True

    result = give_up(append, tmp_path)
    assert result.reasons[0] == "its text was faulty 10 times"
    assert require(result.copy).read_text().splitlines().count("junk") == 10


@pytest.mark.parametrize("editor", [Editor("{ hunter3", None), Editor("hunter3", works=False)])
def test_lost_text_with_secrets_is_not_kept(editor: Editor, tmp_path: Path) -> None:
    result = give_up(editor, tmp_path, secret())
    assert (result.reasons[-1], result.copy, [*tmp_path.iterdir()]) == (SECRET, None, [])
