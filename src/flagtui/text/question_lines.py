"""Draw a question: the differences of a plan, then its consequences."""

import re
from collections import Counter
from collections.abc import Collection, Container, Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from flagtui.changes.difference import MISSING, PRESENT, SHORT, DifferenceLine, compact
from flagtui.changes.guard import Question
from flagtui.changes.proposal import Consequence, Proposal, Tone
from flagtui.local_time import ago
from flagtui.safe_text import code_points, safe_text
from flagtui.text.conflict_lines import conflict_lines
from flagtui.text.formats import share_bar
from flagtui.text.long_lists import in_short, shorten, wrap_safe
from flagtui.text.styled import Piece

LABEL: Final = 15
BAR: Final = 12
DIFFERENCES: Final = 1_000
"""Lines of differences after which the rest is counted; up to then nothing is truncated."""
LONGEST: Final = 400
"""Characters of one consequence or caution."""
MOST: Final = 100
"""The most lines of consequences and of cautions; the rest is counted."""
FEW: Final = 3
"""Records that a question shows without scrolling on every screen."""
BESIDE: Final = 34
"""The fewest cells for two values beside the name of their field."""
CHOSEN: Final = "▌"
CURSOR: Final = "›"
BULK_KEY: Final = 34
BULK_WORDS: Final = 30
"""Cells for a key and for its change, side by side if both fit; a longer change wraps below the key."""
CUT: Final = re.compile(r"… |…$|\(\d[\d,]* more characters?\)| and [\d,]+ more\b")
"""Marks of words that do not show the whole value."""

_STYLES: Final[dict[Tone, str]] = {
    "plain": "",
    "good": "$success",
    "warning": "$warning",
    "danger": "$error",
    "experiment": "$secondary",
}


def question_lines(
    question: Question[Any], width: int, now: float, chosen: Collection[int] = (), cursor: int | None = None
) -> Iterator[list[Piece]]:
    """Yield the lines of a question; one line for profiles with short questions.

    Ages are those at `now`, in Unix seconds.
    `chosen` are the places of the plans that are meant, all without any; `cursor` is one of them.
    """
    yield from _notes(question, width, now)
    plans: list[Any] = [
        replace(plan, consequences=tuple(each.as_of(now) for each in plan.consequences))
        if any(each.sentence for each in plan.consequences)
        else plan
        for plan in question.plans
    ]
    if len(plans) > 1:
        yield from bulk_lines(plans, width, chosen, cursor)
    elif question.is_dialog:
        yield from plan_lines(plans[0], width)
    else:
        yield from _short_lines(plans[0], width)


def _short_lines(plan: Proposal, width: int) -> Iterator[list[Piece]]:
    """Yield the key and the whole change, on one line if there is room, and every caution.

    What has no differences, such as a change at a later time, is described by its consequences.
    """
    key, words = safe_text(plan.key, 60), _what(plan)
    if words and len(key) + len(words) + 2 <= width:
        yield [(key, "bold"), (f"  {safe_text(words, width)}", "")]
    else:
        yield [(key, "bold")]
        for line in wrap_safe(words, width - 2) if words else ():
            yield [(f"  {line}", "")]
    yield from _effect_lines(plan, width, () if words else plan.consequences)


def _notes(question: Question[Any], width: int, now: float) -> Iterator[list[Piece]]:
    if question.planned.without_journal:
        # Others may have been sent before the journal became unwritable.
        these = "This change was" if len(question.plans) == 1 else "These changes were"
        yield from caution_lines(
            f"{question.planned.without_journal}. {these} not sent. You can continue without it: "
            "the change then cannot be undone or checked after a crash.",
            ("make it writable, or make room on the disk, then try again",),
            width,
        )
        yield []
    purpose = question.planned.purpose
    if purpose is not None and purpose.made_at is not None:
        yield from caution_lines(f"your last change was {ago(purpose.made_at, now)}", (), width)
        yield []
    if question.planned.note:
        for line in wrap_safe(question.planned.note, width - 2):
            yield [(f"  {line}", "$text-muted")]
        yield []


