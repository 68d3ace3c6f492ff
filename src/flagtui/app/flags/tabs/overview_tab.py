"""The first tab: who sees it, what state it is in and why, what comes with it."""

from collections.abc import Iterator

from flagtui.app.flags.flag_preview_lines import seen_by_lines, variant_lines
from flagtui.app.flags.tabs.reach_tab import reach_summary
from flagtui.app.flags.tabs.side_column import age_lines, link_lines, recent_lines
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.safe_text import safe_text
from flagtui.text.cleanup_advice import way_out_lines
from flagtui.text.styled import Piece


def overview_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """Everything at a glance; what the column beside it says is left out when that is there."""
    details, flag = study.details, study.details.flag
    yield from seen_by_lines(details, study.names)
    if flag is None:
        return
    yield []
    yield from variant_lines(flag, width)
    yield from status_lines(study)
    if details.row.is_stale:
        yield from way_out_lines(details.row, flag, details.dependents, study.now)
    if not study.is_wide:
        yield from reach_summary(details, width)
        yield from link_lines(study, width)
        yield from age_lines(details.row, study.now)
        yield []
        yield from recent_lines(study, width)


def status_lines(study: Study) -> Iterator[list[Piece]]:
    """What the server makes of the flag, and why."""
    details = study.details
    status = details.status
    if status is not None and status.status:
        word = safe_text(status.status, 20)
        style = {"stale": "$warning", "inactive": "$warning", "active": "$success"}.get(status.status, "")
        yield [("STATUS      ", "$text-muted"), (word, style), (f"  {safe_text(status.reason, 160)}", "")]
    elif details.row.status:
        words = f"  {safe_text(details.no_status, 120)}" if details.no_status else ""
        yield [
            ("STATUS      ", "$text-muted"),
            (safe_text(details.row.status.lower(), 20), ""),
            (words, "$faint"),
        ]
    contexts = (details.flag.evaluation_contexts or details.flag.evaluation_tags) if details.flag else ()
    if contexts:
        yield [("CONTEXTS    ", "$text-muted"), (" ".join(safe_text(one, 30) for one in contexts[:12]), "")]
    if details.row.tags:
        tags = " ".join(f"#{safe_text(tag, 30)}" for tag in details.row.tags[:12])
        yield [("TAGS        ", "$text-muted"), (tags, "")]
    yield []
