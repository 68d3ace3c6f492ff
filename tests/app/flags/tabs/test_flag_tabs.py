"""Every tab draws every flag there is, and many that should not be, at every width."""

from collections.abc import Iterable, Sequence
from itertools import cycle, product
from random import Random
from typing import Any, Final

import pytest
from rich.cells import cell_len
from tests.doubles import random_flags
from tests.doubles.fixtures import needs_fixtures, real_records
from tests.doubles.log_entries import log_entry
from tests.doubles.served_flags import Served
from tests.doubles.slices import FULL, at_most, one_in
from tests.doubles.targeting import asks, group, variants

from flagtui.app.flags.flag_screen import head_lines
from flagtui.app.flags.tabs.conditions_tab import condition_pages, reach_lines
from flagtui.app.flags.tabs.history_tab import entry_lines, log_line
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines, side_lines
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.flags.tabs.variants_tab import variant_pages
from flagtui.app.flags.tabs.who_tab import account_lines
from flagtui.app.lists.record_copies import shown_record
from flagtui.app.widgets.line import styled
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.run import Rules
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Counted, CountedReach, FlagDetails, Names
from flagtui.models.flag_responses import FlagStatus, ScheduledChange, Trial
from flagtui.text.differences import json_rows
from flagtui.text.flag_sentences import plain
from flagtui.text.styled import Piece

JSON = Any
WIDTHS = (132 - 50, 80 - 6, 60 - 6)
TURNS = cycle(WIDTHS)
TABS = (head_lines, overview_lines, condition_pages, variant_pages, reach_lines, link_pages, side_lines)
LOGGED = ("name", "filters", "active", "tags", "key", "evaluation_runtime", "version")
ODD: list[JSON] = [None, "x", 7, -1.5, True, [], {}, [None, 1, "a"], {"a": [{}]}, "\x1b[31m\u202e", 2**70]


PEOPLE = (
    EvaluationSubject("ada", {"email": "ada@acme.com", "plan": "pro"}, {"company": "acme"}),
    EvaluationSubject("bob\x1b[2J"),
)


