"""What stands in place of rows: loading, nothing found, nothing there, or why the server cannot be read."""

from collections.abc import Iterator

from msgspec import Struct

from flagtui.api.errors import ApiError, needs_key
from flagtui.safe_text import safe_text
from flagtui.text.styled import Look, Piece


class Words(Struct, frozen=True):
    """Lines in place of rows. Raw; the list makes them safe."""

    lines: tuple[str, ...]
    look: Look = "muted"


def waiting_words(what: str = "flags") -> Words:
    """Nothing has arrived yet."""
    return Words((f"Loading {what}…",))


def nothing_words(what: str = "flags") -> Words:
    """The project is empty."""
    return Words(
        (f"This project has no {what}.", "", "F5 asks again · p shows another project · ? lists the keys")
    )


def no_match_words(line: str, total: int, missing: int = 0, *, is_cut: bool = False) -> Words:
    """Return what to show when none of `total` rows matches. `missing` come later, or never if `is_cut`."""
    how = "esc clears the search · backspace takes a letter back"
    if not missing:
        return Words((f"None of {total:,} matches  {line}", "", how))
    rest = f"{missing:,} of {total + missing:,} are not here yet; they come by themselves · F5 asks at once"
    if is_cut:
        rest = f"{missing:,} of {total + missing:,} are not read: the list is too long"
    return Words((f"None of the {total:,} that are here matches  {line}", "", rest, "", how))


def trouble_words(error: ApiError) -> Words:
    """The server could not be read, and there are no older rows to show."""
    sign_in = "ctrl+l signs in · " if needs_key(error) else ""
    return Words((error.what, "", error.next, "", f"{sign_in}F5 tries again · q leaves"), "warn")


def waiting_lines(trouble: str) -> Iterator[list[Piece]]:
    """In place of a flag that is not here: why, or that it is on its way."""
    if trouble:
        yield from trouble_lines(trouble)
    else:
        yield [("loading…", "$text-muted")]


def trouble_lines(trouble: str) -> Iterator[list[Piece]]:
    """What went wrong, apart from what follows."""
    yield [(safe_text(trouble, 300), "$warning")]
    yield []
