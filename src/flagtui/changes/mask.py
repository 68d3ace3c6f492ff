"""What stands in place of a payload that must not be shown."""

from typing import Final

MASK: Final = "••••••"
