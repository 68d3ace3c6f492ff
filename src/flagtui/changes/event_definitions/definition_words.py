"""Changes of event definitions in words, with the rules by which servers move fields nobody named."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.changes.flags.flag_consequences import Consequence, ago
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON
from flagtui.models.times import unix

DAY: Final = 86_400.0


def consequences_of(
    fresh: EventDefinition, values: Mapping[str, JSON], used_by: tuple[str, ...], now: float
) -> Iterator[Consequence]:
    """What follows from these values."""
    if values.get("deleted") is True:
        yield from _deletion(fresh, now)
    if values.get("hidden") is True:
        yield Consequence("Hidden", "people choosing events do not see it; it is still taken in")
    if values.get("enforcement_mode") == "reject":
        yield Consequence("Data", "events that do not fit are dropped from now on, for good", "danger")
    for name in used_by if values.keys() & {"deleted", "hidden", "enforcement_mode"} else ():
        yield Consequence("Used by", name, "experiment")
    if fresh.updated_by is not None and fresh.updated_at is not None:
        when = ago(now - fresh.updated_at.timestamp())
        yield Consequence("Last change", f"{fresh.updated_by.label}, {when}")


def _deletion(fresh: EventDefinition, now: float) -> Iterator[Consequence]:
    yield Consequence("Real", "deleted at once on the server, which cannot restore it", "danger")
    seen = unix(fresh.last_seen_at)
    if seen is not None and now - seen < 30 * DAY:
        text = f"with the next event, without its metadata; last seen {ago(now - seen)}"
        yield Consequence("Comes back", text, "warning")
    else:
        yield Consequence("Comes back", "if the event is ever sent again, without its metadata")
    kept = [word for word, value in _metadata(fresh) if value]
    nothing = "nothing anybody decided" if "verified" in fresh.raw else "not known: this server tells nothing"
    yield Consequence("Lost there", ", ".join(kept) or nothing, "warning" if kept else "plain")
    yield Consequence("Events", "those already taken in stay")
    yield Consequence(
        "Kept here", "a copy in the journal; u makes it again, on older servers once it is sent again"
    )


def _metadata(fresh: EventDefinition) -> Iterator[tuple[str, bool]]:
    yield "description", bool((fresh.description or "").strip())
    yield f"{len(fresh.tags)} tag{'' if len(fresh.tags) == 1 else 's'}", bool(fresh.tags)
    yield "owner", fresh.owner is not None
    yield "that it is verified", fresh.verified
    yield "that it is hidden", fresh.hidden
    yield "primary property", bool(fresh.row().primary_property)
    yield "that it rejects what does not fit", fresh.enforcement_mode == "reject"
    yield "columns", bool(fresh.default_columns)


def rules_of(fresh: EventDefinition, body: Mapping[str, JSON]) -> Iterator[str]:
    """What the server does besides, said before it does it."""
    if body.get("verified") is True and fresh.hidden:
        yield "verifying un-hides: it is hidden now and will be shown again"
    if body.get("hidden") is True and fresh.verified:
        who = f" by {fresh.verified_by.label}" if fresh.verified_by else ""
        yield f"hiding un-verifies: it was verified{who}, and that is forgotten"
    if body.get("verified") is False and fresh.verified:
        who = f", {fresh.verified_by.label}," if fresh.verified_by else ""
        yield f"who verified it{who} and when is forgotten"
