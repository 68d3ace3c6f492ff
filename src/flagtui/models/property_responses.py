"""Names of properties and their stored values, as the server lists them."""

from dataclasses import dataclass

from flagtui.models.json_value import JSON


@dataclass(frozen=True, slots=True)
class PropertyName:
    """The name of a property; `type` such as Numeric is empty where it is not known."""

    name: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class PropertyNames:
    """Names in one response. `is_complete` is whether there are no others for the same search."""

    names: tuple[PropertyName, ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value of a property; `count` users or groups have it, None where the server does not count."""

    value: JSON
    count: int | None = None
