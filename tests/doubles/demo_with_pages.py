"""The demo under an address whose pages could be opened in a browser.

usage: demo_with_pages.py [ARGUMENTS OF flagtui]
"""

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.app import app as home
from flagtui.app.state.app_state import Session
from flagtui.cli.launch.demo_service import KEY
from flagtui.cli.main import main

HOST = "https://flags.example.com"


class TuiWithPages(home.FlagTui):
    def __init__(self, session: Session) -> None:
        async def connect() -> Client:
            client = await session.connect()
            return Client(HOST, KEY, client.project, transport=client.connection.transport)

        super().__init__(replace(session, connect=connect, embedded_in=""))


if __name__ == "__main__":
    home.FlagTui = TuiWithPages  # type: ignore[misc]
    main()
