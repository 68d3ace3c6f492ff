"""Findings about keys in code: rules, and the state of a flag."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from flagtui.code.flag_facts import CodeFacts
from flagtui.code.reference_records import Reference
from flagtui.models.code_flags import CodeFlag, ServedValue
from flagtui.models.code_uses import RuleId
from flagtui.models.rows import STALE_AFTER

Level = Literal["error", "warning", "note"]
State = RuleId | Literal["healthy"]


class CodeRule(msgspec.Struct, frozen=True):
    """One rule: its id is the same in settings and in every output."""

    id: RuleId
    level: Level
    summary: str


RULES: Final[Mapping[RuleId, CodeRule]] = {
    rule.id: rule
    for rule in (
        CodeRule("unknown-key", "error", "The code requests a key that never existed on the server."),
        CodeRule("deleted-key", "error", "The code requests a key whose record was deleted."),
        CodeRule("archived", "error", "The code requests an archived flag."),
        CodeRule("not-local", "warning", "Code on a server requests a flag that it cannot evaluate locally."),
        CodeRule("rolled-out", "note", "The flag serves one value to all; the check can be removed."),
        CodeRule("never-on", "note", "The flag is on and no condition matches anyone."),
        CodeRule("off", "note", "The flag is off for everyone, or the event is hidden."),
        CodeRule("stale", "note", "The server reports the flag as unused, or the event as not received."),
        CodeRule("unreferenced", "note", "No code names the key."),
        CodeRule("comment-only", "note", "Only comments name the key."),
        CodeRule("dynamic-key", "note", "The key is computed, so it cannot be checked."),
        CodeRule("default-differs", "warning", "The fallback in the call differs from what everyone gets."),
        CodeRule("missing-required", "error", "A required flag does not exist."),
    )
}
DEFAULT_RULES: Final[tuple[RuleId, ...]] = ("unknown-key", "deleted-key", "archived", "missing-required")
_UNUSED_RULES: Final[frozenset[RuleId]] = frozenset(("unreferenced", "comment-only"))
SIMILAR_LIMIT: Final = 20
"""Unknown keys for which a similar one is looked up."""
_NEW_EVENT: Final = "; for a new event: flagtui events create."
"""What follows where no event has a similar name."""
BUILTIN_MARK: Final = "$"
"""The first character of events that the product's own libraries send."""


class CodeFinding(msgspec.Struct, frozen=True):
    """One result of a rule."""

    rule: RuleId
    key: str
    message: str
    reference: Reference | None = None
    """Where it is; None for a record that no code names."""
    fingerprint: str = ""
    """The same while the key, the file and the order of its uses stay, whatever the lines are."""
    subject: str = "flag"

    @property
    def level(self) -> Level:
        """Return the severity of the rule."""
        return RULES[self.rule].level


def flag_states(flag: CodeFlag | None) -> list[State]:
    """Return the states that concern code, the most serious first; `healthy` where none does."""
    if flag is None:
        return ["unknown-key"]
    row = flag.row
    if row.deleted:
        return ["deleted-key"]
    if row.archived:
        return ["archived"]
    states: list[State] = []
    if not row.active:
        states.append("off")
    elif flag.everyone is False:
        states.append("never-on")
    elif flag.everyone is not None:
        states.append("rolled-out")
    if row.is_stale:
        states.append("stale")
    return states or ["healthy"]


def event_states(name: str, facts: CodeFacts) -> list[State]:
    """Return the states that concern code, the most serious first; `healthy` where none does."""
    if facts.events is None or name.startswith(BUILTIN_MARK):
        return ["healthy"]
    row = facts.events.get(name)
    if row is None:
        return ["unknown-key"]
    states: list[State] = ["off"] if row.hidden else []
    if row.seen_at is not None and facts.taken_at - row.seen_at > STALE_AFTER:
        states.append("stale")
    return states or ["healthy"]


