"""A set of flags and experiments is applied as one: one question, one journal group, one undo."""

import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import httpx
import pytest
from tests.changes.conftest import flag, make_plan
from tests.cli.conftest import Run, Scripted, records, require_done
from tests.cli.sets.conftest import FLAG, OTHER, THIRD, is_on
from tests.doubles.expected import require
from tests.doubles.faulty_service import FaultyService

from flagtui.changes.flags.flag_intent import switch
from flagtui.changes.journal_entries import Ending
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, Report
from flagtui.changes.sets.set_progress import AfterRefusal, choices_after_refusal
from flagtui.cli.commands.apply import WORDS, ApplyInterface
from flagtui.cli.plumbing.change_records import OUTCOME
from flagtui.cli.plumbing.change_report import ChangeReport
from flagtui.cli.plumbing.errors import EXIT_CODES, Code
from flagtui.cli.plumbing.options import Agreement, WorkPlace, WriteTerms
from flagtui.cli.plumbing.output.printer import OutputOptions, choose_printer
from flagtui.cli.plumbing.prompts import NO_PROMPTS, Prompts

PLAN: Final = make_plan(switch("turn off", 812), flag())


def test_set_is_one_journal_group_with_reason_and_one_undo(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, "--stage", "--reason", "cleanup"))
    require_done(here("flags", "tag", OTHER, "--add", "ops", "--stage"))
    assert "Apply: 2 changes, cleanup" in here("apply", "staged", is_shown=True).out
    require_done(here("apply", "staged", "--yes"))
    entries = records(here("journal", "--json"))
    assert len({each["batch"] for each in entries}) == 1
    assert {each["reason"] for each in entries} == {"cleanup"}
    assert len(records(here("undo", "--yes", "--json"))) == 2
    assert is_on(here, FLAG)


def test_file_of_a_dry_run_is_private_and_applies_once(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, "--dry-run", "--out", "set.json"))
    assert stat.S_IMODE(Path("set.json").stat().st_mode) == 0o600
    assert is_on(here, FLAG)
    require_done(here("apply", "set.json", "--yes"))
    again = require_done(here("apply", "set.json", "--yes"))
    assert again.out == f"{FLAG}\tunchanged\tthe set was applied already\t\n"
    assert len(records(here("journal", "--json"))) == 1


def test_applied_set_reports_what_was_deleted_or_changed_since(here: Run) -> None:
    require_done(here("flags", "create", "made-by-set", "--dry-run", "--out", "set.json"))
    require_done(here("apply", "set.json", "--yes"))
    require_done(here("flags", "delete", "made-by-set", "--yes"))
    for more in ("--yes", "--dry-run"):
        deleted = here("apply", "set.json", more)
        words = "made-by-set\tconflicted\tit was applied, and the record was deleted since"
        assert (deleted.code, deleted.out.startswith(words)) == (EXIT_CODES["conflict"], True)
        assert "flagtui flags restore made-by-set" in deleted.out
    require_done(here("flags", "restore", "made-by-set", "--yes"))
    assert "the set was applied already" in require_done(here("apply", "set.json", "--yes")).out
    require_done(here("flags", "disable", FLAG, OTHER, "--dry-run", "--out", "both.json"))
    require_done(here("apply", "both.json", "--yes"))
    require_done(here("flags", "enable", FLAG, "--yes"))
    changed = here("apply", "both.json", "--yes", "--json")
    assert (changed.code, changed.endings) == (
        *(EXIT_CODES["conflict"], {FLAG: "conflicted", OTHER: "unchanged"}),
    )
    assert is_on(here, FLAG)


def test_new_flags_events_and_dependencies_apply_in_one_set(here: Run) -> None:
    require_done(here("flags", "create", "new-search", "--enable", "--stage"))
    require_done(here("events", "verify", "$pageview", "--stage"))
    depends = {"type": "flag", "key": "new:new-search", "value": True, "operator": "flag_evaluates_to"}
    filters = {"groups": [{"properties": [depends], "rollout_percentage": 100}]}
    require_done(here("flags", "edit", FLAG, "--field", f"filters={json.dumps(filters)}", "--stage"))
    applied = records(here("apply", "staged", "--yes", "--json"))
    assert {each["key"]: each["ending"] for each in applied} == dict.fromkeys(
        ("new-search", "$pageview", FLAG), "saved"
    )
    number = next(each["id"] for each in applied if each["key"] == "new-search")
    (flag,) = records(here("flags", "get", FLAG, "--json", "--fields", "depends_on"))
    assert flag["depends_on"] == [int(number)]
    require_done(here("undo", "--yes"))
    assert here("flags", "get", "new-search").code == EXIT_CODES["not_found"]


