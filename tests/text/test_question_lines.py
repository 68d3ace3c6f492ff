"""A question shows everything that is about to be sent, however long and however narrow the terminal."""

import pytest
from msgspec.structs import replace
from tests.changes.conftest import NOW, flag, make_plan
from tests.doubles.expected import expect

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, switch
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create, remote_configuration
from flagtui.changes.guard import GuardRules, Level, Question, guard
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Caution, Consequence
from flagtui.models.json_value import JSON
from flagtui.text.flag_sentences import plain
from flagtui.text.question_lines import bulk_lines, consequence_lines, question_lines

REACH = Consequence("Reach", "3 of 4 users")
LONG = "Invite reservation guests by " + "mail-and-text-and-post " * 8 + "to the end"
CONDITIONS = [{"properties": [], "rollout_percentage": place} for place in range(1, 31)]
CHANGES: dict[str, tuple[dict[str, JSON], str]] = {
    "a description": ({"name": LONG}, LONG),
    "a payload": ({"filters": {"groups": CONDITIONS[:1], "payloads": {"true": f'"{LONG}"'}}}, LONG),
    "the last condition": ({"filters": {"groups": CONDITIONS}}, "condition 30 added: 30 % of everyone"),
}


def question_text(*plans: Plan, level: Level = Level.GUARDED, width: int = 60) -> str:
    """The text of the question without its line breaks and indents."""
    question = expect(guard(Planned(None, plans), GuardRules(level, place="TEST")), Question)
    lines = plain(question_lines(question, width, NOW)).split("\n")
    assert max(map(len, lines)) <= width
    return " ".join(" ".join(lines).split())


def plan(change: str, id: int = 1) -> Plan:
    values, _end = CHANGES[change]
    fresh = flag(id=id, key=f"flag-{id}", name="", filters={"groups": []})
    return make_plan(Intent(id, values, "edit"), fresh, Context(now=NOW))


@pytest.mark.parametrize("level", [Level.RELAXED, Level.GUARDED, Level.STRICT])
@pytest.mark.parametrize("change", CHANGES)
def test_question_shows_the_whole_value(change: str, level: Level) -> None:
    assert CHANGES[change][1] in question_text(plan(change), level=level).replace('\\"', '"')


@pytest.mark.parametrize("change", CHANGES)
def test_question_about_several_flags_shows_the_whole_value(change: str) -> None:
    other = replace(plan("a description", 2), lines=plan("a payload", 2).lines[:1])
    for plans in ((plan(change), plan(change, 2)), (plan(change), other)):
        assert CHANGES[change][1] in question_text(*plans).replace('\\"', '"')


def test_question_about_a_new_flag_shows_each_value_once() -> None:
    config = remote_configuration("fresh", f'{{"text": "{LONG}"}}')
    for fields, name, times in ((config, LONG, 2), (boolean_flag("fresh"), "Short", 1)):
        created = plan_create({**fields, "name": name}, Taken(()), Context(now=NOW))
        assert question_text(expect(created, Plan)).count(name) == times


@pytest.mark.parametrize("width", range(40, 90))
def test_numbers_stay_with_their_percent_signs(width: int) -> None:
    text = "Carmen, 0 s ago: changed condition 1: rollout 60 % → 70 %, condition 2: rollout 5 % → 100 %"
    lines = plain(consequence_lines(Consequence("Last", text), width)).split("\n")
    assert not [line for line in lines if line.split()[0] == "%"]
    assert " ".join(line.strip() for line in lines).removeprefix("Last").strip() == text


def test_cautions_come_before_consequences() -> None:
    doubtful = replace(plan("a payload"), cautions=(Caution("users lose it"),), consequences=(REACH,))
    text = question_text(doubtful)
    assert text.index("! users lose it") < text.index("Reach 3 of 4 users")


def test_question_about_many_names_those_with_cautions_first() -> None:
    plans = [plan("a payload", id) for id in range(1, 9)]
    plans[6] = replace(plans[6], cautions=(Caution("experiment #31 is running"),))
    text = question_text(*plans)
    assert text.index("! 1 of 8 with a caution: flag-7") < text.index("flag-1")
    doubtful = [replace(each, cautions=(Caution("it is used"),)) for each in plans[:5]]
    assert "! 5 of 5 with a caution: flag-1, flag-2, flag-3 and 2 more" in question_text(*doubtful)


def test_wide_letters_do_not_share_a_line_with_the_change() -> None:
    off, edited = make_plan(switch("turn off", 1), flag(id=1, key="界" * 17)), plan("a description", 2)
    assert f"\n  {'界' * 17}\n      on → off\n" in plain(bulk_lines([off, edited], 80))


def test_short_question_has_its_cautions_and_what_comes_later() -> None:
    doubtful = replace(plan("a description"), cautions=(Caution("experiment #31 is running", ("end it",)),))
    assert question_text(doubtful, level=Level.RELAXED).endswith("! experiment #31 is running safer: end it")
    later = replace(plan("a description"), lines=(), consequences=(Consequence("Then", "on, tomorrow"),))
    assert question_text(later, level=Level.RELAXED) == "flag-1 Then on, tomorrow"
    changed = replace(plan("a description"), consequences=(REACH,))
    assert "3 of 4 users" not in question_text(changed, level=Level.RELAXED)
