"""The service of the demo, in this process. Loaded when the first rows are on the screen."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.api.http_library import in_process
from flagtui.cli.plumbing.client import EMBEDDED, request_log
from flagtui.cli.plumbing.demo_places import DEMO_HOST
from flagtui.cli.plumbing.errors import Trouble
from flagtui.service import DatabaseUnusable, Settings, close_service, create_service
from flagtui.service.sample_data import room_for, sample
from flagtui.service.sample_data.company import NASTY, WEB

KEY = "phx_demo_key_of_this_machine"
"""Opens nothing but the demo's own database, which has no address."""


class DemoService(msgspec.Struct):
    """Opened by the first question, and filled then unless it was before."""

    database: Path
    nasty: bool
    flags: int | None
    words: str
    """The words that open the same sample: `demo --nasty`."""
    _application: Any = None

    @property
    def project(self) -> int:
        """The project that is opened first."""
        return NASTY if self.nasty else WEB

    @property
    def _remedy(self) -> str:
        return f"Start over with: flagtui {self.words} --fresh"

    async def connect(self) -> Client:
        """Return a client of the service. Raises ApiError when the database cannot be used."""
        try:
            application = await asyncio.to_thread(self._open)
        except DatabaseUnusable as fault:
            raise ApiError(str(fault), next=self._remedy) from None
        return Client(DEMO_HOST, KEY, self.project, transport=in_process(application), log=request_log())

    def embed(self) -> None:
        """Let the commands of this process reach it at DEMO_HOST."""
        EMBEDDED[DEMO_HOST] = self._open_usable

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._application is not None:
            close_service(self._application)

    def _open_usable(self) -> Any:
        try:
            return self._open()
        except DatabaseUnusable as fault:
            raise Trouble(str(fault), self._remedy) from None

    def _open(self) -> Any:
        if self._application is not None:
            return self._application
        filling, most = sample(flags=self.flags, nasty=self.nasty), room_for(self.flags)
        self._application = create_service(self.database, Settings(max_flags=most), key=KEY, sample=filling)
        return self._application
