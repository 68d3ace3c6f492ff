"""What stands in place of a payload that nobody may see."""

from typing import Final

MASK: Final = "••••••"
