"""Signing in and out on the command line."""

import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from msgspec.structs import replace
from tests.cli.conftest import FLAGTUI, KEY, Done, Run, Scripted, Service, require_done, write_settings
from tests.doubles.keyring_shelf import Shelf
from tests.doubles.terminal import Terminal

from flagtui.api.errors import ErrorFacts, NotSignedIn
from flagtui.api.hosts import Host
from flagtui.cli.commands.auth.login import SignInOptions, TerminalSignIn
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.profile_choice import LoginEnvironment
from flagtui.cli.plumbing.prompts import Prompts
from flagtui.config.credentials import Backend, FoundSecret, KeyPlaces, Keyring, Owner, Secret
from flagtui.config.locations import Given, Locations
from flagtui.config.profiles import Profile
from flagtui.config.settings import read_settings
from flagtui.models.account import KeyInfo, Me, Project
from flagtui.models.rows import FlagRow
from flagtui.service import NewKey, create_key
from flagtui.store.key_info import Introduction
from flagtui.store.snapshots import SnapshotPlace, Snapshots


def key_with(service: Service, *scopes: str) -> str:
    """A key that may do this and nothing else."""
    return create_key(service.database, NewKey("test", scopes))


def one_sentence(done: Done) -> str:
    """What was said on standard error, which is one line without a traceback."""
    assert done.err.startswith("flagtui: ")
    assert done.err.count("\n") == 1
    return done.err


def test_key_is_tried_explained_and_kept_and_forgotten_again(run: Run, service: Service, home: Path) -> None:
    narrow = key_with(service, "feature_flag:read", "user:read", "project:read")
    login = ("auth", "login", "--with-token", "--host", service.address, "--keep", "file")
    done = run(*login, "--profile", "prod", stdin=f"  {narrow}\n")
    assert "✓ see flags" in require_done(done).out
    assert "✗ change flags: the key lacks feature_flag:write" in done.out
    assert narrow not in done.out
    kept = next((home / ".local/state/flagtui/keys").iterdir())
    profile = read_settings(home / ".config/flagtui/config.toml").profiles["prod"]
    assert (profile.host, profile.project) == (service.address, "1")

    status = require_done(run("auth", "status")).out
    assert "alice@acme.com" in status
    assert f"{narrow[-4:]} from file" in status

    rows = Snapshots(home / ".cache/flagtui/rows")
    place = SnapshotPlace("prod", service.address, "1", "flags")
    rows.save(place, (), FlagRow)
    assert run("flags", "types", "--language", "python").code == 0
    left = run("auth", "logout").out
    assert "was removed (file)" in left
    assert "The key stays valid" in left
    assert "stays valid" not in run("auth", "logout").out
    assert not kept.exists()
    assert [*(home / ".cache/flagtui/rows").rglob("*.rows")] == []
    assert "flagtui auth login --profile prod" in one_sentence(run("auth", "status"))


