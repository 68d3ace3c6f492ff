"""The key the app works with: found where it is kept, or typed while the program runs."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flagtui.cli.profile_choice import Opening
from flagtui.config.credentials import KeyringUnusable, NoCredential
from flagtui.config.secret import KeyMalformed, Secret

if TYPE_CHECKING:
    from flagtui.api import Client


@dataclass
class KeyInUse:
    """One for each session."""

    opening: Opening
    _known: list[Secret] = field(default_factory=list, repr=False)
    """Every key that was used, so that none of them gets into a report."""

    async def connect(self) -> "Client":
        """Finds the key and makes the client. Raises ApiError."""
        from flagtui.api.errors import BadKey
        from flagtui.app.shell.preload import CLIENT, load_in_background
        from flagtui.config.daemon import await_call

        await load_in_background(CLIENT)
        from flagtui.cli.client import make_client

        opening = self.opening
        # A keyring or a command that hangs must not keep the program from ending.
        answer = await await_call(lambda: opening.keys.find(opening.owner))
        if isinstance(answer, NoCredential):
            from flagtui.cli.signed_in import no_key_words

            what, next = no_key_words(opening, answer)
            raise BadKey(what, next=next)
        self._known.append(answer.key)
        return make_client(opening.profile, opening.host, answer.key)

    def client_with(self, text: str) -> "Client":
        """A client with a key that was typed. Raises ApiError."""
        from flagtui.api.auth import read_key
        from flagtui.api.errors import BadKey
        from flagtui.cli.client import make_client

        try:
            key = Secret(read_key(text))
        except KeyMalformed as malformed:
            raise BadKey(str(malformed)) from None
        self._known.append(key)
        return make_client(self.opening.profile, self.opening.host, key)

    def keep(self, text: str) -> str:
        """Keeps a key that was typed in the keyring, or says why it is not kept."""
        opening = self.opening
        try:
            opening.keys.keep_in_keyring(opening.owner, Secret(text))
        except KeyringUnusable as unusable:
            return f"{unusable} The key is used until you leave; to keep it: flagtui auth login --keep file"
        return "The key is kept in the system's keyring."

    def redact(self, text: str) -> str:
        """The text without any key that was used."""
        for key in self._known:
            text = key.redact(text)
        return text
