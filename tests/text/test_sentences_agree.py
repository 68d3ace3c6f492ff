"""Sentences are read back as users read them and compared with the evaluator."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

import pytest
from tests.doubles import random_flags
from tests.doubles.served_flags import Served
from tests.doubles.slices import at_most
from tests.doubles.targeting import asks, asks_cohort, asks_flag, group, variants

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Reason
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person
from flagtui.models.filters import Filters
from flagtui.models.flag_details import Names
from flagtui.text.flag_sentences import plain, who_sees_it

JSON = Any
Reader = Callable[[str], JSON]
SAME: Final = (
    *("is", "is exactly", "is version", "is at least version", "is at most version", "is a patch of version"),
    "is compatible with version",
)
READERS: Final[dict[str, Reader]] = {
    **dict.fromkeys(SAME, str),
    **dict.fromkeys(["does not contain", "contains none of"], lambda value: ""),
    **dict.fromkeys(["≥", "≤"], float),
    "is set": lambda value: "anything",
    "is not set": lambda value: None,
    "is not version": lambda value: "77.1.2",
    "is not": lambda value: f"not {value}",
    "is none of": lambda value: "none of them",
    "is any of": lambda value: value.split(", ")[0],
    "is a version above": lambda value: "999.0.0",
    "is a version below": lambda value: "0.0.0",
    "is before": lambda value: "1999-01-01",
    "is after": lambda value: "2999-01-01",
    "contains any of": lambda value: f"a {value.split(', ')[-1]} z",
    "contains": lambda value: f"a{value}z",
    "does not start with": lambda value: f"~{value}",
    "starts with": lambda value: f"{value}z",
    "does not end with": lambda value: f"{value}~",
    "ends with": lambda value: f"a{value}",
    ">": lambda value: float(value) + 1,
    "<": lambda value: float(value) - 1,
}
"""By verb: a value for a user so that `key <verb> value` holds; None sets no value."""

ASKED: list[tuple[str, JSON]] = [
    ("exact", "pro"), ("exact", ["pro", "scale"]), ("exact", ["pro"]), ("is_not", "pro"),
    ("is_not", ["pro", "scale"]), ("icontains", "acme"), ("not_icontains", "acme"),
    ("icontains_multi", ["acme", "shop"]), ("not_icontains_multi", ["acme", "shop"]),
    ("starts_with", "ac"), ("not_starts_with", "ac"), ("ends_with", ".com"), ("not_ends_with", ".com"),
    ("gt", "3"), ("gte", "3"), ("lt", "3"), ("lte", "3"), ("min", "3"), ("max", "3"),
    ("is_set", None), ("is_not_set", None), ("is_date_before", "2024-02-29"), ("is_date_exact", "2024-02-29"),
    ("is_date_after", "2024-02-29"), ("semver_eq", "1.2.3"), ("semver_neq", "1.2.3"),
    ("semver_gt", "1.2.3"), ("semver_gte", "1.2.3"), ("semver_lt", "1.2.3"), ("semver_lte", "1.2.3"),
    ("semver_tilde", "1.2.3"), ("semver_caret", "1.2.3"),
]  # fmt: skip


def sentence_of(flag: dict[str, JSON]) -> list[str]:
    return plain(who_sees_it(Filters.of(flag["filters"]))).splitlines()


def person_who_fits(lines: list[str]) -> Person:
    """Build the user from the sentence alone."""
    properties: dict[str, JSON] = {}
    for line in lines:
        key, _, rest = line.removeprefix("  and").strip().partition(" ")
        words = max((reader for reader in READERS if f"{rest} ".startswith(f"{reader} ")), key=len)
        given = READERS[words](rest[len(words) :].strip())
        if given is not None:
            properties[key] = given
    return somebody(**properties)


def somebody(**properties: JSON) -> Person:
    return Person("somebody", properties, is_complete=True)


def value_for(flag: dict[str, JSON], person: Person) -> JSON:
    return evaluate(flag["key"], person, Definitions.of([flag])).value


def make_flag(*groups: JSON, **filters: JSON) -> dict[str, JSON]:
    return {"id": 1, "key": "flag", "active": True, "filters": {"groups": [*groups], **filters}}


def questions(*pairs: tuple[str, JSON]) -> JSON:
    """A condition that asks for p0, p1 and so on."""
    return group(100, *(asks(f"p{place}", *question) for place, question in enumerate(pairs)))


@pytest.mark.parametrize("question", ASKED, ids=str)
def test_flag_sentences_match_the_evaluator(question: tuple[str, JSON]) -> None:
    flag = make_flag(questions(question))
    head, *clauses = sentence_of(flag)
    assert head == " 1 100 % of users where"
    assert value_for(flag, person_who_fits(clauses)) is True
    opposite = somebody(**{"p0": "1.2.3~ac"} if question[0] == "is_not_set" else {})
    assert value_for(flag, opposite) is (question[0].startswith("not_") or question[0] == "is_not")


def test_several_clauses_are_joined_by_and() -> None:
    random = Random("clauses")
    for _ in range(300):
        flag = make_flag(questions(*(random.choice(ASKED) for _ in range(random.choice([1, 2, 3])))))
        _, *clauses = sentence_of(flag)
        fitting = person_who_fits(clauses)
        assert value_for(flag, fitting) is True
        for question in flag["filters"]["groups"][0]["properties"]:
            if not question["operator"].startswith(("is_not", "not_")):
                left = {key: value for key, value in fitting.properties.items() if key != question["key"]}
                assert value_for(flag, somebody(**left)) is False


def test_rollouts_of_0_and_100_match_no_one_and_everyone() -> None:
    random = Random("everyone")
    counts = {"everybody": 0, "nobody": 0}
    for _ in range(at_most(600, 1_500)):
        flag = random_flags.flag(random, 1, 1) | {"active": True}
        lines = sentence_of(flag)
        properties = random_flags.properties(random)
        person = Person(f"p{random.randrange(10_000)}", properties, device_id="d", is_complete=True)
        # One that asks for a flag is off for everybody while that flag is missing, as here.
        if any(line[6:].startswith("flag ") for line in lines):
            continue
        conditions = [line for line in lines if line[:3].strip().isdigit()]
        is_plain = not any(line.startswith(" ·") for line in lines)
        shut = [line for line in conditions if " 0 % of" in line or "never matches: " in line]
        if is_plain and any(line.startswith(" 1 100 % of everyone") for line in lines[:1]):
            counts["everybody"] += 1
            assert value_for(flag, person) not in (False, None), lines
        elif is_plain and len(shut) == len(conditions):
            counts["nobody"] += 1
            assert not value_for(flag, person), lines
    assert min(counts.values()) > 12, counts


ASKS: Final = (asks("plan", "exact", ["pro"]), asks("age", "gt", 18), asks("plan", "is_not", ["free"]))


def narrowing_flag(random: Random) -> dict[str, JSON]:
    """A flag whose second condition asks for no less than its first one."""
    wide = random.sample(ASKS, random.randrange(1, 3))
    narrow = [*wide, *random.sample(ASKS, random.randrange(2))]
    shares = random.choice([0, 40, 100]), random.choice([40, 100])
    return make_flag(group(shares[0], *wide), group(shares[1], *narrow), early_exit=random.random() < 0.5)


def test_condition_that_adds_no_one_never_decides() -> None:
    random, seen = Random("adds nobody"), 0
    for number in range(at_most(2_500, 6_000)):
        flag = random_flags.flag(random, 1, 1) | {"active": True} if number % 2 else narrowing_flag(random)
        conditions = conditions_of(sentence_of(flag))
        useless = [int(head[:3]) for head, clauses in conditions if "adds no one" in " ".join(clauses)]
        if flag["key"] == "flag":
            first, second = (condition["rollout_percentage"] for condition in flag["filters"]["groups"])
            assert useless == ([2] if flag["filters"]["early_exit"] or first >= second else []), flag
        seen += len(useless)
        properties = random_flags.properties(random) | {"plan": random.choice(["pro", "free"])}
        person = Person(f"p{number}", properties | {"age": random.choice([2, 70])}, is_complete=True)
        evaluation = evaluate(flag["key"], person, Definitions.of([flag]))
        decided = evaluation.condition_index if evaluation.reason is Reason.CONDITION_MATCH else None
        assert decided is None or decided + 1 not in useless, (flag, person)
    assert seen > 600


def test_sample_sentences_match_the_evaluator(projects: Sequence[Served]) -> None:
    counts = {"by properties": 0, "everyone": 0}
    for project in projects:
        definitions = Definitions.of(project.flags)
        for raw in project.flags:
            lines = sentence_of(raw)
            # What comes before the conditions, and an early exit, decide whatever a condition says.
            if not raw["active"] or raw["archived"] or any(line.startswith(" ·") for line in lines):
                continue
            for head, clauses in conditions_of(lines):
                if "100 % of" not in head or not all(map(can_be_read, clauses)):
                    continue
                if "groups" in head or "not a variant" in head or "adds no one" in " ".join(clauses):
                    continue
                value = evaluate(raw["key"], person_who_fits(clauses), definitions).value
                assert value not in (False, None), (raw["key"], head, clauses)
                counts["by properties" if clauses else "everyone"] += 1
    assert counts["everyone"] > 40
    assert counts["by properties"] > 3, counts


def can_be_read(clause: str) -> bool:
    """Return whether a user can be built from the sentence: not for patterns, cohorts or dependencies."""
    rest = clause.partition(" ")[2]
    is_asked_of_a_person = not clause.startswith(("users ", "flag "))
    return is_asked_of_a_person and any(f"{rest} ".startswith(f"{reader} ") for reader in READERS)


def conditions_of(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each condition's first line and its properties."""
    head, clauses = "", list[str]()
    for line in [*lines, " 0 end"]:
        if line[:3].strip().isdigit():
            if head:
                yield head, clauses
            head, clauses = line, []
        else:
            clauses.append(line.removeprefix("  and").strip())