def state_of(reference: Reference, facts: CodeFacts) -> State:
    """Return the state of the record that a place names."""
    if not reference.key:
        return "dynamic-key"
    if reference.subject == "event":
        return event_states(reference.key, facts)[0]
    return flag_states(facts.flags.get(reference.key))[0]


def code_after_removal(flag: CodeFlag | None) -> str:
    """Return the code without the flag; empty if it depends on the user."""
    if flag is None or flag.row.deleted or flag.row.archived or not flag.row.active:
        return "remove what it turns on"
    if flag.everyone is None:
        return ""
    if isinstance(flag.everyone, str):
        return f"keep variant {flag.everyone}"
    return "keep what it turns on" if flag.everyone else "remove what it turns on"


def find_findings(
    references: Sequence[Reference], facts: CodeFacts, rules: Collection[RuleId], required: Iterable[str] = ()
) -> list[CodeFinding]:
    """Return the findings of the rules by path, line and column; those without a place last."""
    findings = [
        finding
        for reference in references
        for finding in findings_at(reference, facts)
        if finding.rule in rules
    ]
    findings = _with_similar(findings, facts)
    if not _UNUSED_RULES.isdisjoint(rules):
        findings += (each for each in find_unused(references, facts) if each.rule in rules)
    if "missing-required" in rules:
        findings += _missing(required, facts)
    return [*_with_fingerprints(findings)]


def findings_at(reference: Reference, facts: CodeFacts) -> Iterator[CodeFinding]:
    """Yield the findings about one place; none where it is no use or has a marker."""
    if not reference.is_use or reference.accepted:
        return
    key = reference.key
    if reference.subject == "event" or not key:
        if not key:
            noun = "event" if reference.subject == "event" else "flag"
            message = f"{reference.function} computes the {noun} from {reference.expression}; not checked."
            yield CodeFinding("dynamic-key", key, message, reference)
            return
        for state in event_states(key, facts):
            if state != "healthy":
                yield CodeFinding(state, key, _event_sentence(state, key, facts), reference)
        return
    flag = facts.flags.get(key)
    for state in flag_states(flag):
        if state != "healthy":
            yield CodeFinding(state, key, _sentence(state, key, flag), reference)
    if flag is None or flag.row.deleted or flag.row.archived:
        return
    if reference.is_server and flag.not_local:
        yield CodeFinding(
            "not-local", key, f"{key} cannot be evaluated locally: {flag.not_local}.", reference
        )
    is_known = flag.has_value and flag.everyone is not None
    if is_known and reference.fallback is not None and reference.fallback != flag.everyone:
        values = f"{value_words(reference.fallback)}, and everyone gets {value_words(flag.everyone)}"
        yield CodeFinding("default-differs", key, f"The fallback for {key} is {values}.", reference)


def _with_similar(findings: Sequence[CodeFinding], facts: CodeFacts) -> list[CodeFinding]:
    """Add a similar key to unknown ones: the first of them only, since each takes as long as a small scan."""
    unknown = [finding for finding in findings if finding.rule == "unknown-key"]
    similar: dict[tuple[str, str], str] = {}
    living = (flag.key for flag in facts.flags.values() if not flag.row.deleted and not flag.row.archived)
    flags = [*living] if unknown else []
    for subject, key in [*dict.fromkeys(map(_record_of, unknown))][:SIMILAR_LIMIT]:
        names = (facts.events or {}) if subject == "event" else flags
        for match in difflib.get_close_matches(key, names, 1, 0.75):
            similar[subject, key] = f"; did you mean {match}?"
    return [
        msgspec.structs.replace(
            each, message=each.message.removesuffix(_NEW_EVENT).removesuffix(".") + similar[_record_of(each)]
        )
        if each.rule == "unknown-key" and _record_of(each) in similar
        else each
        for each in findings
    ]


def _record_of(finding: CodeFinding) -> tuple[str, str]:
    return (finding.reference.subject if finding.reference else "flag"), finding.key


