"""The sample as a read-only project in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample
from flagtui.service.sample_data.company import WEB

SAMPLE_ORIGIN: Final = "sample:"
"""In place of the origin of a server."""
_KEY: Final = "phx_sample_of_the_mirror"


@contextmanager
def sample_client() -> Iterator[Client]:
    """Yield a client of a new sample, whose connection refuses every write."""
    with TemporaryDirectory() as folder:
        service = create_service(Path(folder) / "sample.db", key=_KEY, sample=sample())
        try:
            yield Client("http://127.0.0.1:1", _KEY, WEB, transport=in_process(service), read_only=True)
        finally:
            close_service(service)
