"""Related records of a flag: experiments, other flags, cohorts, early access, schedules."""

from collections.abc import Iterator, Sequence
from typing import Final

from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.changes.flags.flag_words import GONE, cohort_name
from flagtui.local_time import unix
from flagtui.models.flag import Flag
from flagtui.models.flag_details import FlagDetails
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.safe_text import safe_text
from flagtui.text.empty_states import unread_line
from flagtui.text.formats import moment
from flagtui.text.long_lists import IN_JSON, shorten
from flagtui.text.schedule_words import scheduled_words
from flagtui.text.styled import Piece

MOST = 60
"""Lines of one kind."""
LABEL: Final = 15
NONE: list[Piece] = [("none", "$faint")]


def link_pages(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield each kind of link beside its label, empty kinds too."""
    details, flag = study.details, study.details.flag
    if flag is None:
        yield unread_line(details.trouble)
        return
    yield from _section("EXPERIMENTS", [*_experiments(flag)], "experiments")
    yield from _section("NEEDED BY", [*_needed_by(details)], "flags", rest="")
    yield from _section("NEEDS", [*_needs(flag, study)], "flags")
    yield from _section("COHORTS", [*_cohorts(flag, study)], "cohorts")
    features, surveys = ([[(_name_of(raw), "")] for raw in of] for of in (flag.features, flag.surveys))
    yield from _section("EARLY ACCESS", features, "features")
    yield from _section("SURVEYS", surveys, "surveys")
    yield from _section("SCHEDULE", [*_schedule(study)], "lines", rest="")
    yield from _section("DASHBOARD", [*_dashboard(flag)], "dashboards")
    if study.closed:
        refused: list[list[Piece]] = [
            [(f"{title}: ", "$faint"), (safe_text(why, 160), "$faint")] for title, why in study.closed
        ]
        yield from _section("NOT FROM HERE", refused, "lines", rest="")


def _section(
    title: str, lines: Sequence[list[Piece]], plural: str, rest: str = IN_JSON
) -> Iterator[list[Piece]]:
    """Yield the lines, with the title before the first one."""
    for line in shorten(([line] for line in lines or [NONE]), len(lines), plural, MOST, rest):
        yield [(f"{title:<{LABEL}}", "$text-muted"), *line]
        title = ""


def _experiments(flag: Flag) -> Iterator[list[Piece]]:
    for link in flag.experiment_set_metadata:
        state = flag.experiment_state(link.is_running)
        style = "$success" if state == "running" else "$faint"
        name = (safe_text(link.name, 100), "$secondary")
        yield [(f"#{link.id} ", "$faint"), name, (f"  {state}" * bool(state), style)]
    named = {link.id for link in flag.experiment_set_metadata}
    for id in flag.experiment_set:
        if id not in named:
            yield [(f"#{id}", "$secondary")]


def _needed_by(details: FlagDetails) -> Iterator[list[Piece]]:
    if details.dependents is None:
        yield [(f"{safe_text(details.no_dependents, 120) or 'asking…'}", "$faint")]
    elif not details.dependents:
        yield [("no flag that is on", "$faint")]
    for key in details.dependents or ():
        yield [(safe_text(key, 80), "")]


def _needs(flag: Flag, study: Study) -> Iterator[list[Piece]]:
    for id in flag.targeting.depends_on:
        key = study.names.flags.get(id)
        yield [
            (safe_text(key, 80) if key else "flag", "" if key else "$warning"),
            (f"  #{id}", "$faint"),
            (f"  {study.names.undecided[id]}" if id in study.names.undecided else "", "$warning"),
        ]


def _cohorts(flag: Flag, study: Study) -> Iterator[list[Piece]]:
    cohorts = {item.cohort_id: item for item in flag.targeting.properties if item.cohort_id is not None}
    for id, item in cohorts.items():
        yield [
            (safe_text(cohort_name(item, study.names), 80), "$primary"),
            (f"  #{id}", "$faint"),
            (GONE if item.is_gone else "", "$warning"),
        ]


def _schedule(study: Study) -> Iterator[list[Piece]]:
    details = study.details
    if details.schedule is None:
        yield [(f"{safe_text(details.no_schedule, 120) or 'asking…'}", "$faint")]
    for change in details.schedule or ():
        due = unix(change.scheduled_at)
        yield [(moment(due), "$warning"), (f"  {scheduled_words(change)}", "")]


def _dashboard(flag: Flag) -> Iterator[list[Piece]]:
    if flag.usage_dashboard is not None:
        enriched = ", with enriched data" if flag.has_enriched_analytics else ""
        yield [(f"usage dashboard #{flag.usage_dashboard}{enriched}", "")]
    for id in flag.analytics_dashboards:
        yield [(f"dashboard #{id}", "")]


def _name_of(raw: JSON) -> str:
    record = as_dict(raw)
    stage = as_text(record.get("stage"))
    return safe_text(as_text(record.get("name")) or "without a name", 80) + (
        f"  {safe_text(stage, 20)}" if stage else ""
    )