def plan_lines(plan: Proposal, width: int) -> Iterator[list[Piece]]:
    """Yield the lines of one change."""
    yield [(safe_text(plan.key, max(10, width - 20)), "bold"), (f"   {plan.versions}", "$text-muted")]
    points = code_points(plan.key)
    if points:
        yield [(f"not plain letters: {points}", "$warning")]
    yield []
    differences = (_difference_lines(line, plan.verb.name == "create", width) for line in plan.lines)
    yield from shorten(differences, len(plan.lines), "differences", DIFFERENCES, "")
    if plan.lines:
        yield []
    # On a short screen only the first lines are visible: the gravest come first.
    yield from _conflict_lines_of(plan, width)
    yield from _effect_lines(plan, width, plan.consequences)


def _effect_lines(plan: Proposal, width: int, consequences: Sequence[Consequence]) -> Iterator[list[Piece]]:
    """Yield the cautions, then the consequences."""
    doubts = (caution_lines(caution.text, caution.instead, width) for caution in plan.cautions)
    yield from shorten(doubts, len(plan.cautions), "cautions", MOST, "")
    follows = (consequence_lines(consequence, width) for consequence in consequences)
    yield from shorten(follows, len(consequences), "consequences", MOST, "")


def _conflict_lines_of(plan: Proposal, width: int) -> Iterator[list[Piece]]:
    conflicts = (conflict_lines(conflict, plan.noun, width) for conflict in plan.conflicts)
    yield from shorten(conflicts, len(plan.conflicts), "conflicts", MOST, "")


def _difference_lines(line: DifferenceLine, is_new: bool, width: int) -> Iterator[list[Piece]]:
    """Yield a difference in words, and its values where the words do not hold all of them."""
    for text in wrap_safe(line.words, width - 4):
        yield [(f"  {text}", "bold")]
    if is_new:
        if not _has_all(line):
            yield from _sides(line.where, MISSING, line.after, width)
    elif not _is_plain(line):
        yield from _sides(line.where, line.before, line.after, width)


def _has_all(line: DifferenceLine) -> bool:
    """Return whether the words hold the whole new value: no payload, and nothing cut."""
    return "payloads" not in line.path and not CUT.search(line.words)


def bulk_lines(
    plans: Sequence[Proposal], width: int, chosen: Collection[int] = (), cursor: int | None = None
) -> Iterator[list[Piece]]:
    """Yield a line for each record and its consequences; what records share is listed once."""
    meant = {place: plan for place, plan in enumerate(plans) if not chosen or place in chosen}
    words, shared = [_what(plan) for plan in plans], _shared_consequences([*meant.values()])
    is_one_change = len(set(words)) == 1
    yield from _doubtful_lines([*meant.values()], width)
    if is_one_change:
        for place, line in enumerate(wrap_safe(words[0], max(20, width - LABEL - 2))):
            yield [(f"  {'' if place else 'Each':<{LABEL}}", "$text-muted"), (line, "bold")]
    for consequence in shared.values():
        yield from consequence_lines(consequence, width)
    if shared or is_one_change:
        yield []
    for place, plan in enumerate(plans):
        record, *more = _record_line(plan.key, "" if is_one_change else words[place], width)
        if cursor is not None:
            (text, style), *rest = record
            signs = f"{CHOSEN if place in chosen else ' '}{CURSOR if place == cursor else ' '}"
            record = [(signs, "$primary"), (text[2:], style if place in meant else "$text-muted"), *rest]
        yield from (record, *more)
        if place in meant:
            yield from _own_lines(plan, shared, width)


def _own_lines(plan: Proposal, shared: Container[str], width: int) -> Iterator[list[Piece]]:
    """Yield the gravest consequence of a record, unless it is shared; its cautions and its conflicts."""
    gravest = _gravest(plan)
    if gravest is not None and _text_of(gravest) not in shared:
        for line in wrap_safe(_text_of(gravest), width - 6, LONGEST):
            yield [("      ", ""), (line, _STYLES[gravest.tone])]
    for caution in plan.cautions:
        yield from caution_lines(caution.text, (), width)
    yield from _conflict_lines_of(plan, width)


def _doubtful_lines(plans: Sequence[Proposal], width: int) -> Iterator[list[Piece]]:
    """Yield which records have a caution or a conflict: a short screen does not show their own lines."""
    names = [safe_text(plan.key, 60) for plan in plans if plan.cautions or plan.conflicts]
    if names and len(plans) > FEW:
        text = f"{len(names):,} of {len(plans):,} with a caution: {in_short(names, FEW)}"
        yield from caution_lines(text, (), width)


