"""The safe way to be rid of a flag that is not needed any more, in words."""

from collections.abc import Iterator, Sequence

from flagtui.evaluate.parts import flag as parts_of
from flagtui.evaluate.parts import for_everyone
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import ago, percent
from flagtui.text.styled import Piece

STILL = 7 * 86_400
"""Seconds after a call for which code still has to be thought to ask."""


def way_out_lines(
    row: FlagRow, flag: Flag, dependents: Sequence[str] | None, now: float
) -> Iterator[list[Piece]]:
    """Step by step: what the code becomes, what stands in the way, and the end of the flag."""
    yield [("WAY OUT", "$text-muted")]
    steps = [_code(flag), *_in_the_way(flag, dependents), _calls(row, now), _end(row, flag)]
    for number, words in enumerate(steps, 1):
        yield [(f" {number} ", "bold $primary"), *words]
    yield []


def what_wins(flag: Flag) -> str:
    """`everyone gets test`: safe; empty where it still depends on who asks."""
    value = for_everyone(parts_of(flag.raw))
    if value is None:
        return ""
    if value is False:
        return "nobody gets it"
    return f"everyone gets {'it' if value is True else safe_text(str(value), 40)}"


def _code(flag: Flag) -> list[Piece]:
    value = for_everyone(parts_of(flag.raw))
    won: list[Piece] = [(what_wins(flag), "bold $success")]
    if value is None:
        shares = [f"{safe_text(one.key, 30)} {percent(one.rollout)}" for one in flag.targeting.variants]
        split = f": {', '.join(shares[:6])}" if shares else ""
        return [("it still depends on who asks", "$warning"), (f"{split}. Decide first, with e or %", "")]
    if value is True:
        return [*won, (": in the code keep what it turns on, and ask no more", "")]
    if value is False:
        return [*won, (": in the code take out what it would turn on", "")]
    return [*won, (": in the code keep what that variant does, and take the others out", "")]


def _in_the_way(flag: Flag, dependents: Sequence[str] | None) -> Iterator[list[Piece]]:
    for link in flag.experiment_set_metadata:
        if link.is_running:
            yield [("end experiment ", ""), (safe_text(f"#{link.id} {link.name}", 60), "$secondary")]
    if dependents:
        keys = ", ".join(safe_text(key, 40) for key in dependents[:5])
        yield [("first change what depends on it: ", ""), (keys, "$primary")]


def _calls(row: FlagRow, now: float) -> list[Piece]:
    if row.called_at is None and not row.tells_calls:
        return [("when it was last called is not known: look for it in the code", "")]
    if row.called_at is None:
        return [("no call of it is known, so no code may be left that asks", "")]
    words = f"last called {ago(row.called_at, now)}"
    if now - row.called_at < STILL:
        return [(words, "$warning"), (": wait until no code asks any more", "")]
    return [(f"{words}: code that asks seems to be gone", "")]


def _end(row: FlagRow, flag: Flag) -> list[Piece]:
    if "archived" not in flag.raw:
        return [("d", "bold $primary"), (" deletes it; this server has no archive, and u brings it back", "")]
    off = ", turned off" if row.active else ""
    return [("a", "bold $primary"), (f" archives it{off}; a again brings it back", "")]
