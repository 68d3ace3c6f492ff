"""The preview of a flag: state, audience and latest changes, drawn once it has been read."""

from collections.abc import Iterator

from flagtui.app.flags.flag_columns import called_words
from flagtui.app.widgets.glyphs import terminal_glyphs
from flagtui.app.widgets.line import cut, fill
from flagtui.local_time import NOT_KNOWN, age, unix
from flagtui.models.activity import version_made
from flagtui.models.filters import Variant
from flagtui.models.flag import Flag
from flagtui.models.flag_details import CountedReach, FlagDetails, Names
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.activity_words import activity_words, actor_name
from flagtui.text.cleanup_advice import cleanup_lines
from flagtui.text.empty_states import trouble_lines, waiting_lines
from flagtui.text.flag_sentences import manner_lines, rest_words, state_lines, steps_to_serve, who_sees_it
from flagtui.text.formats import percent
from flagtui.text.long_lists import LINES, in_short, join_words
from flagtui.text.staged_lines import staged_lines
from flagtui.text.styled import Piece

MANY = 20
"""Conditions from which their number comes first: the last of them may be out of sight."""
DEPENDENTS = 5
"""Dependents that are named beside a list; all are on the flag's page."""
VARIANT_STYLES = ("$primary", "$secondary", "$success", "$warning", "$error")


def flag_lines(flag: Flag, details: FlagDetails, now: float, width: int) -> Iterator[list[Piece]]:
    """Yield the lines of the pane beside the list."""
    yield from staged_lines(details.staged, terminal_glyphs().staged)
    yield from seen_by_lines(details, details.names)
    yield []
    yield from variant_lines(flag, width)
    yield from _links(flag, details, width)
    yield from _ages(details.row, now)
    if details.row.is_stale:
        yield from cleanup_lines(details.row, flag, details.dependents, now)
    yield from recent_lines(details, details.names, now, width, with_versions=False)


def seen_by_lines(details: FlagDetails, names: Names) -> Iterator[list[Piece]]:
    """Yield the audience of the flag, as far as it has been read."""
    flag = details.flag
    if flag is None:
        yield from waiting_lines(details.trouble)
        return
    if details.trouble:
        yield from trouble_lines(details.trouble)
    many = len(flag.targeting.stored_conditions)
    yield [("WHO SEES IT", "$text-muted"), (f"   {many:,} conditions" if many > MANY else "", "$faint")]
    yield from state_lines(flag)
    yield from who_sees_it(flag.targeting, names, LINES)
    yield from manner_lines(flag.raw)


def variant_lines(flag: Flag, width: int) -> Iterator[list[Piece]]:
    """Yield the variants under one bar, or that there is a payload."""
    variants = flag.targeting.variants
    if variants:
        yield [("VARIANTS", "$text-muted")]
        yield list(variant_bar(variants, max(10, width - 2)))
        for place, variant in enumerate(variants[:8]):
            style = VARIANT_STYLES[place % len(VARIANT_STYLES)]
            has_payload = " · payload" if variant.key in flag.targeting.payloads else ""
            yield [
                (f" {safe_text(variant.key, 40)} ", style),
                (percent(variant.rollout), "bold"),
                (has_payload, "$text-muted"),
            ]
        if len(variants) > 8:
            yield [(f" … {len(variants) - 8:,} more", "$text-muted")]
        if rest := rest_words(variants):
            yield [(f" {rest}", "$warning")]
        yield []
    elif flag.targeting.payloads:
        masked = " encrypted" if flag.has_encrypted_payloads else ""
        yield [("PAYLOAD", "$text-muted"), (f"   JSON{masked}", "")]
        yield []


def variant_bar(variants: tuple[Variant, ...], width: int) -> Iterator[Piece]:
    """Draw one bar, divided by the percentages of the variants; gaps separate them without colours."""
    total = sum(variant.rollout for variant in variants) or 1
    drawn = 0
    reached = 0.0
    for place, variant in enumerate(variants):
        reached += variant.rollout
        end = round(width * reached / total)
        cells = max(0, end - drawn)
        if not cells:
            continue
        gap = cells > 1 and end < width
        yield "━" * (cells - gap) + " " * gap, VARIANT_STYLES[place % len(VARIANT_STYLES)]
        drawn = end


