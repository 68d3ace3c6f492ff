"""Why tests of real answers are left out where there are none."""

from typing import Final

NO_FIXTURES: Final = (
    "real answers of the product are no part of this project; FLAGTUI_FIXTURES names a folder that has them"
)
