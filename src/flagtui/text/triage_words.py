"""Draw the inbox: progress, the proposal for the current event, the decisions."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from flagtui.changes.event_definitions.event_uses import KnownUses
from flagtui.changes.event_definitions.triage import TriageDecision
from flagtui.safe_text import safe_text
from flagtui.store.inbox import Case, Suggestion
from flagtui.text.event_words import badges, last_seen_words, use_lines
from flagtui.text.formats import share_bar
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

BAR = 48
WIDE = 100
"""The fewest columns for the full first line."""
NARROW = 70
LABEL = 13


def progress_line(reason: str, left: int, decided: int, pace: float | None, width: int) -> list[Piece]:
    """Return `Inbox  every reason · custom   37 of 214 decided   6 per minute`."""
    is_wide = width >= WIDE
    what = f" {reason or 'every reason'}{' · custom' if is_wide else ''} "
    pieces: list[Piece] = [(" Inbox ", "bold"), (what, "$text-muted")]
    pieces += [(f"   {decided:,} of {left + decided:,}", "bold"), (" done" if is_wide else "", "$text-muted")]
    if pace is not None and width >= NARROW:
        pieces.append((f"   {pace:.0f} per minute", "$text-muted"))
    return pieces


def progress_bar(left: int, decided: int, width: int) -> list[Piece]:
    size = min(BAR, max(10, width - 4))
    done = decided / (left + decided) if left + decided else 1
    return [(" ", ""), *share_bar(done, size, "$success")]


def case_lines(
    case: Case, proposal: Suggestion, uses: KnownUses | None, now: float, width: int
) -> Iterator[list[Piece]]:
    """Yield the current event, the proposal from its neighbours, and the experiments that measure it."""
    row = case.row
    yield [(safe_text(row.name, 120), "bold")]
    yield list(badges(row, now))
    yield [(f"last seen {last_seen_words(row, now)}", "$text-muted")]
    yield []
    for text in wrap(safe_text(row.description, 600), max(10, width)) or ["no description"]:
        yield [(text, "" if row.description.strip() else "$faint")]
    if row.tags:
        yield [(" ".join(f"#{safe_text(tag, 30)}" for tag in row.tags[:8]), "$text-muted")]
    yield []
    yield from _proposal_lines(case, proposal, width)
    yield []
    yield [("USED BY", "$text-muted")]
    yield from use_lines(*(uses or (None, "")))
    yield []
    effects = f"Verifying unhides; hiding unverifies. {key_sign('inbox.apply')} sends the decisions."
    for text in wrap(effects, max(10, width)):
        yield [(text, "$faint")]


def _proposal_lines(case: Case, proposal: Suggestion, width: int) -> Iterator[list[Piece]]:
    yield [("PROPOSED", "$text-muted")]
    if case.twin is not None:
        state = "verified" if case.twin.verified else "described" if case.twin.description else "seen more"
        twin: list[Piece] = [(safe_text(case.twin.name, 60), "$warning"), (f"  {state}", "$text-muted")]
        yield [(_label("inbox.same_as", "same as"), "$text-muted"), *twin]
    if proposal.description:
        lines = wrap(safe_text(proposal.description, 300), max(10, width - LABEL)) or [""]
        label = _label("inbox.describe", "describe")
        for place, text in enumerate(lines[:4]):
            yield [(label if place == 0 else " " * LABEL, "$text-muted"), (text, "")]
        yield [(" " * LABEL, ""), (f"from {safe_text(proposal.source, 60)}", "$faint")]
    if proposal.tags:
        tags = ", ".join(safe_text(tag, 30) for tag in proposal.tags)
        of = f"  {proposal.neighbours} neighbours" if proposal.neighbours > 1 else ""
        yield [(_label("inbox.take_tags", "tags"), "$text-muted"), (tags, ""), (of, "$faint")]
    if case.twin is None and not proposal.description and not proposal.tags:
        yield [("none: no neighbour has a description or tags", "$faint")]


def _label(command: str, words: str) -> str:
    """Return the key of a command with what it does, as wide as all of them."""
    return f"{key_sign(command)} {words}".ljust(LABEL - 1) + " "


def decided_lines(decisions: Sequence[TriageDecision], shown: int, width: int) -> Iterator[list[Piece]]:
    """Yield the decisions not yet applied, newest first."""
    if not decisions or shown < 2:
        return
    yield [
        ("   DECIDED, NOT YET APPLIED", "$text-muted"),
        (f"   {key_sign('inbox.apply')} applies them", "$faint"),
    ]
    for decision in list(reversed(decisions))[: shown - 1]:
        target = f" → {safe_text(decision.same_as, 40)}" if decision.same_as else ""
        tags = decision.changes.get("tags")
        more = " ".join(f"+{safe_text(tag, 20)}" for tag in _added_tags(decision)) if tags else ""
        pieces: list[Piece] = [
            (f"   {decision.words:<12.20} ", "$success"),
            (safe_text(decision.name, 40) + target, ""),
            (f"   {more}", "$text-muted"),
        ]
        if decision.trouble:
            pieces.append((f"  {safe_text(decision.trouble, max(20, width - 60))}", "$error"))
        yield pieces


def _added_tags(decision: TriageDecision) -> list[str]:
    after, before = decision.changes.get("tags"), decision.seen.get("tags")
    previous = before if isinstance(before, list) else []
    return [str(tag) for tag in after if tag not in previous] if isinstance(after, list) else []
