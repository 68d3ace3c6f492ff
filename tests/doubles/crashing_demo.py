"""The demo with a key that makes it fail, holding a secret in a local as real code might.

usage: crashing_demo.py [ARGUMENTS OF flagtui]
"""

from flagtui.app import app as home
from flagtui.cli.main import main

SECRET = "phx_a_secret_" + "that_must_not_be_shown"


class CrashingTui(home.FlagTui):
    def key_f9(self) -> None:
        held = SECRET
        raise RuntimeError(f"asked to fail with {len(held)} characters in hand")


if __name__ == "__main__":
    home.FlagTui = CrashingTui  # type: ignore[misc]
    main()
