"""The lists of the tabs, each of a kind of record or of the activity: where their screens are declared."""

from collections.abc import Mapping
from typing import Final

from flagtui.app.state.go_to import TABS
from flagtui.store.kinds import KINDS

LISTS: Final[Mapping[str, str]] = {
    **{kind.tab: kind.list_at for kind in KINDS.values()},
    TABS["activity"]: "flagtui.app.activity.activity_screen:ActivityScreen",
}
"""By the key of the tab: module and class, which are loaded when it is first opened."""
