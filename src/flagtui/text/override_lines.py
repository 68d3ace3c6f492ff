"""Describe the overrides of a mirror, and the flags that programs requested."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from flagtui.changes.difference import brief
from flagtui.models.json_value import JSON
from flagtui.models.mirror_state import MirrorState, Requested, SetOverride
from flagtui.safe_text import safe_text
from flagtui.text.formats import count
from flagtui.text.styled import Piece

MOST: Final = 8
"""The most overrides of persons, and different requests, of one flag that are listed."""
MOST_KEYS: Final = 20
"""The most requested keys without a flag that are named."""
LABEL: Final = 16


def override_words(overrides: Sequence[SetOverride]) -> str:
    """Return all overrides of a flag in a few words: `on`, `test @ann`, `20%, 2 users`. Raw."""
    words = [each.override.words for each in overrides if each.override.person is None]
    persons = [each.override for each in overrides if each.override.person is not None]
    if len(persons) == 1:
        words.append(f"{persons[0].words} @{persons[0].person}")
    elif persons:
        words.append(f"{len(persons):,} users")
    return ", ".join(words)


def requested_words(requests: Sequence[Requested]) -> str:
    """Return how often a flag was requested, and the value of most responses: `12 × on`. Raw."""
    if not requests:
        return ""
    values: Counter[str] = Counter()
    for each in requests:
        values[value_words(each.value)] += each.count
    return f"{values.total():,} × {', '.join(value for value, _ in values.most_common(2))}"


def value_words(value: JSON) -> str:
    """Return a served value as overrides are written. Raw."""
    if value is None:
        return "no value"
    return ("on" if value else "off") if isinstance(value, bool) else brief(value)


def mirror_lines(state: MirrorState | None, key: str, upstream: str, width: int) -> Iterator[list[Piece]]:
    """Yield the value of one flag in the mirror and upstream, and its requests."""
    if state is None:
        return
    overrides, requests = state.overrides_of(key), state.requests_of(key)
    room = max(10, width - LABEL - 1)
    yield [("ON THIS MACHINE", "$secondary")]
    if not overrides:
        yield [(f" {'as upstream':<{LABEL}}", "$text-muted"), (upstream, "")]
    for each in overrides[: MOST + 1]:
        whom = "everyone" if each.override.person is None else safe_text(each.override.person, LABEL - 1)
        value = safe_text(each.override.words, room)
        beside = f"   upstream {upstream}" if each.override.person is None else ""
        yield [
            (f" {whom:<{LABEL}}", "$text-muted"),
            (value, "bold $secondary"),
            (beside, "$text-muted"),
            ("   in the file" if each.is_in_file else "", "$faint"),
        ]
    if (more := len(overrides) - MOST - 1) > 0:
        yield [(f" … {more:,} more", "$faint")]
    if state.is_recording:
        yield from _request_lines(requests)
    yield []


def _request_lines(requests: Sequence[Requested]) -> Iterator[list[Piece]]:
    total = sum(each.count for each in requests)
    yield [("REQUESTED HERE", "$text-muted"), (f"   {count(total, 'time')}" if total else "   never", "")]
    for each in requests[:MOST]:
        words = f"{value_words(each.value)}  {each.reason.replace('_', ' ')}"
        yield [(f" {f'{each.count:,} ×':>{LABEL - 2}}  ", "$text-muted"), (safe_text(words, 200), "")]
    if (more := len(requests) - MOST) > 0:
        yield [(f" … {more:,} more", "$faint")]


def notice_lines(state: MirrorState, gone: str, has_flag: frozenset[str]) -> Iterator[Piece]:
    """Yield the problems of the mirror, and requested keys that do not exist, the worst first.

    `gone` is the reason why it does not respond; `has_flag` holds the keys of the project.
    """
    if gone:
        yield (f"mirror gone: {safe_text(gone, 300)}", "$error")
        return
    if state.file_trouble:
        yield (f"{safe_text(state.file_trouble, 300)}; the last good overrides stay", "$warning")
    if state.trouble:
        yield (
            f"upstream: {safe_text(state.trouble, 200)} The mirror serves its last definitions.",
            "$warning",
        )
    missing = {key: times for key, times in state.missing_keys.items() if key not in has_flag}
    if missing and state.is_recording:
        named = [f"{safe_text(key, 60)} ({times:,} ×)" for key, times in islice(missing.items(), MOST_KEYS)]
        more = f", {len(missing) - MOST_KEYS:,} more" if len(missing) > MOST_KEYS else ""
        yield (f"requested here, no such flag: {', '.join(named)}{more}", "$warning")
