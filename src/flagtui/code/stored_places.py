"""The places of a scan as they are stored: with their findings at that time."""

from collections.abc import Iterable, Iterator

from flagtui.code.code_findings import code_after_removal, findings_at
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.languages import language_of
from flagtui.code.reference_records import Reference
from flagtui.models.code_uses import CodeUse, UseFinding


def stored_places(references: Iterable[Reference], facts: CodeFacts) -> Iterator[CodeUse]:
    """Yield the places that name a key, and the calls that compute one, which is empty then."""
    for each in references:
        if each.key or each.is_use:
            language = language_of(each.path)
            yield CodeUse(
                each.path,
                each.line,
                each.column,
                each.kind,
                each.key,
                each.subject,
                language.name if language else "",
                becomes(each, facts),
                tuple(UseFinding(finding.rule, finding.message) for finding in findings_at(each, facts)),
            )


def becomes(reference: Reference, facts: CodeFacts) -> str:
    """Return the code without the flag; empty if that is unknown, or if the place is no use."""
    if reference.subject == "flag" and reference.key and reference.is_use:
        return code_after_removal(facts.flags.get(reference.key))
    return ""
