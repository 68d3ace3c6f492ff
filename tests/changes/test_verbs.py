"""The words of every change: in a title, when done, when undone, for one record and for three."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.event_definitions.conftest import definition
from tests.changes.experiments.conftest import make_experiment

from flagtui.changes.event_definitions.definition_intent import EVENT_VERBS, EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.steps import STEPS, ExperimentIntent
from flagtui.changes.guard import Question
from flagtui.changes.journal_entries import Entry
from flagtui.changes.overrides import override_plan
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import PlanBase
from flagtui.changes.related import creation
from flagtui.changes.shared import shared_plan
from flagtui.changes.undo import undo_words
from flagtui.changes.verbs import STATES, verb
from flagtui.models.record_fields import FLAG_FIELDS

ONE: Final = re.compile(r"\b(the|an?) (experiment|flag|event|definition|copy)\b|\bits?\b", re.IGNORECASE)


class Counted(PlanBase, frozen=True, kw_only=True):
    """A plan with the titles of most kinds."""

    noun: str


def flag_verbs() -> Iterator[str]:
    yield from sorted(STATES)
    yield from ("create", "delete permanently", "rename", "set rollout", "edit", "restore version")
    yield from (f"change {FLAG_FIELDS.words(name)}" for name in FLAG_FIELDS.edited)


def plans() -> Iterator[Any]:
    yield from (Counted(verb=verb(name), noun="flag") for name in flag_verbs())
    yield from (Counted(verb=each, noun="flag") for each in creation.VERBS.values())
    yield from (Counted(verb=each, noun="override") for each in override_plan.VERBS.values())
    yield from (Counted(verb=each, noun="holdout") for each in shared_plan.VERBS.values())
    for step in STEPS.values():
        yield ExperimentPlan(
            verb=step.verb, intent=ExperimentIntent(12, step), fresh=make_experiment(), moves=()
        )
    for name in EVENT_VERBS:
        intent, fresh = EventIntent("u", {}, name), definition()
        yield EventPlan(verb=event_verb(name), intent=intent, fresh=fresh, values={}, before={}, body={})


def question(plan: Any, number: int) -> Question[Any]:
    plans = (plan,) * number
    fields: dict[str, Any] = {"type_this": None, "reason_required": False, "is_dialog": True}
    return Question(plans=plans, planned=Planned(None, plans), place="", **fields)


PLANS: Final = list(plans())


def test_titles_of_one_record_end_with_no_preposition() -> None:
    titles = [plan.title.removesuffix(" of") for plan in plans()]
    assert [title for title in titles if title.endswith((" of", " for", " to", " on", " in"))] == []


@pytest.mark.parametrize("plan", PLANS, ids=[f"{plan.noun}: {plan.verb.name}" for plan in PLANS])
def test_words_for_three_records_name_no_single_record(plan: Any) -> None:
    posed = question(plan, 3)
    for words in (posed.title, posed.accept_words, posed.undo_words):
        assert not ONE.search(words), words
    assert f"3 {plan.noun}s" in posed.title


def test_creations_delete_and_only_lasting_changes_are_grave() -> None:
    assert [plan.verb.undo for plan in PLANS if plan.verb.name == "create"] == ["delete it"] * 3
    names = ("turn off", "turn on", "delete", "rename", "edit", "archive")
    assert [name for name in names if verb(name).is_grave] == ["delete", "rename"]


def test_titles_of_one_or_different_changes_are_true_of_all() -> None:
    plan = next(plan for plan in PLANS if plan.verb.name == "delete experiment")
    assert question(plan, 1).accept_words == "Delete the experiment"
    assert question(plan, 3).accept_words == "Delete 3 experiments"
    both = tuple(Counted(verb=verb(name), noun="flag") for name in ("archive", "unarchive"))
    posed = replace(question(both[0], 2), plans=both)
    assert (posed.title, posed.accept_words) == ("Change 2 flags", "Change 2 flags")


@pytest.mark.parametrize(("step", "single", "several"), [
    ("resume", "turn the flag of Blue off again", "turn the flags of 3 experiments off again"),
    ("launch", "make Blue a draft again", "make 3 experiments drafts again"),
    ("reset", "restore the dates of Blue", "restore the dates of 3 experiments"),
])  # fmt: skip
def test_undo_of_steps_names_their_records(step: str, single: str, several: str) -> None:
    entry = Entry("e", 0, 12, "Blue", STEPS[step].verb.name, kind="experiment")
    assert (undo_words([entry]), undo_words([entry] * 3)) == (single, several)


def test_words_of_a_verb_fit_a_key_and_a_number() -> None:
    titles = {
        **{"turn off": "Turn OFF", "delete": "Delete", "unarchive": "Unarchive"},
        "change description": "Change description of",
        "add a condition to": "Add a condition to",
        "set rollout": "Change the rollout of",
    }
    assert {name: verb(name).title for name in titles} == titles
    assert [verb("turn off").undo_of(count) for count in (1, 3)] == ["turn it on again", "turn them on again"]