@pytest.mark.parametrize("operator", ["in", "not_in", "exact"])
def test_cohort_sentence_matches_the_evaluator(operator: str) -> None:
    flag = make_flag(group(100, asks_cohort(31, operator, cohort_name="Beta")))
    clause = sentence_of(flag)[1].strip()
    assert clause in ("users in Beta", "users not in Beta")
    definitions = Definitions.of([flag], static_cohorts=[31])
    member = Person("m", static_cohorts=frozenset({"31"}), is_complete=True)
    for person, is_in in ((member, True), (somebody(), False)):
        assert evaluate("flag", person, definitions).value is (is_in == (clause == "users in Beta"))


@pytest.mark.parametrize("value", [True, False, "a"])
@pytest.mark.parametrize("variant", [None, "a", "b"])
@pytest.mark.parametrize("base_on", [True, False])
def test_dependency_sentence_matches_the_evaluator(value: JSON, variant: str | None, base_on: bool) -> None:
    base: dict[str, JSON] = {"id": 9, "key": "base", "active": base_on, "filters": {"groups": [{}]}}
    if variant is not None:
        base["filters"]["multivariate"] = variants(**{"a": 0, "b": 0, variant: 100})
    flag = make_flag(group(100, asks_flag("9", value, label="base")))
    clause = sentence_of(flag)[1].strip()
    given = value_for(base, somebody())
    sentence = {
        "flag base is on": given is not False,
        "flag base is off": given is False,
        "flag base serves a": given == "a",
    }[clause]
    assert evaluate("flag", somebody(), Definitions.of([base, flag])).value is sentence


def test_group_and_user_sentences_match_the_evaluator() -> None:
    plan = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
    flag = make_flag(group(100, plan, aggregation_group_type_index=0), questions(("exact", "x")))
    lines = plain(who_sees_it(Filters.of(flag["filters"]), Names(groups={0: "company"}))).splitlines()
    assert (lines[0], lines[2]) == (" 1 100 % of company groups where", " 2 100 % of users where")
    definitions = Definitions.of([flag], group_types={"0": "company"})

    def sees(properties: dict[str, JSON], group: dict[str, JSON] | None) -> JSON:
        groups = {} if group is None else {"company": Group("acme", group)}
        return evaluate("flag", Person("p", properties, groups, is_complete=True), definitions).value

    assert sees({}, {"plan": "pro"}) is True
    assert sees({"plan": "pro"}, {"plan": "free"}) is False
    assert sees({"p0": "x"}, None) is True
