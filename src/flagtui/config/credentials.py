"""The API key: finding it, storing it, and holding it unseen. The only importer of keyring.

Keyrings can be slow, hang, or prompt on the terminal. So each call runs in a daemon thread with a timeout,
only the system's own backends are used, and a stored key is read back as proof.
"""

import re
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, Protocol, TypeVar

import msgspec

from flagtui.config.key_sources import (
    CommandFailed,
    KeyFileRefused,
    forget_key_file,
    key_path,
    read_key_file,
    run_key_command,
    write_key_file,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

Source = Literal["FLAGTUI_API_KEY", "key_command", "keyring", "file"]
SERVICE: Final = "flagtui"
SECONDS: Final = 5.0
_TRUSTED: Final = {
    "keyring.backends.macOS": "macOS Keychain",
    "keyring.backends.Windows": "Windows Credential Locker",
    "keyring.backends.SecretService": "Secret Service",
    "keyring.backends.libsecret": "libsecret",
    "keyring.backends.kwallet": "KWallet",
}
_FORM: Final = re.compile(r"[\x21-\x7e]{3,512}")
_HIDDEN: Final = "••••"

KeyringT = TypeVar("KeyringT")
CallT = TypeVar("CallT")


class KeyMalformed(ValueError):
    """The text cannot be a key. The message never contains it."""


class Secret:
    """A key. Printing, logging, comparing in a failed test or pickling does not reveal it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        if not _FORM.fullmatch(value):
            raise KeyMalformed("A key is 3 to 512 plain characters without spaces.")
        self._value = value

    def get_secret_value(self) -> str:
        """Return the key, for the client's requests and for storing it."""
        return self._value

    @property
    def mask(self) -> str:
        """Return the kind and the last four characters: enough to distinguish keys."""
        kind = self._value[:4] if self._value[3:4] == "_" else ""
        return f"{kind}{_HIDDEN}{self._value[-4:]}" if len(self._value) >= 20 else f"{kind}{_HIDDEN}"

    def redact(self, text: str) -> str:
        """Return the text with every occurrence of the key removed."""
        return text.replace(self._value, _HIDDEN)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN})"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a key is not written anywhere by accident")


class Backend(Protocol):
    """The part of a keyring that is used."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class KeyringUnusable(Exception):
    """No usable keyring: missing or not responding; the text is a sentence."""


class Owner(msgspec.Struct, frozen=True):
    """The owner of a key: profile and host. A key for one host is never offered to another."""

    profile: str
    origin: str
    """Such as https://eu.posthog.com."""

    @property
    def username(self) -> str:
        """Return the owner's user name in a keyring."""
        return f"{self.profile} @ {self.origin}"


class FoundSecret(msgspec.Struct, frozen=True):
    """A key and its source."""

    key: Secret
    source: Source


class NoKeyring(KeyringUnusable):
    """This system has no keyring that is used, so none contains a key."""


class NoCredential(msgspec.Struct, frozen=True):
    """No key; `reasons` has a sentence for each source that could not be read."""

    reasons: tuple[str, ...]
    chosen: Source | None = None
    """The source that has to give the key and does not; no other is tried."""


class Keyring(msgspec.Struct, frozen=True):
    """The system's keyring, opened on first use."""

    load: Callable[[], Backend] = msgspec.field(default_factory=lambda: load_backend)
    seconds: float = SECONDS

    def get(self, owner: Owner) -> str | None:
        """Return the owner's key, or None. Raises KeyringUnusable."""
        return self._ask(lambda backend: backend.get_password(SERVICE, owner.username))

    def store(self, owner: Owner, key: Secret) -> None:
        """Store the key and read it back. Raises KeyringUnusable."""
        value = key.get_secret_value()

        def write_and_read(backend: Backend) -> str | None:
            backend.set_password(SERVICE, owner.username, value)
            return backend.get_password(SERVICE, owner.username)

        if self._ask(write_and_read) != value:
            raise KeyringUnusable("The keyring accepted the key but does not return it.")

    def forget(self, owner: Owner) -> bool:
        """Remove the key; return False when there was none. Raises KeyringUnusable."""

        def remove(backend: Backend) -> bool:
            if backend.get_password(SERVICE, owner.username) is None:
                return False
            backend.delete_password(SERVICE, owner.username)
            return True

        return self._ask(remove)

    def describe(self) -> str:
        """Return the name of the keyring. Raises KeyringUnusable."""
        return self._ask(lambda backend: _TRUSTED.get(type(backend).__module__, type(backend).__module__))

    def _ask(self, question: Callable[[Backend], KeyringT]) -> KeyringT:
        call = start_call(lambda: question(self.load()))
        try:
            error = call.exception(self.seconds)
        except TimeoutError:
            raise KeyringUnusable(f"The keyring did not respond within {self.seconds:g} seconds.") from None
        if error is None:
            return call.result()
        if isinstance(error, KeyringUnusable):
            raise error
        # Backends raise any exception of D-Bus, Cocoa or Win32, some with the key in its text.
        name = type(error).__name__
        what = "is locked; unlock it and try again" if name == "KeyringLocked" else f"failed ({name})"
        raise KeyringUnusable(f"The keyring {what}.")


