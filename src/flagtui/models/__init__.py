"""Records of the API, frozen, with their unknown fields. Loaded on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from flagtui.models.event_definition import EventDefinition
    from flagtui.models.experiment import Experiment
    from flagtui.models.flag import Flag

__all__ = ["EventDefinition", "Experiment", "Flag"]

_HOMES: Final = {"EventDefinition": "event_definition", "Experiment": "experiment", "Flag": "flag"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"flagtui.models.{_HOMES[name]}"), name)
    raise AttributeError(name)