def _shared_consequences(plans: Sequence[Proposal]) -> dict[str, Consequence]:
    """Return consequences of all plans; and, counted, of several, unless they must be listed by record."""
    times = Counter(_text_of(each) for plan in plans for each in plan.consequences)
    shared = {}
    for each in filter(None, map(_gravest, plans)):
        count = times[_text_of(each)]
        if count == len(plans):
            shared[_text_of(each)] = each
        elif count > 1 and each.tone not in ("danger", "experiment"):
            shared[_text_of(each)] = replace(each, text=f"{each.text} ({count:,} of {len(plans):,})")
    return shared


def _record_line(key: str, what: str, width: int) -> Iterator[list[Piece]]:
    if not what:
        yield [(f"  {safe_text(key, width - 2)}", "bold")]
    elif width >= BULK_KEY + BULK_WORDS + 2 and _is_aligned(key) and len(what) <= BULK_WORDS:
        yield [(f"  {safe_text(key):<{BULK_KEY}}", "bold"), (safe_text(what), "$text-muted")]
    else:
        yield [(f"  {safe_text(key, width - 2)}", "bold")]
        for line in wrap_safe(what, width - 8):
            yield [(f"      {line}", "$text-muted")]


def _is_aligned(key: str) -> bool:
    """Return whether the key fills its column: other letters can be two cells wide."""
    return key.isascii() and len(key) <= BULK_KEY - 2


def _what(plan: Proposal) -> str:
    """Return all differences of a plan on one line, with the whole value where the words cut it."""
    return "; ".join(
        line.words if _has_all(line) else f"{line.words} (the whole value: {compact(line.after)})"
        for line in plan.lines
    )


def _text_of(consequence: Consequence) -> str:
    return f"{consequence.label}: {consequence.text}"


def consequence_lines(consequence: Consequence, width: int) -> Iterator[list[Piece]]:
    """Yield `Reach   41,230 of 82,460 users lose it ━━━───`, wrapped beside its label."""
    style = _STYLES[consequence.tone]
    room = max(20, width - LABEL - 2)
    lines = wrap_safe(consequence.text, room, LONGEST)
    for place, text in enumerate(lines):
        label = consequence.label if place == 0 else ""
        pieces: list[Piece] = [(f"  {label:<{LABEL}}", "$text-muted"), (text, style)]
        is_last = place == len(lines) - 1
        if is_last and consequence.share is not None and len(text) + BAR < room:
            pieces += [(" ", ""), *share_bar(consequence.share, BAR, style)]
        yield pieces


def caution_lines(text: str, instead: Sequence[str], width: int) -> Iterator[list[Piece]]:
    """Yield `! experiment #31 is running on this flag` and the safer alternatives."""
    for place, line in enumerate(wrap_safe(text, width - 4, LONGEST)):
        yield [("  ! " if place == 0 else "    ", "bold $warning"), (line, "$warning")]
    if instead:
        yield [("    safer: ", "$text-muted"), (safe_text(", ".join(instead), 200), "")]


def _is_plain(line: DifferenceLine) -> bool:
    """Return whether the words alone describe the difference: on or off, one word of a list, a deletion."""
    if line.before == PRESENT and line.after is MISSING:
        return True
    sides = (line.before, line.after)
    is_word = isinstance(line.path[-1], int) and all(
        side is MISSING or (isinstance(side, str) and len(side) <= SHORT) for side in sides
    )
    return is_word or all(side is MISSING or isinstance(side, bool) for side in sides)


def _sides(where: str, before: object, after: object, width: int) -> Iterator[list[Piece]]:
    pad = f"    {safe_text(where, 40)}"
    if width - len(pad) < BESIDE:
        yield [(pad, "$text-muted")]
        pad = "    "
    room = max(20, width - len(pad) - 4)
    for sign, value, style in (("  - ", before, "$error"), ("  + ", after, "$success")):
        for text in wrap_safe(compact(value), room) if value is not MISSING else ():
            yield [(pad, "$text-muted"), (sign, style), (text, style)]
            pad, sign = " " * len(pad), "    "


def _gravest(plan: Proposal) -> Consequence | None:
    order: list[Tone] = ["danger", "experiment", "warning", "good", "plain"]
    return min(plan.consequences, key=lambda consequence: order.index(consequence.tone), default=None)
