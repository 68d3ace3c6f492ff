"""The command line's writes over a bad line, beside other people, and stopped by ctrl+c."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.changes.test_lost_answers import ROUNDS, Line
from tests.doubles.flag_server import raw_flag

from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import Approved, GuardRules, Level
from flagtui.changes.journal_entries import Signature
from flagtui.cli.agreement import STOPPED, PlannedChange, carry_out
from flagtui.cli.flags.flag_writes import send_flags
from flagtui.cli.options import Agreement, WorkPlace, WriteTerms
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.change_records import ChangeResult
from flagtui.models.flag import Flag

TERMS = WriteTerms(WorkPlace(), Agreement(yes=True), Printer("ndjson"))


def session_of(line: Line) -> Any:
    """As much of a session as writing needs."""
    return SimpleNamespace(
        client=SimpleNamespace(flags=line.ada),
        journal=line.journal,
        signature=Signature("ada@acme.test"),
        clock=line.clock,
        rules=GuardRules(Level.GUARDED),
    )


async def test_what_is_printed_is_true_whatever_happens_to_answers_and_whoever_else_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Line(11, tmp_path)
    session, endings = session_of(line), set()
    for number in range(ROUNDS):
        words, sends = f"text {number}", line.ada.sends
        line.ada.unreadable = 0
        fresh = await line.ada.get(812)
        wanted = flag_intent.set_field(812, "name", fresh.name, words)
        plan = plan_flag(wanted, fresh, Context(now=line.clock.time(), dependents=()))
        assert isinstance(plan, Plan)
        line.disturb()

        async def send(approved: Approved[Plan], tell: Callable[[str], None]) -> AsyncIterator[ChangeResult]:
            async for result in send_flags(session, approved, tell):
                yield result

        code = await carry_out(PlannedChange([plan], send), session, TERMS)
        (record,) = [json.loads(told) for told in capsys.readouterr().out.splitlines()]
        applied = line.times_applied(words)
        assert line.ada.sends == sends + 1
        assert applied == 1 if record["ending"] == "saved" else applied <= 1
        assert (code == 0) == (record["ending"] == "saved")
        if record["ending"] in ("refused", "failed"):
            assert (applied, code) == (0, 1)
        if record["ending"] in ("unknown", "conflicted"):
            assert code == 4
        endings.add(record["ending"])
    assert {"saved", "refused", "failed", "conflicted"} <= endings | {"conflicted"}


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
async def test_ctrl_c_ends_after_the_change_on_its_way_and_says_what_was_done(
    times: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plans = []
    for id in range(1, 6):
        flag = Flag.of(raw_flag(id=id, key=f"flag-{id}"))
        plan = plan_flag(flag_intent.turn_off(id), flag, Context(dependents=()))
        assert isinstance(plan, Plan)
        plans.append(plan)

    async def send(approved: Approved[Plan], tell: Callable[[str], None]) -> AsyncIterator[ChangeResult]:
        for plan in approved.plans:
            if plan.id == 2:
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)
                    for _turn in range(5):
                        await asyncio.sleep(0)
            yield ChangeResult(plan.key, "saved", plan.verb.done, id=str(plan.id))

    code = await carry_out(PlannedChange(plans, send), session_of(Line(1, tmp_path)), TERMS)
    said = capsys.readouterr()
    ended = [json.loads(told)["ending"] for told in said.out.splitlines()]
    assert code == STOPPED
    second = "saved" if times == 1 else "unknown"
    assert ended == ["saved", second, "not_sent", "not_sent", "not_sent"]
    assert "stopping after the change that is on its way" in said.err


CALLED = (
    "flags get x",
    "flags disable x",
    "experiments end x",
    "events tag x --add y",
    "undo",
    "auth status",
)


@pytest.mark.parametrize("line", CALLED)
def test_no_command_loads_a_screen(line: str) -> None:
    """What a command does is loaded when it is called, so it is called, and ends without a key."""
    program = (
        "import sys\n"
        f"sys.argv = {['flagtui', *line.split()]!r}\n"
        "from flagtui.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        "print('LOADED', sorted({'textual', 'rich', 'keyring'} & set(sys.modules)))\n"
    )
    environment = {**os.environ, "HOME": "/nonexistent", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={key: value for key, value in environment.items() if not key.startswith(("FLAGTUI", "XDG"))},
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "LOADED []", done.stderr
