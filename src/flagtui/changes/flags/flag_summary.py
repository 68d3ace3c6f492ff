"""What every plan about one flag says of it, whether the flag itself changes or not."""

from flagtui.changes.verbs import Verb
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.flag import Flag


class AboutFlag:
    """For plans, which have the two fields."""

    __slots__ = ()

    fresh: Flag
    """As it was read for the plan."""
    verb: Verb

    @property
    def id(self) -> int:
        return self.fresh.id

    @property
    def noun(self) -> str:
        return "flag"

    @property
    def key(self) -> str:
        """Raw; safe only to compare with."""
        return self.fresh.key

    @property
    def type_to_confirm(self) -> str:
        """The key, or the number of a flag whose key could deceive."""
        return self.key if is_plain_key(self.key) else str(self.id)

    @property
    def title(self) -> str:
        return self.verb.title

    def title_of(self, counted: str) -> str:
        return f"{self.verb.title} {counted}"
