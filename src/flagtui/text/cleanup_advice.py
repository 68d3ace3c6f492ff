"""Describe the safe way to remove a flag that is no longer needed."""

from collections.abc import Iterator, Sequence

from flagtui.evaluate.parts import for_everyone, read_flag
from flagtui.local_time import ago
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.key_signs import key_sign
from flagtui.text.long_lists import in_short
from flagtui.text.styled import Piece

RECENT = 7 * 86_400
"""Seconds after the last call during which code may still use the flag."""


def cleanup_lines(
    row: FlagRow, flag: Flag, dependents: Sequence[str] | None, now: float
) -> Iterator[list[Piece]]:
    """Yield the steps: what to change in the code, what to do first, and how to remove the flag."""
    yield [("CLEANUP", "$text-muted")]
    steps = [_code(flag), *_obstacles(flag, dependents), _calls(row, now), _end(row, flag)]
    for number, words in enumerate(steps, 1):
        yield [(f" {number} ", "bold $primary"), *words]
    yield []


def winner_words(flag: Flag) -> str:
    """Return `everyone gets test` as safe text; empty if the value depends on the user."""
    value = for_everyone(read_flag(flag.raw))
    if value is None:
        return ""
    if value is False:
        return "no one gets it"
    return f"everyone gets {'it' if value is True else safe_text(str(value), 40)}"


def _code(flag: Flag) -> list[Piece]:
    value = for_everyone(read_flag(flag.raw))
    winner: list[Piece] = [(winner_words(flag), "bold $success")]
    if value is None:
        shares = [f"{safe_text(each.key, 30)} {percent(each.rollout)}" for each in flag.targeting.variants]
        split = f": {in_short(shares, 6)}" if shares else ""
        keys = f"{key_sign('flags.edit')} or {key_sign('flags.rollout')}"
        return [("the value depends on the user", "$warning"), (f"{split}; decide first, with {keys}", "")]
    if value is True:
        return [*winner, (": in the code, keep what it turns on and remove the check", "")]
    if value is False:
        return [*winner, (": in the code, remove what it would turn on", "")]
    return [*winner, (": in the code, keep that variant and remove the others", "")]


def _obstacles(flag: Flag, dependents: Sequence[str] | None) -> Iterator[list[Piece]]:
    for link in flag.experiment_set_metadata:
        if link.is_running:
            yield [("end experiment ", ""), (safe_text(f"#{link.id} {link.name}", 60), "$secondary")]
    if dependents:
        keys = in_short([safe_text(key, 40) for key in dependents], 5)
        yield [("first change its dependents: ", ""), (keys, "$primary")]


def _calls(row: FlagRow, now: float) -> list[Piece]:
    if row.called_at is None and not row.has_call_times:
        return [("last call not known: search the code for it", "")]
    if row.called_at is None:
        return [("no call recorded: code may no longer use it", "")]
    words = f"last called {ago(row.called_at, now)}"
    if now - row.called_at < RECENT:
        return [(words, "$warning"), (": wait until no code calls it", "")]
    return [(f"{words}: probably no longer used in code", "")]


def _end(row: FlagRow, flag: Flag) -> list[Piece]:
    if "archived" not in flag.raw:
        restores = f"{key_sign('app.undo')} restores it"
        return [
            (key_sign("flags.delete"), "bold $primary"),
            (f" soft-deletes it, since this server has no archive; {restores}", ""),
        ]
    off = ", turned off" if row.active else ""
    archive = key_sign("flags.archive")
    return [(archive, "bold $primary"), (f" archives it{off}; {archive} again unarchives it", "")]