def test_refused_key_is_named_by_its_source(
    run: Run, service: Service, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = ("auth", "login", "--with-token", "--host", service.address, "--keep", "nowhere")
    keys = KeyPlaces(keyring=None, folder=home / ".local/state/flagtui")
    owner = Owner("default", service.address)
    keys.keep_in_file(owner, Secret("phx_earlier_0001"))
    done = run(*login, "--project", "Mobile", stdin=f"\ufeff{KEY}\r\n")
    assert "stored before was removed (file)" in require_done(done).out
    assert not keys.has_file(owner)
    assert read_settings(home / ".config/flagtui/config.toml").profiles["default"].project == "2"
    keys.keep_in_file(owner, Secret("phx_expired_0001"))
    assert "Sign in again with: flagtui auth login --profile default" in one_sentence(run("flags", "list"))
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_mistyped_0001")
    assert "The key comes from FLAGTUI_API_KEY." in one_sentence(run("flags", "list"))


def test_missing_keyrings_and_key_commands_name_alternatives(run: Run, service: Service) -> None:
    done = run("auth", "login", "--with-token", "--host", service.address, stdin=KEY)
    for way in ("keyring", "--keep file", "--key-command", "FLAGTUI_API_KEY"):
        assert (done.code, way in one_sentence(done)) == (2, True)
    done = run("auth", "login", "--host", service.address, "--key-command", "no-such-program-here")
    assert (done.code, "no program no-such-program-here" in one_sentence(done)) == (1, True)


@pytest.mark.parametrize(("arguments", "key", "expected"), [
    ((), "phc_public_token_of_project", ("public project token", 2)),
    ((), "phs_secret_key_of_project_1", ("only evaluates flags", 2)),
    ((), "", ("the key is empty; nothing was stored", 2)),
    ((), "phx_two words", ("A key is 3 to 512", 2)),
    ((), "phx_nobody_knows_this_key_0", ("401", 5)),
    (("--host", "http://flags.example.com"), KEY, ("without encryption", 2)),
    (("--host", "a b"), KEY, ("characters no address has", 2)),
    (("--host", KEY), KEY, ("This is a key, not a host", 2)),
    (("--profile", "../x"), KEY, ("cannot name a profile", 2)),
    (("--project", "77"), KEY, ("no project 77; projects: 1, 2", 6)),
    (("--project", "Mobil"), KEY, ("there is no project Mobil. Did you mean Mobile?", 6)),
    (("--keep", "cloud"), KEY, ("'cloud' is not one of", 2)),
])  # fmt: skip
def test_what_cannot_be_signed_in_with_is_one_sentence(
    run: Run, service: Service, home: Path, arguments: Sequence[str], key: str, expected: tuple[str, int]
) -> None:
    given = arguments if "--host" in arguments else (*arguments, "--host", service.address)
    done = run("auth", "login", "--with-token", *given, stdin=key)
    assert (expected[0] in one_sentence(done), done.code) == (True, expected[1])
    assert not (home / ".config/flagtui/config.toml").exists()


def test_next_command_of_signing_in_repeats_its_options(run: Run, service: Service) -> None:
    options = ("--host", service.address, "--keep", "file", "--profile", "prod")
    step = f"flagtui auth login {' '.join(options[:4])} --with-token --profile prod < FILE\n"
    assert one_sentence(run("auth", "login", *options)).endswith(step)


def test_profile_moves_to_another_host_only_by_name(run: Run, service: Service, home: Path) -> None:
    file = write_settings(home, '[profiles.prod]\nhost = "eu"\nproject = 77\n')
    login = ("auth", "login", "--with-token", "--host", service.address, "--keep", "nowhere")
    refused = run(*login, stdin=KEY)
    assert "the profile prod is for eu; nothing was stored" in one_sentence(refused)
    assert refused.err.endswith(f"--host {service.address} --keep nowhere --with-token --profile prod\n")
    assert run(*login, "--profile", "prod", stdin=KEY).code == 0
    assert run(*login, "--profile", "second", stdin=KEY).code == 0
    assert read_settings(file).default_profile == "prod"
    profile = read_settings(file).profiles["prod"]
    # The number was that of a project of the host before.
    assert (profile.host, profile.project) == (service.address, "1")


def test_profile_that_cannot_be_saved_is_one_sentence(run: Run, service: Service, home: Path) -> None:
    folder = home / ".config/flagtui"
    folder.parent.mkdir()
    folder.write_text("a file where a folder should be")
    done = run("auth", "login", "--with-token", "--host", service.address, "--keep", "file", stdin=KEY)
    assert (done.code, (home / ".local").exists()) == (1, False)
    step = "nothing was stored. Make it writable, then sign in again."
    assert one_sentence(done).endswith(f"config.toml cannot be written: Not a directory; {step}\n")


def test_key_command_is_stored_instead_of_the_key(run: Run, service: Service, home: Path) -> None:
    command = f"{sys.executable} -c \"print('{KEY}')\""
    assert run("auth", "login", "--host", service.address, "--key-command", command).code == 0
    assert "from key_command" in run("auth", "status").out
    assert not (home / ".local/state/flagtui/keys").exists()
    pasted = run("auth", "login", "--with-token", stdin=KEY)
    assert "key_command" in one_sentence(pasted)


def test_the_key_is_pasted_hidden(home: Path, service: Service) -> None:
    command = [*FLAGTUI, "auth", "login", "--host", service.address]
    environment = {"HOME": str(home), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    with Terminal(command, size=(132, 40), environment=environment) as terminal:
        terminal.wait_for("Paste the personal API key")
        terminal.press(KEY + "\r", until="Which project to open first")
        terminal.press("2\r", until="no keyring[^$]*How")
        assert terminal.press_to_end("3\r") == 0
        assert KEY.encode() not in terminal.sent
    assert read_settings(home / ".config/flagtui/config.toml").profiles["default"].project == "2"


ACCOUNT = Introduction(Me(id=1, email="ada@acme.test"), KeyInfo(scopes=("*",)), (Project(id=7, name="Web"),))


def signing_in(folder: Path, person: Prompts, lives_in: str, backend: Backend) -> TerminalSignIn:
    def ask(host: Host, key: Secret, profile: Profile) -> Introduction:
        if host.region != lives_in:
            raise NotSignedIn(
                "The key was not accepted (401).", facts=ErrorFacts(other_region=host.other_region)
            )
        return ACCOUNT

    places = Locations(folder, folder, folder, folder)
    environment = LoginEnvironment(Given(), "", places, read_settings(None))
    keys = KeyPlaces(keyring=Keyring(load=lambda: backend), folder=folder)
    return TerminalSignIn(SignInOptions(), environment, person, keys, ask)


def test_key_goes_to_the_other_region_only_with_consent(tmp_path: Path) -> None:
    agrees, refuses, shelf = Scripted(), Scripted(yes=False), Shelf()
    with pytest.raises(Trouble, match=r"us\.posthog\.com does not know this key"):
        signing_in(tmp_path, refuses, "eu", shelf).run()
    assert not shelf.kept
    profile = signing_in(tmp_path, agrees, "eu", shelf).run()
    assert "Send it to eu.posthog.com" in agrees.transcript[0]
    assert (profile.host, profile.project) == ("eu", "7")
    owner = Owner("default", "https://eu.posthog.com")
    assert KeyPlaces(keyring=Keyring(load=lambda: shelf)).find(owner) == FoundSecret(Secret(KEY), "keyring")


def test_key_that_lists_no_projects_needs_a_number(tmp_path: Path, run: Run, service: Service) -> None:
    alone = Introduction(None, KeyInfo(scopes=("feature_flag:read",)), ())
    person = Scripted(says={"Number of the project": "34"})
    sign_in = replace(signing_in(tmp_path, person, "us", Shelf()), ask=lambda *_: alone)
    assert sign_in.run().project == "34"
    with pytest.raises(Trouble, match="'Mobile' is no number of a project"):
        replace(sign_in, options=SignInOptions(project="Mobile")).run()
    login = ("auth", "login", "--with-token", "--host", service.address, "--keep", "file")
    done = run(*login, stdin=key_with(service, "feature_flag:read"))
    assert "Name the project by its number with --project" in done.out


def test_nobody_to_ask_means_that_the_key_goes_nowhere_else(tmp_path: Path) -> None:
    options = SignInOptions(key_command=f"{sys.executable} -c \"print('{KEY}')\"")
    nobody = replace(signing_in(tmp_path, Prompts(False), "eu", Shelf()), options=options)
    with pytest.raises(Trouble, match="--host eu"):
        nobody.run()


class Hanging(Shelf):
    """A keyring whose unlock dialog nobody sees."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__()
        self._released = released

    def set_password(self, service: str, username: str, password: str) -> None:
        self._released.wait(20)


def test_silent_keyring_leads_to_the_alternatives_without_waiting(tmp_path: Path) -> None:
    released = threading.Event()
    person = Scripted()
    sign_in = signing_in(tmp_path, person, "us", Hanging(released))
    keyring = Keyring(load=lambda: Hanging(released), seconds=0.05)
    patient = replace(sign_in, keys=replace(sign_in.keys, keyring=keyring))
    profile = patient.run()
    released.set()
    assert person.transcript == ["How"]
    assert profile.name == "default"
    assert list((tmp_path / "keys").iterdir())


def test_logout_fails_while_the_keyring_cannot_be_asked(signed_in: Run) -> None:
    class Locked(fail.Keyring):
        """Named as one of the system's own."""

    Locked.__module__ = "keyring.backends.libsecret"
    kind: Callable[[], KeyringBackend] = Locked
    before = keyring.get_keyring()
    keyring.set_keyring(kind())
    try:
        done = signed_in("auth", "logout")
    finally:
        keyring.set_keyring(before)
    assert (done.code, "No key is stored" in done.out) == (1, False)
    assert "If it has a key of default, the key is still there." in one_sentence(done)


def test_doctor_runs_the_key_command_once(run: Run, service: Service, home: Path) -> None:
    runs = home / "runs"
    command = f"sh -c 'echo run >> {runs}; echo {KEY}'"
    write_settings(home, f'[profiles.prod]\nhost = "{service.address}"\nkey_command = "{command}"\n')
    assert "responds" in run("doctor").out
    assert runs.read_text() == "run\n"


def test_the_profile_may_be_named_before_the_command(signed_in: Run, home: Path) -> None:
    assert "There is no profile gone" in one_sentence(signed_in("--profile", "gone", "auth", "status"))
    assert signed_in("--profile", "default", "auth", "status").code == 0