def _sentence(state: State, key: str, flag: CodeFlag | None) -> str:
    match state:
        case "unknown-key":
            return f"There is no flag {key}, and none was deleted."
        case "deleted-key":
            return f"The flag {key} was deleted; the call gets no value."
        case "archived":
            return f"The flag {key} is archived; the call gets no value."
        case "off":
            return f"The flag {key} is off for everyone."
        case "never-on":
            return f"The flag {key} is on and serves no one."
        case "rolled-out":
            after = code_after_removal(flag)
            return f"Everyone gets {value_words(flag.everyone if flag else None)} of {key}: {after}."
        case _:
            return f"The server reports {key} as unused."


def _event_sentence(state: State, name: str, facts: CodeFacts) -> str:
    match state:
        case "unknown-key":
            return f"There is no event definition {name}{_NEW_EVENT}"
        case "off":
            return f"The event {name} is hidden."
        case _:
            return f"The event {name} was {_last_received(name, facts)}."


def _last_received(name: str, facts: CodeFacts) -> str:
    """Return `last received 40 days ago`."""
    row = (facts.events or {}).get(name)
    if row is None or row.seen_at is None:
        return "never received"
    days = max(0, int(facts.taken_at - row.seen_at) // 86_400)
    return "received today" if not days else f"last received {_days(days)} ago"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days:,} days"


def value_words(value: ServedValue) -> str:
    """Return the value as code writes it."""
    return {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else f'"{value}"'


def find_unused(references: Iterable[Reference], facts: CodeFacts) -> Iterator[CodeFinding]:
    """Yield the records that no code uses, without a fingerprint. A quoted key may be a use."""
    used: set[tuple[str, str]] = set()
    computed: Counter[str] = Counter()
    comments: dict[tuple[str, str], Reference] = {}
    for each in references:
        if each.is_use or each.kind == "string":
            used.add((each.subject, each.key))
            computed[each.subject] += not each.key
        elif each.kind == "comment":
            comments.setdefault((each.subject, each.key), each)
    records: list[tuple[str, str]] = [
        ("flag", key) for key, flag in facts.flags.items() if not flag.row.deleted and not flag.row.archived
    ]
    records += [("event", name) for name in facts.events or () if not name.startswith(BUILTIN_MARK)]
    for subject, key in sorted(record for record in records if record not in used):
        if (comment := comments.get((subject, key))) is not None:
            yield CodeFinding("comment-only", key, f"Only comments name the {subject} {key}.", comment)
        else:
            # Only calls name events; a flag may be named by other words, such as an attribute.
            words = f"No code has the flag {key} in quotes, except tests and generated files"
            if subject == "event":
                words = f"No call sends the event {key}; it was {_last_received(key, facts)}"
            words += f"{_computed_words(computed[subject])}."
            yield CodeFinding("unreferenced", key, words, subject=subject)


def _computed_words(count: int) -> str:
    """Return why a use may be missing, if any."""
    if count == 1:
        return "; 1 call computes its key, so it may be a use"
    return f"; {count:,} calls compute their keys, so one may be a use" if count else ""


def _missing(required: Iterable[str], facts: CodeFacts) -> Iterator[CodeFinding]:
    for key in dict.fromkeys(required):
        flag = facts.flags.get(key)
        if flag is None or flag.row.deleted or flag.row.archived:
            what = "does not exist" if flag is None else "was deleted" if flag.row.deleted else "is archived"
            yield CodeFinding("missing-required", key, f"The required flag {key} {what}.")


def _with_fingerprints(findings: Iterable[CodeFinding]) -> Iterator[CodeFinding]:
    counts: Counter[tuple[str, ...]] = Counter()
    for finding in findings:
        # Most scans find nothing, and OpenSSL takes longer to load than their findings.
        from hashlib import sha256

        path, expression = (at.path, at.expression) if (at := finding.reference) else ("", "")
        parts = (finding.rule, path, finding.key or expression)
        counts[parts] += 1
        digest = sha256("\0".join((*parts, str(counts[parts]))).encode(errors="surrogateescape")).hexdigest()
        yield msgspec.structs.replace(finding, fingerprint=digest[:32])
