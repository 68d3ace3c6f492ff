"""Sentences of a question are parsed again: compared with the context, and with the evaluator."""

import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.doubles.slices import at_most
from tests.doubles.steady_clock import SteadyClock

from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_consequences import cautions, consequences
from flagtui.changes.flags.flag_context import NO_USERS, Context, NotKnown, Reach, Touch
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_refusals import experiments_of
from flagtui.changes.proposal import Consequence
from flagtui.changes.skipped import Linked
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag

NOW: Final = SteadyClock().time()
CROWD: Final = [Person(f"person-{place}", {}, is_complete=True) for place in range(40)]
WANTED: Final = {
    "turned on": flag_intent.switch("turn on", 1),
    "turned off": flag_intent.switch("turn off", 1),
    "deleted": flag_intent.switch("delete", 1),
    "archived": flag_intent.switch("archive", 1),
}


def flag(id: int, key: str, *groups: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "key": key, "active": True, "filters": {"groups": list(groups)}, **more}


@pytest.mark.parametrize("value", [True, False, "test"])
@pytest.mark.parametrize("was_on", [True, False])
@pytest.mark.parametrize("name", WANTED)
def test_predicted_effects_on_dependent_flags_match_evaluation(name: str, was_on: bool, value: Any) -> None:
    change = WANTED[name]
    base = flag(1, "base", {"properties": []}, active=was_on)
    question = {"key": "1", "type": "flag", "operator": "flag_evaluates_to", "value": value}
    context = Context(now=NOW, dependents=(Linked(2, "asking", True),))
    texts = [
        consequence.text
        for consequence in consequences(change, Flag.of(base), change.changes, context)
        if consequence.label == "Dependents"
    ]
    left = [] if change.changes.get("deleted") else [{**base, **change.changes}]
    asking = flag(2, "asking", {"properties": [question]}, *([] if left else [{}]))
    definitions = Definitions.of([*left, asking])
    base_values = {evaluate("base", person, definitions).value for person in CROWD} if left else {False}
    matched = {evaluate("asking", person, definitions).value for person in CROWD}
    for text in texts:
        if "which will be missing: that flag will be off for everyone" in text:
            assert (left, matched) == ([], {False})
        elif "which will be off for everyone" in text:
            assert left
            assert base_values == {False}
        else:
            assert text == "asking depends on this flag"
            assert left
    assert texts or change.changes.get("active", was_on) is was_on


SECONDS: Final = {"min": 60, "h": 3_600, "day": 86_400, "month": 30 * 86_400, "year": 365 * 86_400}
AGO: Final = re.compile(r"^([^,:]+)(?:, (?:(just now)|([\d,]+) (min|h|day|month|year)s? ago))?(?:: (.+))?$")
REACH: Final = re.compile(
    r"^(up to |about |)([\d,]+) of ([\d,]+) users(?:,( as before)| (lose|gain) it)(?:, \1([\d,]+) gain it)?"
    r"(?:: ([\d,]+) → ([\d,]+))?(?:; (.+) are not counted)?$"
)


