"""A keyring in memory, and commands that print."""

import sys


class Shelf:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def python(code: str) -> str:
    """A command for a line of Python."""
    return f"{sys.executable} -c '{code}'"
