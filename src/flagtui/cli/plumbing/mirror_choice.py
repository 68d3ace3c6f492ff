"""Report a missing or silent mirror, or several, as the trouble of a command."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from flagtui.cli.plumbing.errors import Code, Trouble
from flagtui.cli.plumbing.next_commands import with_place
from flagtui.mirror.control import START, Absence, MirrorUnavailable

CODES: Final[Mapping[Absence, Code]] = {"missing": "not_found", "several": "usage", "silent": "failed"}


@contextmanager
def as_mirror_trouble() -> Iterator[None]:
    """End the command without a mirror to ask. Raises Trouble."""
    try:
        yield
    except MirrorUnavailable as fault:
        fix = with_place(fault.advice, START)
        raise Trouble(fault.what, fix, code=CODES[fault.absence]) from None
