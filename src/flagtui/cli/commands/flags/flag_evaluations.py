"""`flagtui flags evaluate` and `explain`: by the server's word, explained by the evaluator here."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, product
from typing import Final

import click
import msgspec

from flagtui.api.operations import NOT_HERE
from flagtui.cli.commands.flags.flag_selection import listed_objects_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import RecordSelection, several
from flagtui.cli.plumbing.word_types import FLAG_WORDS
from flagtui.details.evaluations import (
    EvaluationSubject,
    InvalidSubject,
    PersonEvaluation,
    read_subject,
)
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.subject_evaluations import SubjectEvaluations, definitions_of
from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.text.evaluation_words import condition_sentences, decided_by, payload_words


class FlagValue(msgspec.Struct, frozen=True):
    """The value that one person is served by one flag."""

    key: str
    value: JSON
    reason: str = ""
    condition: int | None = None
    """From 1."""
    payload: JSON = None
    source: str = "server"
    explanation: str = ""
    distinct_id: str = ""
    steps: Sequence[str] = ()


VALUE: Final[RecordSchema[FlagValue]] = RecordSchema(
    "flag-value",
    "The value that a person is served by a flag, and the reason.",
    (
        RecordField("key", "text", "The key of the flag.", is_shown=True),
        RecordField("value", "any", "true, false, a variant; null when not known.", is_shown=True),
        RecordField("reason", "text", "What decided the value.", is_shown=True),
        RecordField("condition", "whole?", "Which condition decided, from 1.", is_shown=True),
        RecordField("distinct_id", "text", "The distinct id of the user.", is_shown=True),
        RecordField("payload", "any", "The payload of the value."),
        RecordField("source", "text", "server, or here: evaluated from the definitions."),
        RecordField("explanation", "text", "The reason in a sentence."),
    ),
    version=2,
)
EXPLANATION: Final[RecordSchema[FlagValue]] = RecordSchema(
    "flag-explanation",
    "Why a person is served this value, condition by condition.",
    (
        *VALUE.fields,
        RecordField(
            "steps",
            "texts",
            "Each condition in a sentence.",
            is_shown=True,
            words=lambda steps: "\n".join(steps),
        ),
    ),
    version=2,
)
SUBJECT: Final = click.option(
    "--for",
    "people",
    required=True,
    multiple=True,
    metavar="WHO",
    help="A distinct id and assumed properties: 'user_7 plan=pro group:company=acme'; may be repeated.",
)
OPERATIONS: Final = (
    *("flags.list", "flags.get"),
    *("flags.evaluation_reasons", "flags.test_evaluation", "flags.local_evaluation", "flags.definitions"),
    *("cohorts.list", "projects.get"),
)


@command(
    "evaluate",
    kind=VALUE,
    empty="No flag is evaluated.",
    operations=OPERATIONS,
    examples=("--for user_7", "checkout-redesign --for 'user_7 plan=pro' --for user_8 --json"),
)
@click.argument("flags", nargs=-1, metavar="[FLAG]...", type=FLAG_WORDS.word_type)
@SUBJECT
async def evaluate(
    session: ProjectSession, flags: RecordSelection | None, people: tuple[str, ...]
) -> list[FlagValue]:
    """Show what users are served by flags; by all flags without FLAG."""
    return await _values(session, flags, people)


@command(
    "explain",
    kind=EXPLANATION,
    is_whole=True,
    operations=OPERATIONS,
    examples=("checkout-redesign --for user_7", "checkout-redesign --for 'user_7 plan=pro' --json"),
)
@FLAG_WORDS
@SUBJECT
async def explain(
    session: ProjectSession, flags: RecordSelection, people: tuple[str, ...]
) -> list[FlagValue]:
    """Explain why users are served a value, condition by condition."""
    return await _values(session, flags, people)


def subject_of(line: str) -> EvaluationSubject:
    """Parse a subject. Raises Trouble."""
    try:
        subject = read_subject(line)
    except InvalidSubject as wrong:
        fix = "Example: --for 'user_7 plan=pro group:company=acme'"
        raise Trouble(f"--for: {wrong}.", fix, code="usage") from None
    if subject is None:
        raise Trouble("--for names no person.", "Example: --for 'user_7 plan=pro'", code="usage")
    return subject


async def _values(
    session: ProjectSession, selection: RecordSelection | None, people: Sequence[str]
) -> list[FlagValue]:
    """Evaluate flag by flag, with the users in the given order. Raises Trouble, ApiError."""
    subjects = [subject_of(line) for line in dict.fromkeys(people)]
    if selection is None and not any(subject.is_hypothetical for subject in subjects):
        # Servers that keep the values of all flags from keys serve the definitions.
        with suppress(*NOT_HERE):
            values = await several(subjects, lambda subject: _served_values(session, subject))
            return sorted(chain.from_iterable(values), key=lambda value: value.key)
    every = selection or RecordSelection((), ("is:on", "is:off"))
    flags = [Flag.of(raw) for raw in await listed_objects_of(session, every)]
    with limited_patterns():
        return [value_of(account) for account in await _accounts(session, subjects, flags)]


async def _served_values(session: ProjectSession, subject: EvaluationSubject) -> list[FlagValue]:
    reasons = await session.client.evaluation.evaluation_reasons(subject.distinct_id, groups=subject.groups)
    return [
        FlagValue(
            key,
            served.value,
            served.evaluation.reason if served.evaluation else "",
            _from_one(served.evaluation.condition_index if served.evaluation else None),
            explanation=served.evaluation.description if served.evaluation and served.value is None else "",
            distinct_id=subject.distinct_id,
        )
        for key, served in reasons.items()
    ]


async def _accounts(
    session: ProjectSession, subjects: Sequence[EvaluationSubject], flags: Sequence[Flag]
) -> list[PersonEvaluation]:
    local = LocalDefinitions(session.client, ProjectCohorts(session.client))
    raws = [flag.raw for flag in flags]
    definitions = asyncio.ensure_future(definitions_of(local, raws, has_others=False))
    evaluations = [
        SubjectEvaluations(each, session.client, local, definitions, has_others=False) for each in subjects
    ]
    return await several(list(product(flags, evaluations)), lambda both: both[1].evaluate(both[0]))


def value_of(account: PersonEvaluation) -> FlagValue:
    """Return the value of an evaluation for printing, without a secret payload."""
    payload: JSON = None
    if not account.flag.has_encrypted_payloads and payload_words(account) != "none":
        payload = account.payload
    return FlagValue(
        account.flag.key,
        account.value,
        account.reason,
        _from_one(account.condition_index),
        payload,
        "server" if account.is_from_server else "here",
        decided_by(account),
        account.subject.distinct_id,
        condition_sentences(account),
    )


def _from_one(index: int | None) -> int | None:
    return None if index is None else index + 1
