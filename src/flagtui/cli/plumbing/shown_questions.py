"""The question of the app as lines, and the options that confirm it."""

import shutil
import time
from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any, Final

from flagtui.changes.difference import FieldConflict
from flagtui.changes.guard import Question
from flagtui.cli.plumbing.change_records import ChangePlace
from flagtui.cli.plumbing.output.lines import print_line
from flagtui.safe_text import safe_text
from flagtui.text.conflict_lines import conflict_lines
from flagtui.text.long_lists import in_short
from flagtui.text.question_lines import question_lines

WIDTH: Final = 96
FOR_PEOPLE: Final = ("table", "tsv")
"""Formats beside which the three sides of a conflict are shown in words."""
MOST_NAMED: Final = 12
"""Skipped records that are listed with the reason."""
NAMED: Final = 3
"""Unchanged records that are named."""


def show_question(question: Question[Any], place: ChangePlace) -> None:
    """Print the question of the app with its project and host, and why records are skipped."""
    print_line(question.title)
    print_line(f"  in {place.words}")
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    for line in question_lines(question, width, time.time()):
        print_line("".join(text for text, _style in line).rstrip())
    refused = [skip for skip in question.planned.skipped if not skip.is_no_op]
    for skip in refused[:MOST_NAMED]:
        print_line(f"  skipped: {skip.key}: {skip.reason}{f'; {skip.next}' if skip.next else ''}")
    if (more := len(refused) - MOST_NAMED) > 0:
        print_line(f"  skipped: {more:,} more")
    no_ops: dict[str, list[str]] = {}
    for skip in question.planned.skipped:
        if skip.is_no_op:
            no_ops.setdefault(skip.reason, []).append(skip.key)
    for reason, keys in no_ops.items():
        print_line(f"  unchanged ({reason}): {in_short(keys, NAMED)}")


def show_conflicts(
    key: str, noun: str, conflicts: Sequence[FieldConflict], show: Callable[[str], None] = print_line
) -> None:
    """Show the previous, the current and the requested value of each conflict of a record."""
    if conflicts:
        show(key)
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    for conflict in conflicts:
        for line in conflict_lines(conflict, noun, width):
            show("".join(text for text, _style in line).rstrip())


OPTION_OF: Final = {"reason": "reason WHY"}
"""Options of needs that take a value which the need does not name."""


def needs_of(question: Question[Any]) -> tuple[str, ...]:
    """Return what a confirmation needs: `yes` or `type TEXT`, `overwrite`, `reason`, `without-journal`."""
    needs = ["yes"] if question.type_this is None else [f"type {question.type_this}"]
    needs += ["overwrite"] if question.conflicts else []
    needs += ["reason"] if question.reason_required else []
    needs += ["without-journal"] if question.planned.without_journal else []
    return tuple(needs)


def how_to_agree(question: Question[Any]) -> str:
    """Return the options that supply the missing parts."""
    parts = (OPTION_OF.get(need, need).partition(" ") for need in needs_of(question))
    options = [f"--{name}{blank}{quote(value)}" if value else f"--{name}" for name, blank, value in parts]
    return f"to agree: {safe_text(' '.join(options), 200)}"