class Town:
    """Two people before all flags: evaluated here, and of one flag one of them is told by the server."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self.evaluations = [
            evaluate_all(subject.person({}, is_complete=True), definitions) for subject in PEOPLE
        ]
        self.few = sorted(definitions.flags)[::12]

    def accounts(self, flag: Flag) -> list[PersonEvaluation]:
        """Beside the flag a few others: all of them would be the same lines over and over."""
        trial = Trial(flag_key=flag.key, result="test", reason="condition_match", condition_index=7)
        shown = {flag.key, *self.few} & self.evaluations[0].keys()
        first, second = ({key: values[key] for key in shown} for values in self.evaluations)
        return [
            PersonEvaluation(PEOPLE[0], flag, trial, {}, first, self.definitions),
            PersonEvaluation(PEOPLE[1], flag, None, {}, second, self.definitions, ("The server keeps it.",)),
        ]


def everyone(flag: Flag) -> Study:
    return Study(FlagDetails(flag.row(), flag), 1_770_000_000.0, Names())


def evaluated(flag: Flag, subject: EvaluationSubject, definitions: Definitions) -> PersonEvaluation:
    """The evaluation here, and in a library where that differs."""
    person = subject.person({}, is_complete=True)
    here, by_library = (
        evaluate_all(person, definitions),
        evaluate(flag.key, person, definitions, Rules.LIBRARY),
    )
    return PersonEvaluation(subject, flag, None, {}, here, definitions, (), by_library)


def make_flag(*groups: JSON, id: int = 1, key: str = "k") -> Flag:
    return Flag.of({"id": id, "key": key, "active": True, "filters": {"groups": [*groups]}})


@pytest.mark.parametrize("version", ["2.0.0-beta.1", "2.0.1"])
def test_differing_library_value_has_a_line_of_its_own(version: str) -> None:
    flag = make_flag(group(100, asks("version", "semver_gte", "2.0.0")))
    subject = EvaluationSubject("ada", {"version": version})
    account = evaluated(flag, subject, Definitions.of([flag.raw]))
    drawn = plain(account_lines([account], everyone(flag), 120))
    assert (
        ("in libraries  on: condition 1 matches" in drawn) == ("beta" in version) == ("in libraries" in drawn)
    )


def test_sentence_of_a_late_condition_begins_with_its_share() -> None:
    flag = make_flag(*[group(0)] * 110, {})
    account = evaluated(flag, EvaluationSubject("ada"), Definitions.of([flag.raw]))
    lines = plain(account_lines([account], everyone(flag), 80))
    assert "decided by    condition 111" in lines
    assert "\n              100 % of everyone else" in lines


@pytest.mark.parametrize("width", [54, 74, 100])
def test_flags_that_differ_have_one_line_each(width: int) -> None:
    pro, keys = group(100, asks("plan", "exact", "pro")), ["k", "n" * 50, "界" * 30]
    flags = [make_flag(pro, id=id, key=key) for id, key in enumerate(keys, 1)]
    definitions = Definitions.of([flag.raw for flag in flags])
    both = [evaluated(flags[0], person, definitions) for person in PEOPLE]
    lines = plain(account_lines(both, everyone(flags[0]), width)).split("\n")
    others = [line for line in lines if "…" in line and line[0] in "n界"]
    assert len(others) == 2
    assert max(map(cell_len, others)) <= width
    assert len({cell_len(line.partition("on ")[0]) for line in others}) == 1


def edit_entry(flag: Flag) -> Activity:
    """An entry in which everything of the flag changed."""
    before = zip(LOGGED, [*ODD[:6], 1], strict=True)
    changed: dict[str, Any] = {name: (old, flag.raw.get(name)) for name, old in before}
    return log_entry(**changed)


def widths() -> tuple[int, ...]:
    """In a short run each flag has its turn at one of them."""
    return WIDTHS if FULL else (next(TURNS),)


def look_at(lines: Iterable[list[Piece]]) -> None:
    """Each can be drawn, and nothing in it moves a terminal; a joiner holds an emoji together."""
    pieces = [piece for line in lines for piece in line]
    assert styled(*pieces).plain.replace("\u200d", "").isprintable(), pieces


def draw_who_and_history(flag: Flag, town: Town, entries: Sequence[Activity]) -> None:
    names = Names({1: "one"}, {0: "company"}, {1: "Beta testers"})
    study = Study(FlagDetails(flag.row(), flag), 1_770_000_000.0, names)
    both = town.accounts(flag)
    for width in widths():
        for accounts in (both, both[:1]):
            look_at(account_lines(accounts, study, width))
        look_at(log_line(entry, study, width, 2) for entry in entries)
    for entry in entries:
        look_at(entry_lines(entry, study))


def draw_all(flag: Flag) -> None:
    draw_who_and_history(flag, Town(Definitions.of([flag.raw])), [edit_entry(flag)])
    parts = tuple(Counted(number, 10, 50.0, 20) for number in (1, 2))
    bare = FlagDetails(flag.row(), flag)
    change = ScheduledChange.of({"payload": {"operation": "add_release_condition", "value": flag.filters}})
    status, reach = FlagStatus.of({"status": "stale", "reason": "because"}), CountedReach(10, 20, parts=parts)
    full = FlagDetails(flag.row(), flag, reach, ("a", "b"), (), status=status, schedule=(change,))
    for details, is_wide in product((FlagDetails(flag.row()), bare, full), (True, False)):
        study = Study(details, 1_770_000_000.0, Names({1: "one"}, {0: "company"}), True, is_wide)
        for width, tab in product(widths(), TABS):
            look_at(tab(study, width))
    rows = [*json_rows(shown_record(flag, False))]
    look_at([(row.text, "")] for row in rows)
    folded = [*json_rows(flag.raw, {row.path for row in rows if row.can_fold and len(row.path) == 1})]
    assert len(folded) <= len(rows)


def spoil(random: Random, value: Any, depth: int = 0) -> Any:
    """The same JSON with something odd in a few places."""
    if depth and random.random() < 0.08:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: spoil(random, item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(random, item, depth + 1) for item in value]
    return value


LINKED: Final = {
    "experiment_set_metadata": [{"id": 31, "name": "E", "is_running": True}],
    **{"experiment_set": [31, 32], "features": [{"name": "f", "stage": "beta"}], "surveys": [{"name": "s"}]},
    **{"tags": ["a", "b"], "analytics_dashboards": [4], "status": "STALE"},
}


def test_generated_flags_with_anything_anywhere() -> None:
    random = Random("spoiled")
    for number in range(at_most(40, 250)):
        raw = random_flags.flag(random, number + 1, 6)
        draw_all(Flag.of(raw | {"name": random.choice(random_flags.TEXTS)}))
        secrets = {
            name: random.random() < 0.3 for name in ("has_encrypted_payloads", "is_remote_configuration")
        }
        draw_all(Flag.of(spoil(random, raw | LINKED | secrets)))


def test_every_sample_flag_draws_its_users_and_history(projects: Sequence[Served]) -> None:
    drawn = 0
    for project in projects:
        town = Town(project.definitions)
        for raw in one_in(3, project.flags):
            flag = Flag.of(raw)
            study = Study(FlagDetails(flag.row(), flag, CountedReach(10, 20)), 1_770_000_000.0)
            for width, tab in product(widths(), TABS):
                look_at(tab(study, width))
            look_at([(row.text, "")] for row in json_rows(shown_record(flag, False)))
            draw_who_and_history(flag, town, project.entries[str(flag.id)])
            drawn += 1
    assert drawn > 80


@needs_fixtures
def test_flags_of_the_product() -> None:
    for raw in real_records("flags/*.json", "filters"):
        draw_all(Flag.of(raw))


def test_no_tab_shows_a_secret_that_nobody_asked_for() -> None:
    filters = {"groups": [{}], "payloads": {"true": '"open sesame"', "test": '"open sesame"'}}
    for shares in (None, variants(test=100)):
        raw = {"id": 1, "key": "a", "filters": {**filters, "multivariate": shares}}
        flag = Flag.of({**raw, "has_encrypted_payloads": True, "is_remote_configuration": True})
        study = Study(FlagDetails(flag.row(), flag), 0.0)
        drawn_text = "".join(plain(tab(study, 80)) for tab in TABS)
        drawn_text += "".join(row.text for row in json_rows(shown_record(flag, False)))
        assert "sesame" not in drawn_text
        assert "sesame" in "".join(row.text for row in json_rows(shown_record(flag, True)))