def number(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None


def reads_reach(text: str, reach: Reach | NotKnown) -> bool:
    if isinstance(reach, NotKnown):
        return text == f"not known: {reach.why}"
    if text.startswith("no one (unchanged)"):
        return (reach.before, reach.after, reach.total) == (0, 0, 0)
    match = REACH.match(text)
    assert match is not None, text
    most, first, total, same, way, second, before, after, opted_in = match.groups()
    moves = {"gain": number(second) or 0, **({way: number(first)} if way else {})}
    is_moved = (moves.get("lose", 0), moves["gain"]) == reach.moved
    is_same = (number(first), reach.moved) == (reach.after, (0, 0)) if same else is_moved
    about = "up to " if reach.is_bound else "about " if reach.is_estimate else ""
    is_most = most == ("" if first == "0" else about)
    sides = (number(before), number(after)) in ((None, None), (reach.before, reach.after))
    return (
        is_same and is_most and sides and number(total) == reach.total and (opted_in or "") == reach.opted_in
    )


def reads_touch(text: str, touch: Touch) -> bool:
    match = AGO.match(text)
    assert match is not None, text
    who, now, count, unit, what = match.groups()
    if (who, what or "") != (touch.who, touch.what) or (touch.at is None) != ((now or count) is None):
        return False
    size = SECONDS.get(unit, 60)
    return touch.at is None or 0 <= (NOW - touch.at) - (number(count) or 0) * size < size


def reads_since(text: str, seen: int, version: int | None, touches: tuple[Touch, ...]) -> bool:
    if version is None or version == seen:
        return text.startswith("not known" if version is None else "none")
    beginning, _, who = text.partition(" by ")
    named = who.split("; ") if who else []
    more = named.pop() if named and named[-1].startswith("and ") else ""
    left = version - seen - len(named) if touches else 0
    is_all = more == (f"and {left} more" if left > 0 else "")
    is_read = all(map(reads_touch, named, touches))
    return beginning == f"v{seen} → v{version}" and is_all and is_read


def reads(consequence: Consequence, change: Intent, fresh: Flag, context: Context) -> bool:
    """Whether a sentence says what the context holds; one that no reader knows does not."""
    touch, seen = context.last_touch, change.seen_version
    readers: dict[str, Callable[[], bool]] = {
        "Reach": lambda: reads_reach(consequence.text, context.reach),
        "Experiment": lambda: reads_experiment(consequence.text, experiments_of(fresh)),
        "Dependents": lambda: reads_dependent(consequence.text, context.dependents),
        "Code": lambda: consequence.text == f"stops matching {fresh.key} at once" and "key" in change.changes,
        "Key": lambda: change.changes.get("deleted") is True,
        "Last change": lambda: (
            reads_touch(consequence.text, touch)
            if isinstance(touch, Touch)
            else isinstance(touch, NotKnown) and consequence.text == f"not known: {touch.why}"
        ),
        "Newer changes": lambda: (
            seen is not None and reads_since(consequence.text, seen, fresh.version, context.touched_since)
        ),
    }
    return consequence.label in readers and readers[consequence.label]()


def reads_experiment(text: str, experiments: tuple[Linked, ...]) -> bool:
    match = re.match(r"^#(\d+) (\w+) (is running on it|uses it and is not running|uses it)$", text)
    assert match is not None, text
    says = {"is running on it": True, "uses it and is not running": False, "uses it": None}
    return Linked(int(match[1]), match[2], says[match[3]]) in experiments


def reads_dependent(text: str, dependents: tuple[Linked, ...] | NotKnown) -> bool:
    if isinstance(dependents, NotKnown):
        return text == f"not known: {dependents.why}"
    may_be_on = {link.name: link.is_on is not False for link in dependents}
    return may_be_on[text.split()[0]] is not text.endswith(" (it is off)")


def test_consequences_name_every_known_effect_on_users() -> None:
    random = Random("consequences")
    read: Counter[str] = Counter()
    for _ in range(at_most(150, 1_000)):
        fresh, change, context = any_change(random)
        effects = tuple(consequences(change, fresh, change.changes, context))
        assert [effect for effect in effects if not reads(effect, change, fresh, context)] == []
        read.update(effect.label for effect in effects)
        before, after = outcomes(dict(fresh.raw)), outcomes({**fresh.raw, **change.changes})
        redrawn = [
            caution for caution in cautions(fresh, change.changes, context) if "re-bucketed" in caution.text
        ]
        assert before == after or redrawn or any(effect.label == "Reach" for effect in effects)
    assert min(read.values()) > 15
    assert len(read) == 7


def outcomes(raw: dict[str, Any]) -> list[Any]:
    """What each of the people gets of a flag that is like that; one that is deleted is not there."""
    if raw.get("deleted"):
        return [False for _ in CROWD]
    return [evaluate(raw["key"], person, Definitions.of([raw])).value for person in CROWD]


def any_change(random: Random) -> tuple[Flag, Intent, Context]:
    """A flag, what is to become of it, and what could be learned about it."""
    groups = [{"properties": [], "rollout_percentage": share} for share in random.sample([0, 30, 60, 100], 2)]
    version = random.choice([None, 4, 5])
    links = [Linked(id, f"link{id}", random.choice([True, False, None])) for id in (7, 8, 9)]
    experiments = [
        {"id": link.id, "name": link.name, "is_running": link.is_on}
        for link in random.sample(links, random.randrange(3))
    ]
    about = {"active": random.random() < 0.6, "version": version, "experiment_set_metadata": experiments}
    fresh = Flag.of(flag(1, "base", *groups, **about))
    seen = random.choice([None, 4])
    intents = [
        *(flag_intent.switch(verb, 1, seen) for verb in ("turn on", "turn off", "delete", "archive")),
        flag_intent.set_field(1, "key", "base", "other", seen),
        replace(flag_intent.set_all_rollouts(fresh, 45), seen_version=seen),
    ]
    slow = NotKnown("too slow")
    reaches: list[Reach | NotKnown] = [slow, NO_USERS, any_reach(random), any_reach(random)]
    touches = tuple(any_touch(random) for _ in range(random.randrange(6)))
    context = Context(
        now=NOW,
        reach=random.choice(reaches),
        dependents=slow if random.random() < 0.3 else tuple(random.sample(links, 2)),
        last_touch=slow if random.random() < 0.3 else any_touch(random),
        touched_since=touches,
    )
    return fresh, random.choice(intents), context


def any_reach(random: Random) -> Reach:
    total = random.choice([10, 2_600, 1_000_000])
    before = random.randrange(total)
    after = random.choice([0, before, random.randrange(total)])
    opted_in = random.choice(["", "those who opted in"])
    moved = (max(0, before - after), max(0, after - before))
    if is_bound := random.random() < 0.3:
        moved = (random.choice([0, before]), random.choice([0, after]))
    is_estimate = random.random() < 0.5
    return Reach(before, after, total, "users", moved, is_bound, is_estimate, opted_in)


def any_touch(random: Random) -> Touch:
    at = random.choice([None, NOW - random.choice([0, 40, 300, 7_000, 100_000, 9_000_000])])
    return Touch(random.choice(["sam", "Priya"]), at, random.choice(["", "rollout 25 % → 50 %"]))
