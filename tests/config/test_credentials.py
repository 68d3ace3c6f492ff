import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.backends.chainer import ChainerBackend
from keyring.errors import KeyringLocked
from tests.doubles.keyring_shelf import Shelf, python

from flagtui.config.credentials import (
    Backend,
    FoundSecret,
    KeyPlaces,
    Keyring,
    KeyringUnusable,
    NoCredential,
    Owner,
    Secret,
    load_backend,
)
from flagtui.config.locations import take_variable

KEY = "phx_canary_0123456789abcdef"
OTHER = "phx_another_key_9876543210"
OWNER = Owner("prod", "https://eu.posthog.com")


class Forgetful(Shelf):
    def set_password(self, service: str, username: str, password: str) -> None:
        """Takes everything, keeps nothing."""


class Broken(Shelf):
    def get_password(self, service: str, username: str) -> str | None:
        raise ConnectionError(f"D-Bus is gone, and the key was {KEY}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise ConnectionError(f"D-Bus is gone, and the key was {password}")


def ring(backend: Backend) -> Keyring:
    return Keyring(load=lambda: backend)


def test_key_comes_from_environment_then_command_then_keyring_then_file(tmp_path: Path) -> None:
    shelf = Shelf()
    places = KeyPlaces(keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == NoCredential(())
    places.keep_in_file(OWNER, Secret("phx_from_the_file"))
    assert places.find(OWNER) == FoundSecret(Secret("phx_from_the_file"), "file")
    places.keep_in_keyring(OWNER, Secret("phx_from_the_keyring"))
    assert places.find(OWNER) == FoundSecret(Secret("phx_from_the_keyring"), "keyring")
    # The key in a file would be read where the keyring is locked, and anyone with the file has it.
    assert not places.has_file(OWNER)
    places = KeyPlaces(command=python('print("phx_from_the_command")'), keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == FoundSecret(Secret("phx_from_the_command"), "key_command")
    places = KeyPlaces(environment=KEY, command="false", keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == FoundSecret(Secret(KEY), "FLAGTUI_API_KEY")


@pytest.mark.parametrize(
    "other", [Owner("prod", "https://us.posthog.com"), Owner("dev", "https://eu.posthog.com")]
)
def test_key_of_one_host_or_profile_stays_there(tmp_path: Path, other: Owner) -> None:
    places = KeyPlaces(keyring=ring(Shelf()), folder=tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.find(other) == NoCredential(())


def test_broken_keyring_is_skipped_with_its_reason_without_the_key(tmp_path: Path) -> None:
    places = KeyPlaces(keyring=ring(Broken()), folder=tmp_path)
    secret = places.find(OWNER)
    assert secret == NoCredential(("keyring: The keyring failed (ConnectionError).",))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.find(OWNER) == FoundSecret(Secret(KEY), "file")
    with pytest.raises(KeyringUnusable) as caught:
        places.keep_in_keyring(OWNER, Secret(KEY))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "command", "source"),
    [
        ("two words", "", "FLAGTUI_API_KEY"),
        ("", python('print("two words")'), "key_command"),
        ("", "false", "key_command"),
    ],
)
def test_explicit_source_without_a_key_is_not_replaced(
    tmp_path: Path, environment: str, command: str, source: str
) -> None:
    places = KeyPlaces(environment, command, ring(Shelf()), tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    secret = places.find(OWNER)
    assert isinstance(secret, NoCredential)
    assert secret.reasons[0].startswith(source)
    assert "two words" not in "".join(secret.reasons)


def test_the_variable_is_gone_once_it_was_taken() -> None:
    environment = {"FLAGTUI_API_KEY": f" {KEY}\n", "PATH": "/bin"}
    assert take_variable("FLAGTUI_API_KEY", environment) == KEY
    assert environment == {"PATH": "/bin"}
    assert take_variable("FLAGTUI_API_KEY", environment) == ""


def test_locked_keyring_is_to_be_unlocked(tmp_path: Path) -> None:
    class Locked(Shelf):
        def get_password(self, service: str, username: str) -> str | None:
            raise KeyringLocked("Failed to unlock the collection!")

    missing = KeyPlaces(keyring=ring(Locked()), folder=tmp_path).find(OWNER)
    assert missing == NoCredential(("keyring: The keyring is locked; unlock it and try again.",))


def test_key_is_stored_read_forgotten_and_missed(tmp_path: Path) -> None:
    places = KeyPlaces(keyring=ring(Shelf()), folder=tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.forget(OWNER) == ("file", "keyring")
    assert places.forget(OWNER) == ()
    assert places.find(OWNER) == NoCredential(())
    with pytest.raises(KeyringUnusable, match="does not return it"):
        ring(Forgetful()).store(OWNER, Secret(KEY))


def test_a_keyring_that_never_answers_is_given_up() -> None:
    ask = threading.Event()

    def frozen() -> Backend:
        ask.wait()
        return Shelf()

    try:
        with pytest.raises(KeyringUnusable, match=r"did not respond within 0\.05 seconds"):
            Keyring(load=frozen, seconds=0.05).get(OWNER)
        (left,) = [thread for thread in threading.enumerate() if thread.name == "flagtui-call"]
        assert left.daemon
    finally:
        ask.set()


@pytest.fixture
def use() -> Iterator[Callable[[KeyringBackend], None]]:
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


@pytest.mark.parametrize("kind", [fail.Keyring, null.Keyring, ChainerBackend])
def test_a_keyring_that_is_none_says_so_at_once(
    use: Callable[[KeyringBackend], None], kind: Callable[[], KeyringBackend]
) -> None:
    use(kind())
    with pytest.raises(KeyringUnusable, match="no keyring that can be used"):
        load_backend()


def test_keyrings_other_than_the_systems_own_are_refused(use: Callable[[KeyringBackend], None]) -> None:
    class PlainText(null.Keyring):
        """Keeps keys in a readable file."""

    PlainText.__module__ = "keyrings.alt.file"
    kind: Callable[[], KeyringBackend] = PlainText
    use(kind())
    with pytest.raises(KeyringUnusable, match=r"keyrings\.alt\.file is not one of the system's own"):
        load_backend()


def test_the_systems_own_keyring_is_used(use: Callable[[KeyringBackend], None]) -> None:
    class SecretService(null.Keyring):
        """Named as the real one, which needs a desktop."""

    SecretService.__module__ = "keyring.backends.SecretService"
    kind: Callable[[], KeyringBackend] = SecretService
    backend = kind()
    use(backend)
    assert load_backend() is backend
    assert Keyring().describe() == "Secret Service"
