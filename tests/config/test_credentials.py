import os
import pickle
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.backends.chainer import ChainerBackend

from flagtui.config.credentials import (
    Backend,
    Found,
    KeyPlaces,
    Keyring,
    KeyringUnusable,
    NotFound,
    Owner,
    load_backend,
)
from flagtui.config.daemon import await_call
from flagtui.config.key_command import CommandFailed, run_key_command
from flagtui.config.key_file import KeyFileRefused, key_path, read_key_file, write_key_file
from flagtui.config.locations import take_variable
from flagtui.config.secret import KeyMalformed, Secret

KEY = "phx_canary_0123456789abcdef"
OTHER = "phx_another_key_9876543210"
OWNER = Owner("prod", "https://eu.posthog.com")


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


def python(code: str) -> str:
    return f"{sys.executable} -c '{code}'"


# Where a key is found


def test_the_environment_wins_over_the_command_over_the_keyring_over_the_file(tmp_path: Path) -> None:
    shelf = Shelf()
    places = KeyPlaces(keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == NotFound(())
    places.keep_in_file(OWNER, Secret("phx_from_the_file"))
    assert places.find(OWNER) == Found(Secret("phx_from_the_file"), "file")
    places.keep_in_keyring(OWNER, Secret("phx_from_the_keyring"))
    assert places.find(OWNER) == Found(Secret("phx_from_the_keyring"), "keyring")
    places = KeyPlaces(command=python('print("phx_from_the_command")'), keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == Found(Secret("phx_from_the_command"), "key_command")
    places = KeyPlaces(environment=KEY, command="false", keyring=ring(shelf), folder=tmp_path)
    assert places.find(OWNER) == Found(Secret(KEY), "FLAGTUI_API_KEY")


@pytest.mark.parametrize(
    "other", [Owner("prod", "https://us.posthog.com"), Owner("dev", "https://eu.posthog.com")]
)
def test_a_key_for_one_host_or_profile_is_never_offered_to_another(tmp_path: Path, other: Owner) -> None:
    places = KeyPlaces(keyring=ring(Shelf()), folder=tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.find(other) == NotFound(())


def test_a_broken_keyring_is_passed_with_its_reason_and_without_the_key(tmp_path: Path) -> None:
    places = KeyPlaces(keyring=ring(Broken()), folder=tmp_path)
    found = places.find(OWNER)
    assert found == NotFound(("keyring: The keyring failed (ConnectionError).",))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.find(OWNER) == Found(Secret(KEY), "file")
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
def test_a_place_chosen_on_purpose_that_holds_no_key_is_not_replaced_by_another(
    tmp_path: Path, environment: str, command: str, source: str
) -> None:
    places = KeyPlaces(environment, command, ring(Shelf()), tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    found = places.find(OWNER)
    assert isinstance(found, NotFound)
    assert found.reasons[0].startswith(source)
    assert "two words" not in "".join(found.reasons)


def test_the_variable_is_gone_once_it_was_taken() -> None:
    environment = {"FLAGTUI_API_KEY": f" {KEY}\n", "PATH": "/bin"}
    assert take_variable("FLAGTUI_API_KEY", environment) == KEY
    assert environment == {"PATH": "/bin"}
    assert take_variable("FLAGTUI_API_KEY", environment) == ""


# The keyring


def test_a_key_is_stored_read_and_forgotten(tmp_path: Path) -> None:
    places = KeyPlaces(keyring=ring(Shelf()), folder=tmp_path)
    places.keep_in_keyring(OWNER, Secret(KEY))
    places.keep_in_file(OWNER, Secret(KEY))
    assert places.forget(OWNER) == ("file", "keyring")
    assert places.forget(OWNER) == ()
    assert places.find(OWNER) == NotFound(())


def test_a_keyring_that_keeps_nothing_is_noticed() -> None:
    with pytest.raises(KeyringUnusable, match="does not give it back"):
        ring(Forgetful()).store(OWNER, Secret(KEY))


def test_a_keyring_that_never_answers_is_given_up() -> None:
    ask = threading.Event()

    def frozen() -> Backend:
        ask.wait()
        return Shelf()

    try:
        with pytest.raises(KeyringUnusable, match=r"did not answer within 0\.05 seconds"):
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


def test_a_keyring_that_is_not_the_systems_own_is_not_used(use: Callable[[KeyringBackend], None]) -> None:
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


# The command


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-here x", "There is no program no-such-program-here."),
        (python("import sys; sys.exit(3)"), "ended with code 3."),
        (python('import sys; print("no\\x1b[J", file=sys.stderr); sys.exit(1)'), "ended with code 1: no␛[J."),
        ("true", "printed nothing"),
        ("pass 'show", "a quote that is not closed"),
        ("/", "cannot be run"),
        ("", "empty"),
        ("a\0b", "cannot be run"),
    ],
)  # fmt: skip
def test_a_command_that_gives_no_key_says_why(command: str, message: str) -> None:
    with pytest.raises(CommandFailed) as caught:
        run_key_command(command)
    assert message in str(caught.value)


def test_only_the_first_line_counts_and_no_shell_reads_the_command() -> None:
    assert run_key_command("printf '%s\\n' 'phx_$HOME;x' second") == "phx_$HOME;x"


def test_a_command_that_hangs_is_ended() -> None:
    with pytest.raises(CommandFailed, match="did not finish"):
        run_key_command("sleep 60", seconds=0.05)


def test_the_command_does_not_inherit_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    assert run_key_command(python('import os; print(os.environ.get("FLAGTUI_API_KEY"))')) == "None"


# The file


def test_a_key_file_is_private_from_the_first_byte(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = write_key_file(tmp_path / "state", OWNER.username, KEY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text() == KEY + "\n"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_file_others_may_read_is_refused_with_what_to_do(tmp_path: Path, mode: int) -> None:
    path = write_key_file(tmp_path, OWNER.username, KEY)
    path.chmod(mode)
    with pytest.raises(KeyFileRefused, match=f"others may read it; do: chmod 600 {path}"):
        read_key_file(tmp_path, OWNER.username)


def test_a_file_in_the_way_of_the_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(KeyFileRefused, match="the key cannot be kept"):
        write_key_file(tmp_path / "state", OWNER.username, KEY)
    assert read_key_file(tmp_path / "state", OWNER.username) is None
    with pytest.raises(KeyFileRefused, match="Set HOME"):
        write_key_file(None, OWNER.username, KEY)


def test_names_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    assert key_path(tmp_path, "../../x @ https://h/").parent == tmp_path / "keys"


# The secret itself


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(f"  {KEY}\n")
    assert secret.get_secret_value() == KEY
    for shown in (
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret!r}",
        repr(Found(secret, "file")),
        secret.mask,
    ):
        assert KEY not in shown
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


async def test_a_coroutine_can_wait_for_a_key_without_blocking() -> None:
    places = KeyPlaces(environment=KEY)
    assert await await_call(lambda: places.find(OWNER)) == Found(Secret(KEY), "FLAGTUI_API_KEY")
