"""The ladder, and that nothing but the guard can approve."""

import ast
import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.conftest import flag, make_plan
from tests.changes.writing import PLAIN, approve
from tests.doubles.expected import expect
from tests.doubles.source_trees import find_nodes

from flagtui.changes.difference import FieldConflict
from flagtui.changes.flags.flag_intent import switch
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.guard import (
    Approved,
    Confirmation,
    GuardRefused,
    GuardRules,
    Level,
    NotYet,
    Question,
    guard,
    spend,
)
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Purpose
from flagtui.changes.skipped import Skipped, refused_first, skip_no_op
from flagtui.text.outcomes import count_skipped

SOURCE = Path(__file__).parents[2] / "src" / "flagtui"


def off(**fields: object) -> Plan:
    fresh = flag(**fields)
    return make_plan(switch("turn off", fresh.id), fresh)


def several(count: int) -> list[Plan]:
    return [off(id=number, key=f"k{number}") for number in range(1, count + 1)]


def undo_of(count: int, **more: Any) -> Planned[Any, Any]:
    return Planned(None, purpose=Purpose("Undo", f"turn {count} flags off"), **more)


def ask(*plans: Plan, asked_with: Planned[Any, Any] = PLAIN, **rules: Any) -> Question:
    planned = replace(asked_with, plans=plans or (off(),))
    return expect(guard(planned, GuardRules(**rules)), Question)


def settles(question: Question, **answer: Any) -> bool:
    result = question.settle(Confirmation(**answer))
    assert isinstance(result, Approved | NotYet)
    return isinstance(result, Approved)


def test_levels_refuse_ask_for_a_key_or_show_a_dialog() -> None:
    assert isinstance(guard(Planned(None, [off()]), GuardRules(Level.READ_ONLY)), GuardRefused)
    question = ask(level=Level.RELAXED)
    assert (question.is_dialog, question.type_this, settles(question, yes=True)) == (False, None, True)
    question = ask(level=Level.GUARDED, place="PROD")
    assert (question.is_dialog, question.type_this, question.title) == (True, None, "Turn OFF in PROD")


def test_strict_needs_the_key_or_the_number_typed() -> None:
    question = ask(level=Level.STRICT)
    assert question.type_this == "checkout-v2"
    answers: list[dict[str, Any]] = [{"yes": True}, {"typed": "checkout-v"}, {"typed": "checkout-v2"}]
    assert [settles(question, **answer) for answer in answers] == [False, False, True]
    assert ask(off(key="checkout\u202e-v2"), level=Level.STRICT).type_this == "812"
    deletion = make_plan(switch("delete", 812), flag())
    assert ask(level=Level.STRICT, is_unlocked=True).type_this is None
    assert ask(deletion, level=Level.STRICT, is_unlocked=True).type_this == "checkout-v2"


def test_reason_is_insisted_on_and_pastes_never_confirm() -> None:
    question = ask(require_reason=True)
    assert not settles(question, yes=True, reason="  ")
    approved = expect(question.settle(Confirmation(yes=True, reason=" incident 12 ")), Approved)
    assert approved.reason == "incident 12"
    question = ask(level=Level.RELAXED)
    assert not settles(question, yes=True, was_pasted=True)
    assert not settles(question, yes=True, is_key_repeat=True)


def test_overwriting_and_a_missing_journal_are_agreed_to() -> None:
    contested = replace(off(), conflicts=(FieldConflict(("name",), "a", "b", "c"),))
    question = ask(contested, level=Level.RELAXED)
    assert question.is_dialog
    assert not settles(question, yes=True)
    assert settles(question, yes=True, overwrite=True)
    question = ask(level=Level.RELAXED, asked_with=Planned(None, without_journal="no space left"))
    assert not settles(question, yes=True)
    assert settles(question, yes=True, without_journal=True)


def test_too_many_or_repeated_flags_are_refused() -> None:
    assert isinstance(guard(Planned(None, several(12)), GuardRules(bulk_limit=11)), GuardRefused)
    assert isinstance(guard(Planned(None, [off(), off()]), GuardRules()), GuardRefused)
    assert expect(guard(Planned(None, []), GuardRules()), GuardRefused).reason == "there is nothing to change"
    question = ask(*several(12), level=Level.RELAXED, place="PROD")
    assert (question.type_this, question.title) == ("12", "Turn OFF 12 flags in PROD")


