"""Keys, where they are found, and the keyring."""

import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.backends.chainer import ChainerBackend
from keyring.errors import KeyringLocked
from rich.pretty import pretty_repr
from tests.doubles.keyring_shelf import Shelf, python

from flagtui.config.credentials import (
    Backend,
    FoundSecret,
    KeyMalformed,
    KeyPlaces,
    Keyring,
    KeyringUnusable,
    NoCredential,
    Owner,
    Secret,
    load_backend,
)

KEY = "phx_canary_0123456789abcdef"
OWNER = Owner("prod", "https://eu.posthog.com")


class Forgetful(Shelf):
    def set_password(self, service: str, username: str, password: str) -> None:
        """Takes everything, keeps nothing."""


class Broken(Shelf):
    def get_password(self, service: str, username: str) -> str | None:
        raise ConnectionError(f"D-Bus is gone, and the key was {KEY}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise ConnectionError(f"D-Bus is gone, and the key was {password}")


class Locked(Shelf):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("Failed to unlock the collection!")


def ring(backend: Backend) -> Keyring:
    return Keyring(load=lambda: backend)


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(f"  {KEY}\n")
    assert secret.get_secret_value() == KEY
    texts = (repr(secret), str(secret), f"{secret}", repr(FoundSecret(secret, "file")), secret.mask)
    places = KeyPlaces(environment=KEY)
    for shown in (*texts, repr(places), pretty_repr([places])):
        assert "canary" not in shown
    assert secret.mask == "phx_••••cdef"
    assert [Secret(value).mask for value in ("123", "12345678", "phx_k")] == ["••••", "••••", "phx_••••"]
    assert secret.redact(f"Bearer {KEY}!") == "Bearer ••••!"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert not hasattr(secret, "__dict__")


@pytest.mark.parametrize(
    "value", ["", "ab", "two words in it", "line\nbreak\nwithin", "umläute-sind-keine", "x" * 513]
)
def test_what_cannot_be_a_key_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(KeyMalformed) as caught:
        Secret(value)
    assert not value or value not in str(caught.value)


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


def test_key_stays_with_its_host_and_profile_until_forgotten(tmp_path: Path) -> None:
    places = KeyPlaces(keyring=ring(Shelf()), folder=tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    places.keep_in_file(OWNER, Secret(KEY))
    for other in (Owner("prod", "https://us.posthog.com"), Owner("dev", "https://eu.posthog.com")):
        assert places.find(other) == NoCredential(())
    assert (places.forget(OWNER), places.forget(OWNER)) == (("file", "keyring"), ())
    assert places.find(OWNER) == NoCredential(())


@pytest.mark.parametrize(("backend", "reason"), [
    (Broken(), "keyring: The keyring failed (ConnectionError)."),
    (Locked(), "keyring: The keyring is locked; unlock it and try again."),
])  # fmt: skip
def test_unusable_keyring_is_skipped_with_its_reason(tmp_path: Path, backend: Shelf, reason: str) -> None:
    places = KeyPlaces(keyring=ring(backend), folder=tmp_path)
    assert places.find(OWNER) == NoCredential((reason,))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.find(OWNER) == FoundSecret(Secret(KEY), "file")


def test_key_that_a_keyring_does_not_take_is_not_shown() -> None:
    with pytest.raises(KeyringUnusable) as caught:
        ring(Broken()).store(OWNER, Secret(KEY))
    assert KEY not in str(caught.value)
    with pytest.raises(KeyringUnusable, match="does not return it"):
        ring(Forgetful()).store(OWNER, Secret(KEY))


@pytest.mark.parametrize(("variable", "command", "source"), [
    ("two words", "", "FLAGTUI_API_KEY"),
    ("", python('print("two words")'), "key_command"),
    ("", "false", "key_command"),
])  # fmt: skip
def test_source_without_a_key_is_not_replaced(
    tmp_path: Path, variable: str, command: str, source: str
) -> None:
    places = KeyPlaces(variable, command, ring(Shelf()), tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    secret = places.find(OWNER)
    assert isinstance(secret, NoCredential)
    assert secret.reasons[0].startswith(source)
    assert "two words" not in "".join(secret.reasons)


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


def keyring_of(module: str) -> KeyringBackend:
    """A keyring named as one of that module; the real ones need a desktop."""
    kind: Callable[[], KeyringBackend] = type("SecretService", (null.Keyring,), {"__module__": module})
    return kind()


@pytest.mark.parametrize(("make", "reason"), [
    *((kind, "no keyring that can be used") for kind in (fail.Keyring, null.Keyring, ChainerBackend)),
    (lambda: keyring_of("keyrings.alt.file"), r"keyrings\.alt\.file is not one of the system's own"),
])  # fmt: skip
def test_keyring_other_than_the_systems_own_is_refused(
    use: Callable[[KeyringBackend], None], make: Callable[[], KeyringBackend], reason: str
) -> None:
    use(make())
    with pytest.raises(KeyringUnusable, match=reason):
        load_backend()


def test_the_systems_own_keyring_is_used(use: Callable[[KeyringBackend], None]) -> None:
    backend = keyring_of("keyring.backends.SecretService")
    use(backend)
    assert load_backend() is backend
    assert Keyring().describe() == "Secret Service"
