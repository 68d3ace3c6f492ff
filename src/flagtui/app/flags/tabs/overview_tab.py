"""The first tab, and the column beside all tabs: who sees it, its state, reach, links, history and ages."""

from collections.abc import Iterator

from flagtui.app.flags.flag_columns import called_words, upstream_words
from flagtui.app.flags.flag_preview_lines import not_read, recent_lines, seen_by_lines, variant_lines
from flagtui.app.flags.tabs.conditions_tab import bar, reach_summary
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.widgets.glyphs import terminal_glyphs
from flagtui.app.widgets.line import cut
from flagtui.local_time import NOT_KNOWN, age, unix
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.cleanup_advice import cleanup_lines
from flagtui.text.formats import moment
from flagtui.text.long_lists import join_words
from flagtui.text.override_lines import mirror_lines
from flagtui.text.schedule_words import scheduled_words
from flagtui.text.staged_lines import staged_lines
from flagtui.text.styled import Piece


def overview_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield the whole overview, except the content of the column beside it."""
    details, flag = study.details, study.details.flag
    yield from mirror_lines(details.mirror, details.row.key, upstream_words(details.row), width)
    yield from staged_lines(details.staged, terminal_glyphs().staged)
    yield from seen_by_lines(details, study.names)
    if flag is None:
        return
    yield []
    yield from variant_lines(flag, width)
    yield from status_lines(study)
    if details.row.is_stale:
        yield from cleanup_lines(details.row, flag, details.dependents, study.now)
    if not study.is_wide:
        yield from reach_summary(details, width)
        yield from link_lines(study, width)
        yield from age_lines(details.row, study.now)
        yield []
        yield from recent_lines(details, study.names, study.now, width)


def _status_word(status: str, row: FlagRow) -> Piece:
    # Servers report every flag that is not stale as active, also one that is off.
    if status == "active" and not row.active:
        return "not stale", ""
    style = {"stale": "$warning", "inactive": "$warning", "active": "$success"}.get(status, "")
    return safe_text(status, 20), style


def status_lines(study: Study) -> Iterator[list[Piece]]:
    """Yield the server's status of the flag, with its reason."""
    details = study.details
    status = details.status
    if status is not None and status.status:
        word, style = _status_word(status.status, details.row)
        yield [("STATUS      ", "$text-muted"), (word, style), (f"  {safe_text(status.reason, 160)}", "")]
    elif details.row.status:
        words = f"  {safe_text(details.no_status, 120)}" if details.no_status else ""
        word, _ = _status_word(details.row.status.lower(), details.row)
        yield [("STATUS      ", "$text-muted"), (word, ""), (words, "$faint")]
    flag = details.flag
    if flag is not None and (contexts := flag.evaluation_contexts or flag.evaluation_tags):
        all_match = flag.evaluation_contexts_match_mode == "all" and len(contexts) > 1
        words = "  all have to match" if all_match else ""
        yield [("CONTEXTS    ", "$text-muted"), (join_words(contexts, 12, 30), ""), (words, "$text-muted")]
    if details.row.tags:
        yield [("TAGS        ", "$text-muted"), (join_words(details.row.tags, 12, 30, "#"), "")]
    yield []


MOST = 5
"""Links of one kind that are named; the tab *Links* has all."""
LABEL = 12
"""Cells of the words on the left."""


def side_lines(study: Study, width: int, tab: str = "") -> Iterator[list[Piece]]:
    """Yield the whole column, without the history beside the tab that shows all of it."""
    details = study.details
    yield from list(reach_summary(details, width))[:-1]
    for part in details.reach.parts if details.reach is not None else ():
        yield [
            (f" {part.number} {part.reached:>8,}  ", "$text-muted"),
            *bar(part.reached, part.total, width - 14),
        ]
    yield []
    yield from link_lines(study, width)
    if (details.changes or details.no_changes) and tab != "history":
        yield from recent_lines(details, study.names, study.now, width, heading="HISTORY")
        yield []
    yield from age_lines(details.row, study.now)


def link_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield experiments, dependencies, dependents and schedules; nothing if there are none."""
    rows = [*_links(study, width)]
    if rows:
        yield [("LINKS", "$text-muted")]
        last = ""
        for label, pieces in rows:
            yield [((label if label != last else "").ljust(LABEL), "$text-muted"), *pieces]
            last = label
        yield []


def _experiments(flag: Flag, width: int) -> Iterator[tuple[str, list[Piece]]]:
    for link in flag.experiment_set_metadata:
        state = f"  {flag.experiment_state(link.is_running)}" if link.is_running else ""
        name = cut(safe_text(f"#{link.id} {link.name}"), width - LABEL - len(state))
        yield "experiment", [(name, "$secondary"), (state, "$success" if flag.active else "$faint")]
    for id in flag.experiment_set if not flag.experiment_set_metadata else ():
        yield "experiment", [(f"#{id}", "$secondary")]


def _links(study: Study, width: int) -> Iterator[tuple[str, list[Piece]]]:
    details, flag = study.details, study.details.flag
    yield from _experiments(flag, width) if flag is not None else ()
    dependents = details.dependents or ()
    if details.dependents is None and details.no_dependents:
        yield "needed by", [not_read(details.no_dependents, width - LABEL)]
    for key in dependents[:MOST]:
        yield "needed by", [(cut(safe_text(key), width - LABEL), "")]
    yield from _more("needed by", len(dependents) - MOST)
    needs = flag.targeting.depends_on if flag else ()
    for id in needs[:MOST]:
        yield "needs", [(cut(safe_text(study.names.flags.get(id, f"flag #{id}")), width - LABEL), "")]
    yield from _more("needs", len(needs) - MOST)
    schedule = details.schedule or ()
    if details.schedule is None and details.no_schedule:
        yield "schedule", [not_read(details.no_schedule, width - LABEL)]
    for change in schedule[:MOST]:
        when = moment(unix(change.scheduled_at))
        yield "schedule", [(cut(scheduled_words(change), width - LABEL), "$warning")]
        yield "schedule", [(f"on {when}", "$warning")]
    yield from _more("schedule", len(schedule) - MOST)


def _more(label: str, count: int) -> Iterator[tuple[str, list[Piece]]]:
    if count > 0:
        yield label, [(f"… and {count:,} more", "$faint")]


def age_lines(row: FlagRow, now: float) -> Iterator[list[Piece]]:
    """Yield `AGE created 71d · changed 2m · called 1h`, and the author."""
    parts = [
        f"created {age(row.created_at, now) or NOT_KNOWN}",
        f"changed {age(row.updated_at, now) or NOT_KNOWN}",
        f"called {called_words(row, now)}",
    ]
    yield [("AGE  ", "$text-muted"), (" · ".join(parts), "")]
    if row.creator:
        yield [("BY   ", "$text-muted"), (cut(safe_text(row.creator), 34), "$primary")]
