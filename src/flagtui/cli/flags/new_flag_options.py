"""The options of `flagtui flags create`."""

from typing import TypedDict


class NewFlagOptions(TypedDict):
    """As click gives them."""

    kind: str
    variants: tuple[str, ...]
    payload: str | None
    percent: float | None
    values: tuple[str, ...]
    description: str
    tags: tuple[str, ...]
    enable: bool
