"""Where the looks are: beside the package when installed, at the top of a checkout otherwise."""

from pathlib import Path, PurePath
from typing import Final

_INSTALLED: Final = Path(__file__).parents[2] / "styles"
_CHECKOUT: Final = Path(__file__).parents[4] / "styles"
STYLES: Final = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def stylesheets(*names: str) -> list[str | PurePath]:
    """The paths of the named sheets, without their ending."""
    return [str(STYLES / f"{name}.tcss") for name in names]
