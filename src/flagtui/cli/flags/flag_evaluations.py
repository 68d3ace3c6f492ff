"""What people get of flags, and why: by the server's word, explained by the evaluator here."""

from collections.abc import Sequence
from itertools import chain, product

from flagtui.cli.errors import Trouble
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.records.flag_records import EXPLANATION, VALUE, FlagValue
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import Wanted, read_words, several
from flagtui.details.evaluations import (
    EvaluationSubject,
    Misread,
    PersonEvaluation,
    account_for,
    read_subject,
)
from flagtui.details.local_definitions import Cohorts, LocalDefinitions
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.text.evaluation_words import condition_sentences, decided_by, payload_words


def subject_of(line: str) -> EvaluationSubject:
    """Who is meant. Raises Trouble."""
    try:
        subject = read_subject(line)
    except Misread as wrong:
        fix = "Example: --for 'user_7 plan=pro group:company=acme'"
        raise Trouble(f"--for: {wrong}.", fix, code="usage") from None
    if subject is None:
        raise Trouble("--for names no person.", "Example: --for 'user_7 plan=pro'", code="usage")
    return subject


def evaluate_flags(words: Sequence[str], people: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """Each flag's value for each person; every flag where none is named."""
    printer.records(VALUE, _values(words, people, place), "No flag is evaluated.")
    return 0


def explain_flags(words: Sequence[str], people: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """The same, condition by condition."""
    printer.details(EXPLANATION, _values(words, people, place))
    return 0


def _values(words: Sequence[str], people: Sequence[str], place: WorkPlace) -> list[FlagValue]:
    """Flag by flag, with the people in the order they were named."""
    subjects = [subject_of(line) for line in dict.fromkeys(people)]
    wanted = read_words(words, FLAGS.is_query) if words else None

    async def work(session: ProjectSession) -> list[FlagValue]:
        if wanted is None and not any(subject.is_supposed for subject in subjects):
            said = await several(subjects, lambda subject: _said(session, subject))
            return sorted(chain.from_iterable(said), key=lambda value: value.key)
        flags = await flags_of(session, wanted or Wanted((), ("is:on", "is:off")))
        return [value_of(one) for one in await _accounts(session, subjects, flags)]

    return in_project(place, work)


async def _said(session: ProjectSession, subject: EvaluationSubject) -> list[FlagValue]:
    found = await session.client.evaluation.evaluation_reasons(subject.distinct_id, groups=subject.groups)
    return [
        FlagValue(
            key,
            one.value,
            one.evaluation.reason if one.evaluation else "",
            _from_one(one.evaluation.condition_index if one.evaluation else None),
            distinct_id=subject.distinct_id,
        )
        for key, one in found.items()
    ]


async def _accounts(
    session: ProjectSession, subjects: Sequence[EvaluationSubject], flags: Sequence[Flag]
) -> list[PersonEvaluation]:
    local = LocalDefinitions(session.client, Cohorts(session.client))
    return await several(
        list(product(flags, subjects)), lambda both: account_for(both[1], both[0], session.client, local)
    )


def value_of(account: PersonEvaluation) -> FlagValue:
    """An account as it is printed; a secret payload is left out."""
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
