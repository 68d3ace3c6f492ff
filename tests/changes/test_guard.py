"""The ladder, and that nothing but the guard can approve."""

import ast
import copy
import dataclasses
import pickle
from pathlib import Path

import pytest
from tests.changes.conftest import flag
from tests.doubles.expected import expect

from flagtui.changes.difference import Clash
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import (
    Approved,
    Around,
    Confirmation,
    GuardRefused,
    GuardRules,
    Level,
    NotYet,
    Question,
    guard,
    spend,
)
from flagtui.changes.proposal import Skipped

SOURCE = Path(__file__).parents[2] / "src" / "flagtui"


def plan_of(wanted: Intent | None = None, **fields: object) -> Plan:
    fresh = flag(**fields)
    plan = plan_flag(wanted or flag_intent.switch("turn off", fresh.id), fresh, Context(dependents=()))
    assert isinstance(plan, Plan)
    return plan


def asked(result: GuardRefused | Question) -> Question:
    assert isinstance(result, Question)
    return result


def test_a_read_only_profile_refuses_without_asking() -> None:
    assert isinstance(guard([plan_of()], GuardRules(Level.READ_ONLY)), GuardRefused)


def test_relaxed_needs_one_y_on_one_line() -> None:
    question = asked(guard([plan_of()], GuardRules(Level.RELAXED)))
    assert (question.is_dialog, question.type_this) == (False, None)
    assert isinstance(question.settle(Confirmation(yes=True)), Approved)


def test_guarded_shows_the_whole_dialog() -> None:
    question = asked(guard([plan_of()], GuardRules(Level.GUARDED, place="PROD")))
    assert (question.is_dialog, question.type_this, question.title) == (True, None, "Turn OFF in PROD")


def test_strict_wants_the_key_typed_in_full_and_yes_is_not_enough() -> None:
    question = asked(guard([plan_of()], GuardRules(Level.STRICT)))
    assert question.type_this == "checkout-v2"
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    assert isinstance(question.settle(Confirmation(typed="checkout-v")), NotYet)
    assert isinstance(question.settle(Confirmation(typed="checkout-v2")), Approved)


def test_a_key_that_cannot_be_trusted_is_confirmed_by_the_flags_number() -> None:
    assert asked(guard([plan_of(key="checkout\u202e-v2")], GuardRules(Level.STRICT))).type_this == "812"


def test_an_unlocked_strict_profile_asks_for_y_except_for_grave_changes() -> None:
    rules = GuardRules(Level.STRICT, is_unlocked=True)
    assert asked(guard([plan_of()], rules)).type_this is None
    assert asked(guard([plan_of(flag_intent.switch("delete", 812))], rules)).type_this == "checkout-v2"


def test_a_reason_is_insisted_on_where_it_is_required() -> None:
    question = asked(guard([plan_of()], GuardRules(require_reason=True)))
    assert isinstance(question.settle(Confirmation(yes=True, reason="  ")), NotYet)
    approved = expect(question.settle(Confirmation(yes=True, reason=" incident 12 ")), Approved)
    assert approved.reason == "incident 12"


@pytest.mark.parametrize(
    "answer", [Confirmation(yes=True, was_pasted=True), Confirmation(yes=True, is_key_repeat=True)]
)
def test_pasted_text_and_a_key_held_down_never_confirm(answer: Confirmation) -> None:
    assert isinstance(asked(guard([plan_of()], GuardRules(Level.RELAXED))).settle(answer), NotYet)


def test_overwriting_another_persons_change_has_to_be_agreed_to() -> None:
    plan = dataclasses.replace(plan_of(), clashes=(Clash(("name",), "a", "b", "c"),))
    question = asked(guard([plan], GuardRules(Level.RELAXED)))
    assert question.is_dialog
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    assert isinstance(question.settle(Confirmation(yes=True, overwrite=True)), Approved)


def test_going_without_the_journal_has_to_be_agreed_to() -> None:
    question = asked(guard([plan_of()], GuardRules(Level.RELAXED), Around(without_journal="no space left")))
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    assert isinstance(question.settle(Confirmation(yes=True, without_journal=True)), Approved)


def test_more_flags_than_the_limit_are_refused_and_many_are_counted() -> None:
    plans = [plan_of(id=number, key=f"k{number}") for number in range(1, 13)]
    assert isinstance(guard(plans, GuardRules(bulk_limit=11)), GuardRefused)
    question = asked(guard(plans, GuardRules(Level.RELAXED, place="PROD")))
    assert (question.type_this, question.title) == ("12", "Turn OFF 12 flags in PROD")


def test_the_question_counts_what_is_left_out_and_confirms_the_others() -> None:
    left_out = [Skipped(9, "k9", "it is archived")]
    plans = [plan_of(id=number, key=f"k{number}") for number in (1, 2)]
    question = asked(guard(plans, GuardRules(Level.STRICT, place="PROD"), Around(left_out)))
    assert (question.type_this, question.title) == ("2", "Turn OFF 2 of 3 flags in PROD")
    assert question.left_out == tuple(left_out)
    alone = asked(guard(plans[:1], GuardRules(Level.RELAXED, place="PROD"), Around(left_out)))
    assert (alone.is_dialog, alone.title) == (True, "Turn OFF 1 of 2 flags in PROD")
    assert isinstance(alone.settle(Confirmation(yes=True)), Approved)


def test_one_flag_twice_in_one_go_is_refused() -> None:
    assert isinstance(guard([plan_of(), plan_of()], GuardRules()), GuardRefused)


def approve() -> Approved:
    approved = asked(guard([plan_of()], GuardRules(Level.RELAXED))).settle(Confirmation(yes=True))
    assert isinstance(approved, Approved)
    return approved


def test_an_approval_is_good_for_one_use() -> None:
    approved = approve()
    spend(approved)
    with pytest.raises(ValueError, match="used before"):
        spend(approved)


def test_nobody_but_the_guard_makes_an_approval() -> None:
    plan = plan_of()
    with pytest.raises(TypeError, match="only the guard"):
        Approved(object(), (plan,), Confirmation(yes=True))
    forged = object.__new__(Approved)
    forged.plans = (plan,)
    with pytest.raises(ValueError, match="never gave it"):
        spend(forged)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_approval_cannot_be_copied(duplicate: object) -> None:
    assert callable(duplicate)
    with pytest.raises(TypeError, match="cannot be copied"):
        duplicate(approve())


def private_names_used(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return names


def test_no_screen_or_command_reaches_a_save_around_the_guard() -> None:
    outside = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] in ("app", "cli")]
    guilty = {
        str(path.relative_to(SOURCE)): names
        for path in outside
        if (names := private_names_used(path) & {"_SEAL", "_approve", "_unused", "spend"})
    }
    assert guilty == {}


def test_every_write_of_a_flag_outside_the_client_is_in_saving() -> None:
    callers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] in ("app", "cli", "changes", "store")
        and ("flags.update(" in path.read_text() or "flags.create(" in path.read_text())
    }
    assert callers <= {"changes/flags/flag_save.py", "changes/flags/new_flags.py"}
