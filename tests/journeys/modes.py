"""The kinds of server that journeys go through, by the ids that `make check-modes` knows."""

from typing import Any, Final

from tests.doubles.setting import Setting

Options = tuple[tuple[str, Any], ...]

MODES: Final[dict[str, Options]] = {
    "default": (),
    "strict": (("strict", True),),
    "legacy": (("legacy", True),),
}
NARROW_MODES: Final[dict[str, Options]] = {**MODES, "legacy": (("legacy", True), ("strict", True))}
"""The same with an old server that also keeps from keys what the product keeps from them."""


def is_legacy(setting: Setting) -> bool:
    return ("legacy", True) in setting.options