def load_backend() -> Backend:
    """Return the first of the system's own keyrings that works here. Raises KeyringUnusable."""
    import keyring

    chosen = keyring.get_keyring()
    candidates = [*getattr(chosen, "backends", ()), chosen]
    for candidate in candidates:
        if type(candidate).__module__ in _TRUSTED:
            trusted: Backend = candidate
            return trusted
    module = type(chosen).__module__
    if module.startswith(("keyring.backends.fail", "keyring.backends.null", "keyring.backends.chainer")):
        raise NoKeyring("This system has no keyring that can be used from here.")
    raise NoKeyring(f"The keyring {module} is not one of the system's own and is not used.")


class Confidential(msgspec.Struct, frozen=True):
    """A value that has a key: neither Python nor rich prints its fields."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_HIDDEN})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class KeyPlaces(Confidential, frozen=True):
    """All sources of a key, in the order they are tried."""

    environment: str = ""
    """The value of FLAGTUI_API_KEY."""
    command: str = ""
    keyring: Keyring | None = msgspec.field(default_factory=Keyring)
    """None when the user keeps keys elsewhere."""
    folder: Path | None = None
    """The folder of key files."""

    def find(self, owner: Owner) -> FoundSecret | NoCredential:
        """Return the first key. A source that cannot be read adds its reason and is skipped."""
        reasons: list[str] = []
        looks: tuple[tuple[Source, Callable[[], str | None]], ...] = (
            ("FLAGTUI_API_KEY", lambda: self.environment or None),
            ("key_command", lambda: run_key_command(self.command) if self.command else None),
            ("keyring", lambda: self.keyring.get(owner) if self.keyring else None),
            ("file", lambda: read_key_file(self.folder, owner.username)),
        )
        for source, look in looks:
            try:
                value = look()
                if value is not None:
                    return FoundSecret(Secret(value), source)
            except NoKeyring:
                continue
            except KeyMalformed as odd:
                where = key_path(self.folder, owner.username) if source == "file" and self.folder else source
                reasons.append(f"{where}: what is there is no key. {odd}")
            except (CommandFailed, KeyringUnusable, KeyFileRefused) as refused:
                reasons.append(f"{source}: {refused}")
            if source in ("FLAGTUI_API_KEY", "key_command") and reasons:
                # Chosen on purpose; another key than this one would be worse than none.
                return NoCredential(tuple(reasons), source)
        return NoCredential(tuple(reasons))

    def keep_in_keyring(self, owner: Owner, key: Secret) -> None:
        """Store the key in the keyring, and no longer in a file. Raises KeyringUnusable."""
        if self.keyring is None:
            raise KeyringUnusable("The keyring is not used.")
        self.keyring.store(owner, key)
        with suppress(KeyFileRefused):
            forget_key_file(self.folder, owner.username)

    def keep_in_file(self, owner: Owner, key: Secret) -> Path:
        """Store the key in a file only its owner can read; ask the user first. Raises KeyFileRefused."""
        return write_key_file(self.folder, owner.username, key.get_secret_value())

    def has_file(self, owner: Owner) -> bool:
        """Return whether the user chose a file for the owner's key before."""
        return self.folder is not None and key_path(self.folder, owner.username).is_file()

    def forget(self, owner: Owner) -> tuple[Source, ...]:
        """Remove the key and return its sources. Raises KeyringUnusable, KeyFileRefused."""
        gone: list[Source] = ["file"] if forget_key_file(self.folder, owner.username) else []
        if self.keyring and self.keyring.forget(owner):
            gone.append("keyring")
        return tuple(gone)


def start_call(work: Callable[[], CallT]) -> "Future[CallT]":
    """Start work that may never return in a daemon thread, which does not keep the program from ending.

    The future holds its result or its exception.
    """
    # Most runs have the key of the environment, or need none.
    import threading
    from concurrent.futures import Future

    future: Future[CallT] = Future()

    def hand_over(_kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is not None:
            future.set_exception(error)
        return True

    def run() -> None:
        if future.set_running_or_notify_cancel():
            with ExitStack() as ending:
                ending.push(hand_over)
                future.set_result(work())

    threading.Thread(target=run, name="flagtui-call", daemon=True).start()
    return future


async def await_call(work: Callable[[], CallT]) -> CallT:
    """Run the work in a daemon thread and await it. Cancelling leaves the thread running."""
    import asyncio

    return await asyncio.wrap_future(start_call(work))
