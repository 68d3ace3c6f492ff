"""Each condition in full: what it asks for, in words and as the server keeps it."""

from collections.abc import Iterator

from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.models.filters import Condition
from flagtui.models.json_value import JSON, as_list
from flagtui.safe_text import safe_lines
from flagtui.text.flag_sentences import (
    FIRST_FIT,
    before_conditions,
    decides_before,
    manner_lines,
    numbered_lines,
    who_sees_it,
)
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
    beside = [*before_conditions(filters), *manner_lines(flag)]
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
