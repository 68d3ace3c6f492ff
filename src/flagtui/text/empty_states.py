"""Describe an empty list: loading, no match, no records, or why the server cannot be read."""

from collections.abc import Iterator

from msgspec import Struct

from flagtui.api.errors import ApiError, NoAccess, ProjectNotFound, needs_key
from flagtui.safe_text import safe_text
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Look, Piece


class Words(Struct, frozen=True):
    """Lines shown in place of rows, as raw text; the list makes them safe."""

    lines: tuple[str, ...]
    look: Look = "muted"


def waiting_words(what: str = "flags") -> Words:
    """Return the words for a list with no rows loaded yet."""
    return Words((f"Loading {what}…",))


def nothing_words(what: str = "flags", creation: str = "") -> Words:
    """Return the words for a project without records; `creation` is the command that creates one."""
    refresh, project, keys = map(key_sign, ("app.refresh", "app.project", "app.help"))
    how = f"{refresh} refreshes · {project} switches project · {keys} shows the keys"
    first = (f"{key_sign(creation)} creates the first one",) if creation else ()
    return Words((f"This project has no {what}.", "", *first, how))


def no_match_words(line: str, total: int, missing: int = 0, *, is_cut: bool = False) -> Words:
    """Return the words for a search that none of `total` loaded rows matches.

    `missing` rows are still loading, or will never be loaded if `is_cut`.
    """
    how = f"{key_sign('app.back')} clears the search; twice while typing"
    if not missing:
        return Words((f"No match in {count(total, 'row')} for  {line}", "", how))
    retry = f"loading continues automatically · {key_sign('app.refresh')} retries now"
    rest = f"{missing:,} of {total + missing:,} not loaded yet; {retry}"
    if is_cut:
        rest = f"{missing:,} of {total + missing:,} not loaded: the list is too long"
    return Words((f"No match in the {count(total, 'row')} loaded for  {line}", "", rest, "", how))


def trouble_words(error: ApiError) -> Words:
    """Return the words for a server that cannot be read, with no cached rows to show."""
    sign_in = f"{key_sign('app.sign_in')} signs in · " if needs_key(error) else ""
    is_closed = isinstance(error, NoAccess | ProjectNotFound)
    project = f"{key_sign('app.project')} switches project · " if is_closed else ""
    keys = f"{sign_in}{project}{key_sign('app.refresh')} retries · {key_sign('app.quit')} quits"
    return Words((error.what, "", error.next, "", keys), "warn")


def waiting_lines(trouble: str) -> Iterator[list[Piece]]:
    """Yield the reason why a flag cannot be shown, or that it is loading."""
    if trouble:
        yield from trouble_lines(trouble)
    else:
        yield [("loading…", "$text-muted")]


def unread_line(trouble: str) -> list[Piece]:
    """Return the line of a tab whose flag is not read; another tab shows the error."""
    return [("not known" if trouble else "loading…", "$text-muted")]


def trouble_lines(trouble: str) -> Iterator[list[Piece]]:
    """Yield the error and a blank line."""
    yield [(safe_text(trouble, 300), "$warning")]
    yield []
