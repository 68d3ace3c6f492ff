"""Both packages that other programs import: what they offer, and that it costs nothing before it is named."""

import subprocess
import sys

from flagtui.api import Client, errors
from flagtui.models import EventDefinition, Experiment, Flag


def test_records_and_the_client_are_imported_by_their_names() -> None:
    assert Flag.of({"id": 1, "key": "one"}).key == "one"
    assert Experiment.of({"id": 2, "name": "Two"}).name == "Two"
    assert EventDefinition.of({"id": "3", "name": "three"}).name == "three"
    assert issubclass(errors.Conflict, errors.ApiError)
    assert callable(Client)


def test_neither_package_loads_anything_before_it_is_named() -> None:
    program = (
        "import sys, flagtui.api, flagtui.models\n"
        "print(*sorted({'httpx', 'pydantic', 'msgspec', 'textual'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
