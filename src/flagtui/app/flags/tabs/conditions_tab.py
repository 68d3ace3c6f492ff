"""Each condition in full: in words, as stored, and its reach."""

from collections.abc import Iterator

from flagtui.app.flags.flag_preview_lines import MANY, total_pieces
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.evaluate import wire
from flagtui.models.filters import Filters, is_frozen
from flagtui.models.flag_details import Counted, CountedReach, FlagDetails
from flagtui.models.json_value import JSON, as_text
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.empty_states import unread_line
from flagtui.text.flag_sentences import (
    EARLY_EXIT,
    before_conditions,
    condition_blocks,
    decides_before,
    manner_lines,
    steps_to_serve,
    who_sees_it,
)
from flagtui.text.formats import percent, share_bar
from flagtui.text.long_lists import shorten
from flagtui.text.rule_sentences import ORDER
from flagtui.text.styled import Piece

LONGEST_BAR = 60
"""Cells up to which bars grow with the screen: longer ones could not be compared at a glance."""


def condition_pages(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield each condition with its description and other stored values."""
    flag = study.details.flag
    if flag is None:
        yield unread_line(study.details.trouble)
        return
    filters = flag.targeting
    conditions = filters.stored_conditions
    if filters.has_rules:
        yield [("RULES  ", "$text-muted"), (ORDER, "$faint")]
        yield []
    if not filters.is_editable or not conditions:
        yield from who_sees_it(filters, study.names)
        return
    order = EARLY_EXIT if filters.early_exit else "first match wins"
    rest = ", for everyone else" if decides_before(filters) else ""
    beside = [*before_conditions(filters), *manner_lines(flag.raw)]
    yield from [*beside, []] if beside else []
    many = f"{len(conditions):,} of them; " if len(conditions) > MANY else ""
    yield [("CONDITIONS  ", "$text-muted"), (many + order + rest, "$faint")]
    yield []
    yield from shorten(_pages(filters, study), len(conditions), "conditions")


def _pages(filters: Filters, study: Study) -> Iterator[list[list[Piece]]]:
    """Yield each condition with its details and an empty line."""
    for raw, lines in zip(filters.stored_conditions, condition_blocks(filters, study.names), strict=True):
        yield [*lines, *(_beside(raw) if isinstance(raw, dict) else ()), []]


def _beside(raw: dict[str, JSON]) -> Iterator[list[Piece]]:
    description = as_text(raw.get("description"))
    for line in safe_lines(description, 400, 4) if description else []:
        yield [("      ", ""), (line, "$text-muted")]
    if wire.share(raw) is None:
        yield [("      ", ""), ("no share is stored, which counts as 100 %", "$faint")]
    if is_frozen(raw):
        yield [("      ", ""), ("frozen by its experiment: no new users", "$warning")]


def reach_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield the total, then each condition: matching users, their share, the resulting number."""
    details, flag = study.details, study.details.flag
    yield from reach_summary(details, width)
    reach = details.reach
    if flag is None or reach is None:
        return
    counted = {part.number: part for part in reach.parts}
    blocks = enumerate(condition_blocks(flag.targeting, study.names), 1)
    pages = ([*lines, *_count_lines(reach, counted.get(number), width), []] for number, lines in blocks)
    yield from shorten(pages, len(flag.targeting.stored_conditions), "conditions")
    if reach.parts:
        yield [("Estimated; users who match several conditions count in each.", "$faint")]


def _count_lines(reach: CountedReach, part: Counted | None, width: int) -> Iterator[list[Piece]]:
    """Yield the users who match one condition, and how many of them its share includes."""
    if part is not None:
        words = f"{part.fitting:,} match · {percent(part.share)} of them are about "
        yield [("      ", ""), (words, "$text-muted"), (f"{part.reached:,}", "bold"), (f" {part.unit}", "")]
        yield [("      ", ""), *bar(part.reached, part.total, max(10, min(width, LONGEST_BAR) - 6))]
    elif reach.reason:
        yield [("      ", ""), ("not counted yet" if reach.uncounted else "not counted", "$faint")]


def reach_summary(details: FlagDetails, width: int) -> Iterator[list[Piece]]:
    """Yield `REACH`: the total and its bar, or the reason why there is no total."""
    reach = details.reach
    yield [("REACH", "$text-muted")]
    if reach is None:
        yield [("counting…" if not details.trouble else "not known", "$faint")]
    elif reach.affected is not None and reach.total is not None:
        yield [*total_pieces(reach, steps_to_serve(details.flag) if details.flag is not None else "")]
        yield [*bar(reach.affected, reach.total, max(10, min(width, LONGEST_BAR)))]
    else:
        yield [(safe_text(reach.reason, 160) or "no one: it has no condition", "$faint")]
    yield []


def bar(part: int, whole: int, width: int) -> tuple[Piece, Piece]:
    """Return a bar as long as the share; empty only for 0, full only for all."""
    return share_bar(part / whole if whole else 0, width, "$success")