def refuse_second(line: FaultyService, status: int = 400) -> None:
    """The server refuses the second write from now on, once, or fails with another status."""
    second = len(line.writes) + 2
    body = {"type": "validation_error", "code": "invalid_input", "detail": "No.", "attr": "active"}

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_second = request.method == "PATCH" and len(line.writes) == second
        return httpx.Response(status, json=body) if is_second else None

    line.before = refuse


@pytest.mark.parametrize(("choice", "endings", "states"), [
    (None, ["saved", "refused", "not_sent"], [False, True, True]),
    ("stop", ["saved", "refused", "not_sent"], [False, True, True]),
    ("continue", ["saved", "refused", "saved"], [False, True, False]),
    ("undo", ["saved", "refused", "not_sent", "saved"], [True, True, True]),
])  # fmt: skip
def test_first_refusal_stops_the_set_by_default(
    choice: str | None, endings: list[str], states: list[bool], here: Run, line: FaultyService
) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, THIRD, "--stage"))
    refuse_second(line)
    options = ("--on-refusal", choice) if choice else ()
    stopped = here("apply", "staged", "--yes", "--json", *options)
    assert stopped.code == EXIT_CODES["refused"]
    assert [each["ending"] for each in stopped.records] == endings
    assert [is_on(here, key) for key in (FLAG, OTHER, THIRD)] == states


@pytest.mark.parametrize(("status", "code"), [(400, "refused"), (500, "not_known")])
def test_stopped_set_names_how_to_continue(status: int, code: Code, here: Run, line: FaultyService) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, THIRD, "--stage"))
    refuse_second(line, status)
    stopped = here("apply", "staged", "--yes", "--wait", "0")
    assert stopped.code == EXIT_CODES[code]
    assert "1 of 3 changes are applied; flagtui apply staged continues, flagtui undo reverts" in stopped.err


def test_a_stopped_set_continues_with_a_second_apply(here: Run, line: FaultyService) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, THIRD, "--stage"))
    refuse_second(line)
    here("apply", "staged", "--yes")
    assert [*require_done(here("apply", "staged", "--yes", "--json")).endings] == [OTHER, THIRD]
    assert len({each["batch"] for each in records(here("journal", "--json"))}) == 1
    assert len(records(here("undo", "--yes", "--json"))) == 3
    assert [is_on(here, key) for key in (FLAG, OTHER, THIRD)] == [True, True, True]


class Choosing(Scripted, frozen=True):
    """A user who chooses the answer at this place."""

    place: int = 0

    def choose(self, question: str, choices: Sequence[str], default: int = 0) -> int:
        self.transcript.extend(choices)
        return self.place


def applying(count: int, prompts: Prompts, choice: AfterRefusal | None = None) -> ApplyInterface:
    """What follows a set of so many changes."""
    terms = WriteTerms(WorkPlace(), Agreement(), choose_printer(OUTCOME, OutputOptions()))
    return ApplyInterface(terms, ChangeReport(terms.printer), Planned(None, [PLAN] * count), choice, prompts)


@pytest.mark.parametrize(("applied", "left", "choices"), [
    (1, 1, ["stop here", "undo what was applied", "continue with the rest"]),
    (0, 1, ["stop here", "continue with the rest"]),
    (1, 0, ["stop here", "undo what was applied"]),
    (0, 0, []),
])  # fmt: skip
async def test_user_chooses_what_is_possible_after_a_refusal(
    applied: int, left: int, choices: list[str]
) -> None:
    for place in range(max(1, len(choices))):
        prompts = Choosing(place=place)
        interface = applying(applied + 1 + left, prompts)
        for _ in range(applied):
            await interface.on_outcome(Outcome(PLAN, "saved", journal_id="j"))
        goes_on = await interface.on_outcome(Outcome(PLAN, "refused", reason="No."))
        chosen = choices[place] if choices else "stop here"
        assert (WORDS[require(interface.choice)], prompts.transcript) == (chosen, choices)
        assert goes_on == (chosen == "continue with the rest")


async def test_no_answer_after_a_refusal_stops_there() -> None:
    class Leaving(Choosing, frozen=True):
        def choose(self, question: str, choices: Sequence[str], default: int = 0) -> int:
            raise click.Abort

    interface = applying(2, Leaving(place=0))
    assert await interface.on_outcome(Outcome(PLAN, "refused", reason="No.")) is False
    assert interface.choice == "stop"


@pytest.mark.parametrize(("ending", "effect"), [
    ("refused", "continues"),
    ("awaiting approval", "continues once it is approved"),
    ("conflicted", "shows what changed since"),
])  # fmt: skip
async def test_effect_of_another_run_follows_from_the_outcomes(ending: Ending, effect: str) -> None:
    interface, outcome = applying(1, NO_PROMPTS, "continue"), Outcome(PLAN, ending, flag())
    await interface.on_outcome(outcome)
    (result,) = interface.results(Report((outcome,)))
    assert interface.effect_of_another_run == effect
    assert ("Apply the set again" in result.next) == (ending == "conflicted")


