"""The demo with a key that makes it fail, holding a secret in a local as real code might.

usage: crashing_demo.py [ARGUMENTS OF flagtui]        FLAGTUI_NO_REPORT=1: the disk takes no report
"""

import os
from pathlib import Path

from msgspec.structs import replace

from flagtui.app import app as home
from flagtui.app.state.app_state import Session
from flagtui.cli.main import main

SECRET = "phx_a_secret_" + "that_must_not_be_shown"


class CrashingTui(home.FlagTui):
    def __init__(self, session: Session) -> None:
        takes_report = not os.environ.get("FLAGTUI_NO_REPORT")
        super().__init__(session if takes_report else replace(session, state_folder=Path("/dev/full")))

    def key_f9(self) -> None:
        held = SECRET
        raise RuntimeError(f"asked to fail with {len(held)} characters in hand")


if __name__ == "__main__":
    home.FlagTui = CrashingTui  # type: ignore[misc]
    main()
