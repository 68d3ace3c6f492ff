"""The names and folders of the demo's samples, for what runs in one and for completion."""

from pathlib import Path
from typing import Final

DEMO_PROFILE: Final = "demo"
"""The profile of commands in the demo."""
DEMO_HOST: Final = "http://127.0.0.1:1"
"""The address of the demo's service, at which no server listens."""


def sample_name(flags: int | str | None, *, is_nasty: bool) -> str:
    """Return the file name of a sample with so many flags; None for the default number."""
    kind = "nasty" if is_nasty else DEMO_PROFILE
    return kind if flags is None else f"{kind}-{flags}"


def state_of(folder: Path, name: str) -> Path:
    """Return the folder of the journal and the staged set of a sample, for the app and for commands."""
    return folder / f"{name}-state"
