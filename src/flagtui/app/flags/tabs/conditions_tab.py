"""Each condition in full: what it asks for, in words and as the server keeps it, and how many it reaches."""

from collections.abc import Iterator

from flagtui.app.flags.flag_preview_lines import total_pieces
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.models.filters import Condition
from flagtui.models.flag_details import FlagDetails
from flagtui.models.json_value import JSON, as_list
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.flag_sentences import (
    FIRST_FIT,
    before_conditions,
    decides_before,
    manner_lines,
    numbered_lines,
    who_sees_it,
)
from flagtui.text.formats import percent, share_bar
from flagtui.text.styled import Piece


def condition_pages(study: Study, width: int) -> Iterator[list[Piece]]:
    """Condition after condition, with description and what else is kept with it."""
    flag = study.details.flag
    if flag is None:
        yield [("loading…" if not study.details.trouble else "not known", "$text-muted")]
        return
    filters = flag.targeting
    conditions = as_list(filters.raw.get("groups"))
    if not filters.is_editable or not conditions:
        yield from who_sees_it(filters, study.names)
        return
    order = FIRST_FIT if filters.early_exit else "the first one that matches decides"
    rest = ", for everybody who is left" if decides_before(filters) else ""
    beside = [*before_conditions(filters), *manner_lines(flag.raw)]
    yield from [*beside, []] if beside else []
    yield [("CONDITIONS  ", "$text-muted"), (order + rest, "$faint")]
    yield []
    for number, raw in enumerate(conditions, 1):
        yield from numbered_lines(number, raw, filters, study.names)
        if isinstance(raw, dict):
            yield from _beside(Condition.of(raw), raw)
        yield []


def _beside(condition: Condition, raw: dict[str, JSON]) -> Iterator[list[Piece]]:
    for line in safe_lines(condition.description, 400, 4) if condition.description else []:
        yield [("      ", ""), (line, "$text-muted")]
    if raw.get("rollout_percentage") is None:
        yield [("      ", ""), ("no share is stored, which counts as 100 %", "$faint")]
    if raw.get("exposure_frozen") is True:
        yield [("      ", ""), ("frozen by its experiment: nobody new comes in", "$warning")]


def reach_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """The total, then each condition: who fits, which share of them, how many that makes."""
    details, flag = study.details, study.details.flag
    yield from reach_summary(details, width)
    reach = details.reach
    if flag is None or reach is None:
        return
    counted = {part.number: part for part in reach.parts}
    if not flag.active and reach.parts:
        yield [("It is off, so it reaches nobody now; this is what it would reach.", "$warning")]
        yield []
    for number, raw in enumerate(as_list(flag.targeting.raw.get("groups")), 1):
        yield from numbered_lines(number, raw, flag.targeting, study.names)
        if (part := counted.get(number)) is not None:
            words = f"{part.fitting:,} fit · {percent(part.share)} of them are about "
            yield [
                ("      ", ""),
                (words, "$text-muted"),
                (f"{part.reached:,}", "bold"),
                (f" {part.unit}", ""),
            ]
            yield [("      ", ""), *bar(part.reached, part.total, max(10, width - 8))]
        elif reach.reason:
            yield [("      ", ""), ("not counted yet" if reach.uncounted else "not counted", "$faint")]
        yield []
    if reach.parts:
        yield [("Estimates of the server; who fits several conditions is counted for each.", "$faint")]


def reach_summary(details: FlagDetails, width: int) -> Iterator[list[Piece]]:
    """`REACH`, the total, its bar, and why there is none."""
    reach = details.reach
    yield [("REACH", "$text-muted")]
    if reach is None:
        yield [("counting…" if not details.trouble else "not known", "$faint")]
    elif reach.affected is not None and reach.total is not None:
        yield [*total_pieces(reach)]
        yield [*bar(reach.affected, reach.total, max(10, min(width, 60)))]
    else:
        yield [(safe_text(reach.reason, 160) or "nobody: it has no condition", "$faint")]
    yield []


def bar(part: int, whole: int, width: int) -> tuple[Piece, Piece]:
    """A bar as long as the share; empty only for 0, full only for all."""
    return share_bar(part / whole if whole else 0, width, "$success")