def test_question_counts_skipped_flags_and_confirms_the_rest() -> None:
    asked_with = Planned(None, skipped=[Skipped(9, "k9", "it is archived")])
    question = ask(*several(2), level=Level.STRICT, place="PROD", asked_with=asked_with)
    assert (question.type_this, question.title) == ("2", "Turn OFF 2 of 3 flags in PROD")
    assert question.planned.skipped == asked_with.skipped
    alone = ask(*several(1), level=Level.RELAXED, place="PROD", asked_with=asked_with)
    assert (alone.is_dialog, alone.title) == (True, "Turn OFF 1 of 2 flags in PROD")
    assert settles(alone, yes=True)


def test_approval_is_made_by_the_guard_and_used_once() -> None:
    approved = approve(off())
    spend(approved)
    with pytest.raises(ValueError, match="used before"):
        spend(approved)
    with pytest.raises(TypeError, match="only the guard"):
        Approved(object(), ask(), Confirmation(yes=True))
    forged = object.__new__(Approved)
    forged.plans = (off(),)
    with pytest.raises(ValueError, match="never gave it"):
        spend(forged)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_approval_cannot_be_copied(duplicate: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="cannot be copied"):
        duplicate(approve(off()))


def private_names_used(path: Path) -> set[str]:
    imported = {alias.name for node in find_nodes(path, ast.ImportFrom) for alias in node.names}
    return imported | {node.attr for node in find_nodes(path, ast.Attribute)}


def test_no_screen_or_command_reaches_a_save_around_the_guard() -> None:
    paths = [path for front_end in ("app", "cli") for path in (SOURCE / front_end).rglob("*.py")]
    private = {"_SEAL", "_approve", "_unused", "spend"}
    assert [path for path in paths if private_names_used(path) & private] == []


def test_flag_writes_outside_the_client_are_all_in_save_modules() -> None:
    callers = {
        str(path.relative_to(SOURCE))
        for folder in ("app", "cli", "changes", "store")
        for path in (SOURCE / folder).rglob("*.py")
        if "flags.update(" in (text := path.read_text()) or "flags.create(" in text
    }
    assert callers <= {"changes/flags/flag_save.py", "changes/flags/new_flags.py"}


def test_some_changes_of_an_undo_can_be_chosen() -> None:
    question = ask(*several(11), place="PROD", asked_with=undo_of(11))
    assert (question.is_divisible, question.type_this) == (True, "11")
    some = question.only({0, 4, 5})
    assert [plan.key for plan in some.plans] == ["k1", "k5", "k6"]
    assert (some.type_this, some.title) == (None, "Undo 3 of 11: Turn OFF 3 flags in PROD")
    assert question.only(()) is question
    assert settles(some, yes=True)


@pytest.mark.parametrize(
    ("saved", "title"), [(2, "Undo 2 of 3: Turn OFF 2 flags in PROD"), (1, "Undo 1 of 2: Turn OFF in PROD")]
)
def test_title_of_an_undo_counts_no_skipped_change(saved: int, title: str) -> None:
    undo = undo_of(saved + 1, skipped=[Skipped(3, "k3", "the flag has been deleted")])
    assert ask(*several(saved), place="PROD", asked_with=undo).title == title


def test_only_plain_undos_of_several_changes_are_divisible() -> None:
    assert ask(*several(2), asked_with=undo_of(2)).is_divisible
    assert not ask(*several(2), level=Level.STRICT, asked_with=undo_of(2)).is_divisible
    assert not ask(*several(1), asked_with=undo_of(2)).is_divisible
    assert not ask(*several(2), require_reason=True, asked_with=undo_of(2)).is_divisible
    assert not ask(*several(2)).is_divisible


def test_refused_records_are_listed_before_no_ops() -> None:
    skipped = [skip_no_op(1, "a", "is off"), Skipped(2, "b", "it is archived"), skip_no_op(3, "c", "is off")]
    assert [each.key for each in refused_first(skipped)] == ["b", "a", "c"]
    assert [count_skipped(skipped), count_skipped(skipped[1:2])] == ["1 skipped, 2 unchanged", "1 skipped"]
