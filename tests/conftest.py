"""What holds for every test."""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import settings
from tests.doubles.served_flags import Served, serve_flags

from flagtui.local_time import use_zone

# Screens name the person's zone; what they show must not depend on where tests run.
os.environ["TZ"] = "UTC"
time.tzset()

# On a build machine the same examples every time: a new find belongs to a run that looks for it,
# not to the next change.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("same" if os.environ.get("CI") else "new")


@pytest.fixture
def berlin() -> Iterator[None]:
    """The person is in Berlin, as the settings say: an hour ahead of UTC in winter, two in summer."""
    use_zone("Europe/Berlin")
    yield
    use_zone("")


@pytest.fixture(params=["time_zone", "TZ"])
def in_berlin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same, said by the settings or by the environment."""
    if request.param == "TZ":
        monkeypatch.setenv("TZ", "Europe/Berlin")
        time.tzset()
    else:
        use_zone("Europe/Berlin")
    yield request.param
    use_zone("")
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Served]:
    """The sample as the service shows it, hostile project and all, read once."""
    return asyncio.run(serve_flags(tmp_path_factory.mktemp("sample"), nasty=True))
