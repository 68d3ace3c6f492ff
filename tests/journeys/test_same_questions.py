"""Every verb of every kind is asked in the same lines at a screen and on the command line."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from tests.doubles.shared_program import SharedProgram
from tests.doubles.slices import at_most
from tests.doubles.whole_program import Program

from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.event_definitions import definition_intent as events
from flagtui.changes.event_definitions.definition_planner import EventPlanner
from flagtui.changes.experiments.step_planner import StepPlanner
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.flags.flag_intent import set_field, switch
from flagtui.changes.flags.flag_planner import FlagPlanner, FlagRequest, NewFlag, NewFlagPlanner
from flagtui.changes.flags.new_flags import boolean_flag
from flagtui.changes.guard import GuardRules, Level, Question, guard
from flagtui.changes.planner import PlanContext, Planned
from flagtui.cli.plumbing.options import Agreement, WorkPlace, WriteTerms
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.session_context import UNCOUNTED, SessionContext
from flagtui.models.code_uses import CodeUses
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.rows import FlagRow
from flagtui.text.question_lines import question_lines

LATER: Final = 2e9
"""A moment after all records, in Unix seconds."""
SWITCHES = ("turn on", "turn off", "archive", "unarchive", "delete")
STEP_NAMES: Final[Sequence[StepName]] = (
    *("launch", "pause", "resume", "end"),
    *("archive", "reset", "delete", "duplicate"),
)


@pytest.fixture
def program(shared_program: SharedProgram) -> Program:
    """No screen is looked at, and nothing is sent."""
    return shared_program.program


class CommandContext(SessionContext):
    """Without a scan of code, as the screen beside it."""

    def code_uses(self, key: str) -> CodeUses | None:
        return None


def command_line(program: Program, *, yes: bool = False) -> SessionContext:
    """The same project as commands plan in it; `yes` agrees beforehand."""
    workspace = program.workspace

    async def me() -> Any:
        return workspace.me

    async def names(_records: object) -> Names:
        return NO_NAMES

    session = SimpleNamespace(
        client=workspace.client, clock=program.timing, me=me, names=names, keep_rows=lambda _kind, _rows: None
    )
    return CommandContext(cast(Any, session), WriteTerms(WorkPlace(), Agreement(yes=yes), Printer("table")))


def flags_of(program: Program) -> Sequence[FlagRow]:
    workspace = program.workspace
    return workspace.flags.rows


def screen(program: Program) -> WorkspaceContext:
    workspace = program.workspace
    return WorkspaceContext(program.app.app_state, workspace)


def lines_of(planned: Planned[Any, Any]) -> list[str]:
    """The title of the question and all it says, or why there is none."""
    question = guard(planned, GuardRules(Level.GUARDED, place="TEST"))
    if not isinstance(question, Question):
        return [skipped.why for skipped in planned.skipped]
    drawn = ("".join(text for text, _style in line) for line in question_lines(question, 96, LATER))
    return [question.title, *drawn, *(skipped.why for skipped in planned.skipped)]


Plan = Callable[[PlanContext], Any]


def flag_plan(*requests: FlagRequest) -> Plan:
    return lambda place: FlagPlanner(place).plan(requests)


def step_plan(*intents: ExperimentIntent) -> Plan:
    return lambda place: StepPlanner(place).plan(intents)


def event_plan(*intents: events.EventIntent) -> Plan:
    return lambda place: EventPlanner(place).plan(intents)


async def ask_both(program: Program, plan: Plan) -> list[str]:
    on_screen, in_lines = [lines_of(await plan(place)) for place in (screen(program), command_line(program))]
    assert in_lines == on_screen
    return on_screen


@pytest.mark.parametrize("verb", SWITCHES)
async def test_flags(program: Program, verb: str) -> None:
    flags = flags_of(program)
    assert await ask_both(program, flag_plan(switch(verb, flags[0].id)))
    several = [switch(verb, row.id) for row in flags[:4]]
    assert await ask_both(program, flag_plan(*several))


async def test_reach_is_counted_when_all_other_flags_are_skipped(program: Program) -> None:
    on = next(row for row in flags_of(program) if row.active)
    off = next(row for row in flags_of(program) if not row.active)
    alone, skipped = (switch("turn off", row.id) for row in (on, off))
    lines = await ask_both(program, flag_plan(alone, skipped))
    _title, *lines_alone = await ask_both(program, flag_plan(alone))
    assert {*lines_alone} <= {*lines}
    assert any("already off" in line for line in lines)


async def test_a_new_value_and_a_new_flag(program: Program) -> None:
    (flag, *_) = flags_of(program)
    change = set_field(flag.id, "name", flag.name, "Another name")
    assert await ask_both(program, flag_plan(change))
    new = NewFlag(boolean_flag("something-new"))
    assert await ask_both(program, lambda place: NewFlagPlanner(place).plan([new]))


async def test_with_yes_nobody_is_counted(program: Program) -> None:
    row = next(row for row in flags_of(program) if row.active)
    planned = await FlagPlanner(command_line(program, yes=True)).plan([switch("archive", row.id)])
    assert any(UNCOUNTED in line for line in lines_of(planned))


@pytest.mark.parametrize("name", STEP_NAMES)
async def test_experiments(program: Program, name: StepName) -> None:
    rows = (await program.colleague().experiments.page({})).rows
    choices = Choices(flag_key="a-copy", name="A copy") if name == "duplicate" else Choices()
    intents = [ExperimentIntent(row.id, STEPS[name], choices) for row in rows[:12]]
    for intent in intents[: at_most(2, 12)]:
        assert await ask_both(program, step_plan(intent))
    assert await ask_both(program, step_plan(*intents))


@pytest.mark.parametrize("verb", ["verify", "hide", "delete", "reject"])
async def test_event_definitions(program: Program, verb: str) -> None:
    by_verb: dict[str, Callable[[str], Any]] = {
        "verify": events.verify,
        "hide": events.hide,
        "delete": events.delete,
        "reject": lambda id: events.set_field(id, "enforcement_mode", "reject", "allow"),
    }
    rows = (await program.colleague().event_definitions.page({})).rows
    assert await ask_both(program, event_plan(by_verb[verb](rows[0].id)))
    several = [by_verb[verb](row.id) for row in rows[:4]]
    assert await ask_both(program, event_plan(*several))
