"""Names of properties and their stored values, as the server lists them."""

import msgspec

from flagtui.models.json_value import JSON


class PropertyName(msgspec.Struct, frozen=True):
    """The name of a property; `type` such as Numeric is empty where it is not known."""

    name: str
    type: str = ""


class PropertyNames(msgspec.Struct, frozen=True):
    """Names in one response. `is_complete` is whether there are no others for the same search."""

    names: tuple[PropertyName, ...] = ()
    is_complete: bool = True


class StoredValue(msgspec.Struct, frozen=True):
    """A value of a property; `count` users or groups have it, None where the server does not count."""

    value: JSON
    count: int | None = None