def test_earlier_runs_leave_something_to_undo() -> None:
    assert choices_after_refusal(0, 0) == ("stop",)
    assert choices_after_refusal(1, 0) == ("stop", "undo")


def test_undone_set_is_applied_again_unless_others_changed_it(here: Run, elsewhere: Run) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, "--dry-run", "--out", "set.json"))
    for _ in range(2):
        require_done(here("apply", "set.json", "--yes"))
        require_done(here("undo", "--yes"))
    assert is_on(here, FLAG)
    require_done(elsewhere("flags", "edit", OTHER, "--field", "name=Theirs", "--yes"))
    refused = here("apply", "set.json", "--yes")
    assert refused.code == EXIT_CODES["conflict"]
    assert [line.split("\t")[0] for line in refused.out.splitlines()] == [OTHER]


def test_reach_of_a_single_change_is_counted(here: Run) -> None:
    require_done(here("flags", "rollout", FLAG, "--to", "40", "--stage"))
    alone = require_done(here("apply", "staged", "--dry-run", is_shown=True)).out
    assert "users lose it" in alone
    require_done(here("flags", "rollout", OTHER, "--to", "40", "--stage"))
    several = require_done(here("apply", "staged", "--dry-run", is_shown=True)).out
    assert "not counted in a question about several flags" in several
    assert "about several flags" not in alone
    require_done(here("flags", "rollout", OTHER, "--to", "40", "--yes"))
    left = require_done(here("apply", "staged", "--dry-run", "--overwrite", is_shown=True)).out
    assert "users lose it" in left
    assert "about several flags" not in left


def description_of(run: Run, id: str) -> str:
    return run("experiments", "get", id, "--fields", "description").out.strip()


def stopped_id(run: Run) -> str:
    return run("experiments", "list", "is:stopped", "--fields", "id").out.split()[0]


def test_experiments_and_flags_apply_in_one_set(here: Run) -> None:
    id = stopped_id(here)
    before = description_of(here, id)
    require_done(here("experiments", "edit", id, "--field", "description=Once", "--stage"))
    require_done(here("experiments", "edit", id, "--field", "description=Twice", "--stage"))
    require_done(here("flags", "disable", FLAG, "--stage"))
    (change, _flag) = records(here("staged", "list", "--json"))
    assert "Twice" in str(change)
    assert description_of(here, id) == before
    require_done(here("apply", "staged", "--yes"))
    assert (description_of(here, id), is_on(here, FLAG)) == ("Twice", False)
    require_done(here("undo", "--yes"))
    assert (description_of(here, id), is_on(here, FLAG)) == (before, True)


def test_an_experiment_is_archived_by_a_set_once(here: Run) -> None:
    id = stopped_id(here)
    require_done(here("experiments", "archive", id, "--dry-run", "--out", "set.json"))
    require_done(here("apply", "set.json", "--yes"))
    assert here("experiments", "get", id, "--fields", "archived").out == "true\n"
    assert require_done(here("apply", "set.json", "--yes")).out.count("applied already") == 1


def test_an_experiment_that_changed_since_is_a_conflict(here: Run) -> None:
    edit = ("experiments", "edit", stopped_id(here), "--field")
    require_done(here(*edit, "description=Mine", "--dry-run", "--out", "set.json"))
    require_done(here(*edit, "description=Theirs", "--yes"))
    shown = here("apply", "set.json", "--yes")
    assert (shown.code, "you changed description since" in shown.err) == (EXIT_CODES["conflict"], True)
    assert "now     Theirs" in shown.err
    require_done(here("apply", "set.json", "--yes", "--overwrite"))
    assert description_of(here, edit[2]) == "Mine"


def test_what_a_set_cannot_hold_of_an_experiment_is_refused(here: Run) -> None:
    id = stopped_id(here)
    edit = ("experiments", "edit", id, "--field", "exposure_criteria={}", "--dry-run", "--out", "a.json")
    refused = here(*edit)
    assert (refused.code, "exposure cannot be staged" in refused.err) == (EXIT_CODES["refused"], True)
    assert "cannot be staged" in here("experiments", "archive", id, "--disable-flag", "--stage").err
    assert "this cannot be staged: it is a step" in here("experiments", "launch", id, "--stage").err
    require_done(here("experiments", "edit", id, "--field", "name=New", "--stage"))
    mixed = here("experiments", "archive", id, "--stage")
    assert "it is archived in a request of its own" in mixed.err
    assert "Apply the staged change first, or drop it." in mixed.err
    assert not Path("a.json").exists()
