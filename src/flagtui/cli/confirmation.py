"""The guard's question in lines: what would happen, and the answer from options or from the terminal."""

import shutil
from dataclasses import replace
from typing import Any

from flagtui.changes.guard import Approved, Confirmation, NotYet, Question
from flagtui.cli.output.lines import say
from flagtui.cli.terminal_person import TerminalPerson
from flagtui.safe_text import safe_text
from flagtui.text.question_lines import question_lines

WIDTH = 96
LEFT_OUT = 12
"""Records that are named with the reason why they are left out."""


def show_question(question: Question[Any]) -> None:
    """The words of the dialog in the app, and why what was named as well stays as it is."""
    say(question.title)
    for line in question_lines(question, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)):
        say("".join(text for text, _style in line).rstrip())
    for one in question.left_out[:LEFT_OUT]:
        say(f"  left out: {one.key}: {one.reason}{f'; {one.next}' if one.next else ''}")
    if (more := len(question.left_out) - LEFT_OUT) > 0:
        say(f"  left out: {more:,} more")


def settle(question: Question[Any], given: Confirmation, person: TerminalPerson) -> Approved[Any] | NotYet:
    """The approval, or what is still missing. A person is asked for what the options leave open."""
    answer = _asked(question, given, person) if person.is_there else given
    return question.settle(answer)


def how_to_agree(question: Question[Any]) -> str:
    """The options that give what is missing."""
    missing = ["--yes"] if question.type_this is None else [f"--type {question.type_this}"]
    missing += ["--overwrite"] if question.clashes else []
    missing += ["--reason WHY"] if question.reason_required else []
    missing += ["--without-journal"] if question.without_journal else []
    return f"to agree: {safe_text(' '.join(missing), 200)}"


def _asked(question: Question[Any], given: Confirmation, person: TerminalPerson) -> Confirmation:
    answer = given
    if question.clashes and not answer.overwrite:
        whose = "you changed later" if question.is_own else "another person changed"
        answer = replace(answer, overwrite=person.agree(f"Overwrite what {whose}?"))
        if not answer.overwrite:
            return answer
    if question.without_journal and not answer.without_journal:
        agreed = person.agree("Go on without the journal? It cannot be undone from here then.")
        answer = replace(answer, without_journal=agreed)
        if not agreed:
            return answer
    if question.reason_required and not answer.reason.strip():
        answer = replace(answer, reason=person.ask("Why, for the journal", ""))
    if question.type_this is not None and not answer.typed:
        return replace(answer, typed=person.ask(f"To confirm, type {question.type_this}", ""))
    if question.type_this is None and not answer.yes and not (question.clashes and answer.overwrite):
        return replace(answer, yes=person.agree("Do it?"))
    return answer if answer.yes or question.type_this is not None else replace(answer, yes=True)