def _links(flag: Flag, details: FlagDetails, width: int) -> Iterator[list[Piece]]:
    reach = details.reach
    if reach is not None and reach.affected is not None and reach.total is not None:
        yield [("REACH       ", "$text-muted"), *total_pieces(reach, steps_to_serve(flag))]
    elif reach is not None and reach.reason:
        yield [("REACH       ", "$text-muted"), (safe_text(reach.reason, 160), "$faint")]
    for place, link in enumerate(flag.experiment_set_metadata[:MANY]):
        title = "EXPERIMENT  " if place == 0 else "            "
        state = f"  {flag.experiment_state(link.is_running)}" if link.is_running else ""
        name = cut(safe_text(f"#{link.id} {link.name}"), width - 12 - len(state))
        yield [(title, "$text-muted"), (name, "$secondary"), (state, "$success" if flag.active else "$faint")]
    yield from _more(len(flag.experiment_set_metadata) - MANY)
    if flag.experiment_set and not flag.experiment_set_metadata:
        ids = in_short([f"#{id}" for id in flag.experiment_set], 6)
        yield [("EXPERIMENT  ", "$text-muted"), (ids, "$secondary")]
    dependents = details.dependents or ()
    if details.dependents is None and details.no_dependents:
        yield [("NEEDED BY   ", "$text-muted"), not_read(details.no_dependents, width - 12)]
    for place, key in enumerate(dependents[:DEPENDENTS]):
        yield [
            ("NEEDED BY   " if place == 0 else "            ", "$text-muted"),
            (safe_text(key, width - 12), ""),
        ]
    yield from _more(len(dependents) - DEPENDENTS)
    if details.row.tags:
        yield [("TAGS        ", "$text-muted"), (join_words(details.row.tags, 12, 30, "#"), "")]


def not_read(reason: str, width: int) -> Piece:
    """Return why a part of the details is missing, in so many cells."""
    return cut(f"not known: {safe_text(reason)}", width), "$faint"


def _more(count: int) -> Iterator[list[Piece]]:
    if count > 0:
        yield [(f"            … and {count:,} more", "$faint")]


def total_pieces(reach: CountedReach, condition: str) -> Iterator[Piece]:
    """Yield `up to 1,481 of 8,246 users, without those who opted in to early access`.

    `no one · 1,481 of 8,246 users if turned on` for a flag that is off.
    """
    if condition:
        yield "no one · ", ""
    yield f"{reach.about}{reach.affected:,}", "bold"
    yield f" of {reach.total:,} {reach.unit}{f' if {condition}' if condition else ''}", ""
    if reach.opted_in:
        yield f", {reach.opted_in}", "$text-muted"


def _ages(row: FlagRow, now: float) -> Iterator[list[Piece]]:
    words = f"changed {age(row.updated_at, now) or NOT_KNOWN} · called {called_words(row, now)}"
    yield [("AGE         ", "$text-muted"), (words, "")]
    made = [(" by ", "$text-muted"), (cut(safe_text(row.creator), 24), "$primary")] if row.creator else []
    yield [("CREATED     ", "$text-muted"), (age(row.created_at, now) or NOT_KNOWN, ""), *made]
    yield []


def recent_lines(
    details: FlagDetails,
    names: Names,
    now: float,
    width: int,
    *,
    heading: str = "RECENT CHANGES",
    with_versions: bool = True,
) -> Iterator[list[Piece]]:
    """Yield the heading, then age, version, user and change of the latest; nothing where none are known."""
    changes = details.changes or ()
    if changes or details.no_changes:
        yield [(heading, "$text-muted")]
    if details.no_changes and not changes:
        yield [(" ", ""), not_read(details.no_changes, width - 1)]
    for entry in changes[: 6 if with_versions else 8]:
        version = version_made(entry)
        made = f"v{version}" if version else ""
        versions: list[Piece] = [(made.ljust(4), "$faint")] if with_versions else []
        yield [
            (f"{age(unix(entry.created_at), now):>{4 if with_versions else 5}} ", "$text-muted"),
            *versions,
            (f"{fill(actor_name(entry), 6)} ", "$primary"),
            (cut(activity_words(entry, names=names), max(12, width - (18 if with_versions else 13))), ""),
        ]
