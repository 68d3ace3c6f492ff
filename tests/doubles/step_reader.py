"""Parse the sentences of a step's question, each with the facts that make it true."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.steps import STEPS
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.models.experiment import Experiment
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

VARIANTS: Final = {"control", "test"}
ANSWER: Final = "$feature_enrollment/blue"
"""The property that keeps what a person answered to the offer of early access."""


def crowd() -> list[Person]:
    """People in and out of the condition, with and without an answer to the offer of early access."""
    answers: list[JSON] = [{}, {ANSWER: True}, {ANSWER: False}]
    return [
        Person(
            f"person-{place}",
            {"email": f"p{place}@{'acme' if place % 2 else 'else'}.test", **answers[place % 3]},
            is_complete=True,
        )
        for place in range(240)
    ]


CROWD: Final = crowd()


def values(flag: Flag, *, on: bool | None = None) -> list[JSON]:
    """What each of the people gets, or would get while it is on."""
    raw = dict(flag.raw) if on is None else {**flag.raw, "active": on}
    definitions = Definitions.of([] if flag.deleted else [raw])
    return [evaluate(flag.key, person, definitions).value for person in CROWD]


@dataclass(frozen=True)
class Seen:
    """What was, what is, and the step that was taken between."""

    plan: ExperimentPlan
    before: Flag
    after: Flag
    experiment: Experiment

    @property
    def targeting(self) -> Filters:
        return self.after.targeting

    def given(self, flag: Flag) -> set[JSON]:
        return {value for value in values(flag) if value in VARIANTS}


Reader = Callable[[Seen, re.Match[str]], bool]


def _those_let_in_get(seen: Seen, match: re.Match[str]) -> bool:
    others = {"control"} if "still serves control" in _text(seen, "Others") else set()
    return all(
        bool(was) == bool(now) and now in {match[1], False, *others} for was, now in _not_excepted(seen)
    )


def _not_excepted(seen: Seen) -> Iterable[tuple[JSON, JSON]]:
    """What people got and get while the flag is on, except those that the question excepts."""
    others = _text(seen, "Others")
    before, after = values(seen.before, on=True), values(seen.after, on=True)
    for person, was, now in zip(CROWD, before, after, strict=True):
        is_held = str(now).startswith("holdout-") and str(now) in others
        has_answered = ANSWER in person.properties and "early access" in others
        if not is_held and not has_answered:
            yield was, now


def _answers_decide(seen: Seen, _: re.Match[str]) -> bool:
    answers = [person.properties.get(ANSWER) for person in CROWD]
    return all(
        value is answer
        for answer, value in zip(answers, values(seen.after, on=True), strict=True)
        if answer is not None
    )


def _serves(seen: Seen, match: re.Match[str]) -> bool:
    return match[1] in values(seen.after, on=True)


def _first_is_open(seen: Seen, _: re.Match[str]) -> bool:
    first = seen.targeting.conditions[0]
    return not first.properties and first.rollout == 100


def _text(seen: Seen, label: str) -> str:
    return " ".join(consequence.text for consequence in seen.plan.consequences if consequence.label == label)


FLAG: Final[tuple[tuple[str, Reader], ...]] = (
    (r"^blue ", lambda seen, _: seen.after.key == "blue"),
    (r"stays off(?:; once it is on it)?", lambda seen, _: not seen.before.active and not seen.after.active),
    (r"stays on(?: and)?", lambda seen, _: seen.before.active and seen.after.active),
    (r"is turned on(?: with it| and)?", lambda seen, _: not seen.before.active and seen.after.active),
    (r"is turned off(?= and|:)", lambda seen, _: seen.before.active and not seen.after.active),
    (r"is already on(?: and)?", lambda seen, _: seen.before.active and seen.after.active),
    (r"no one gets a variant", lambda seen, _: not seen.given(seen.after)),
    (r"matches no one", lambda seen, _: not any(values(seen.after, on=True))),
    (r"until it is resumed", lambda seen, _: "resume" in steps_from(seen.experiment)),
    (r"ship one next", lambda seen, _: "ship" in steps_from(seen.experiment)),
    (r"newer servers archive it too", lambda seen, _: seen.after.archived),
    (r"its variants are (?:being )?served(?: again| at once)?", lambda seen, _: bool(seen.given(seen.after))),
    (r"users keep getting their variants",
     lambda seen, _: bool(seen.given(seen.after)) and values(seen.before) == values(seen.after)),
    (r"and archived with it", lambda seen, _: seen.after.archived),
    (r"serves (\w+) to everyone$",
     lambda seen, match: {now for _, now in _not_excepted(seen)} == {match[1]}),
    (r"serves (\w+) to everyone its conditions match", _those_let_in_get),
    (r"serves \w+ to no one, since no condition matches",
     lambda seen, _: not VARIANTS & set(values(seen.after, on=True))),
    (r"comes back with it if it was archived with it, on or off as it is",
     lambda seen, _: seen.before.active == seen.after.active and not seen.after.archived),
)  # fmt: skip
_USERS: Final[tuple[tuple[str, Reader], ...]] = (
    (r"no one: it has no condition", lambda seen, _: not seen.targeting.deciding),
    (r"^(\d+) % of (?:users|everyone)", lambda seen, match: float(match[1]) == seen.targeting.rollout),
    (r"where email ends with (\S+)", lambda seen, match:
     {item.value for each in seen.targeting.deciding for item in each.properties} == {match[1]}),
    (r"(\d+) conditions, at most (\d+) % of those they match", lambda seen, match:
     [*map(float, match.groups())] == [len(seen.targeting.deciding), seen.targeting.rollout]),
)  # fmt: skip
OTHER: Final[dict[str, tuple[tuple[str, Reader], ...]]] = {
    "Flag": FLAG,
    "Others": (
        (r"no other variant is served", lambda seen, _: len(VARIANTS & {*values(seen.after, on=True)}) <= 1),
        (r"condition \d+ still serves (\w+)", _serves),
        (r"users held out still get (holdout-\d+)", _serves),
        (r"those who opted in to early access still get plain true, those who opted out false",
         _answers_decide),
    ),
    "Conditions": ((r"an open condition of 100 % is put before all others", _first_is_open),),
    "Results": (
        (r"start, end and conclusion are erased; results start from zero", lambda seen, _: not (
            seen.experiment.start_date or seen.experiment.end_date or seen.experiment.conclusion)),
        (r"continue until today, as if it had never ended", lambda seen, _: not seen.experiment.end_date),
        (r"count from its old start again", lambda seen, _: seen.experiment.start_date is not None),
        (r"no new users are counted while it is off", lambda seen, _: not seen.given(seen.after)),
    ),
    "Experiment": ((r"ends with it", lambda seen, _: seen.experiment.end_date is not None),),
    "Conclusion": ((r"won: calmly", lambda seen, _: seen.experiment.conclusion == "won"),),
    "Split": ((r"control (\d+) % · test (\d+) %", lambda seen, match:
               [*map(float, match.groups())] == [each.rollout for each in seen.targeting.variants]),),
    "Users": _USERS,
    "Groups": _USERS,
    "Metrics": ((r"(\d+) measured from now on",
                 lambda seen, match: int(match[1]) == len(seen.experiment.metrics)),),
    "Restore": ((r"with undo, or by its number, #(\d+): no list shows it then",
              lambda seen, match: int(match[1]) == seen.plan.id),),
}  # fmt: skip


def steps_from(experiment: Experiment) -> set[str]:
    """What can be done with it as it is."""
    return {name for name, step in STEPS.items() if experiment.state in step.states}


def untrue(seen: Seen) -> Iterable[str]:
    """Every sentence that does not hold, and every word of one that no reader knows."""
    for consequence in seen.plan.consequences:
        rest = consequence.text
        for words, holds in OTHER.get(consequence.label, ()):
            if (match := re.search(words, consequence.text)) is None:
                continue
            rest = rest.replace(match[0].strip(), "")
            if not holds(seen, match):
                yield f"untrue: {consequence.label}: {consequence.text}"
        if re.search(r"\w", rest):
            yield f"nobody reads {rest!r} of {consequence.label}: {consequence.text}"
