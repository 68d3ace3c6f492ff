"""Choice of profile, host and key: a key is never sent to another host."""

import os
from pathlib import Path

import pytest
from tests.cli.conftest import write_settings
from tests.doubles.expected import expect

from flagtui.api.errors import BadKey
from flagtui.api.hosts import read_host
from flagtui.app.state.app_state import Reread, Session
from flagtui.cli.launch.app_session import KeyInUse, make_session
from flagtui.cli.plumbing.client import make_client
from flagtui.cli.plumbing.profile_choice import (
    VARIABLE_WINS,
    Opening,
    ProfileRequest,
    choose,
    choose_other,
    choose_signed_in,
    no_key_words,
    read_login_environment,
)
from flagtui.config.credentials import FoundSecret, NoCredential, Secret
from flagtui.config.profiles import Profile

KEY = "phx_from_the_environment_0001"
SETTINGS = """
default_profile = "prod"

[profiles.prod]
host = "eu"
colour = "red"

[profiles.prod-two]
host = "eu"

[profiles.staging]
host = "https://flags.staging.example"
guard = "relaxed"

[profiles.vault]
host = "https://flags.vault.example"
key_command = "print-the-key"
"""
LOGIN = "flagtui auth login --host https://x.example --profile NAME"
STAGING = "flags.staging.example"
GUARDED = ", guarded: no profile is for that host"
TYPED = "phx_typed_in_the_app_0001"


def test_certificates_of_a_profile_are_trusted_by_its_client_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    host = read_host("https://flags.staging.example")
    bundles = [
        make_client(Profile("staging", ca_bundle=bundle), host, Secret(TYPED)).connection.ca_bundle
        for bundle in ("/etc/acme.pem", "")
    ]
    assert bundles == ["/etc/acme.pem", ""]
    # Other profiles, and programs started from the app, inherit the environment.
    assert "SSL_CERT_FILE" not in os.environ


@pytest.fixture(autouse=True)
def _written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(home, SETTINGS)
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)


def open_profile(name: str | None = None) -> Opening:
    return choose_signed_in(read_login_environment(), ProfileRequest(name))


def open_session() -> Session:
    return make_session(open_profile(), read_only=False)


def rewrite(home: Path, old: str, new: str, count: int = -1) -> Path:
    """Replace words of the settings while the app is open."""
    return write_settings(home, SETTINGS.replace(old, new, count))


def test_environment_key_stays_with_its_host() -> None:
    first = open_profile()
    assert first.keys.find(first.owner) == FoundSecret(Secret(KEY), "FLAGTUI_API_KEY")
    same = choose_other(first, "prod-two")
    assert same.chosen.overridden == ("FLAGTUI_API_KEY",)
    assert same.keys.find(same.owner) == FoundSecret(Secret(KEY), "FLAGTUI_API_KEY")
    other = choose_other(first, "staging")
    assert other.chosen.overridden == ()
    assert isinstance(other.keys.find(other.owner), NoCredential)


@pytest.mark.parametrize(("host", "words"), [
    ("https://flags.staging.example", "Profile staging, relaxed"),
    ("https://elsewhere.example", f"elsewhere.example (FLAGTUI_HOST, not the profile's host){GUARDED}"),
])  # fmt: skip
def test_profile_is_described_with_its_guard(host: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", host)
    opening = open_profile("staging")
    assert opening.words == words


def test_host_of_the_environment_needs_no_profile(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite(home, SETTINGS, "")
    monkeypatch.setenv("FLAGTUI_HOST", "https://elsewhere.example")
    opening = choose(read_login_environment(), ProfileRequest())
    assert opening.words == f"elsewhere.example (FLAGTUI_HOST){GUARDED}"


def test_environment_host_ends_with_its_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", "https://elsewhere.example")
    first = open_profile()
    assert first.host.origin == "https://elsewhere.example"
    other = choose_other(first, "staging")
    assert other.host.origin == "https://flags.staging.example"
    assert isinstance(other.keys.find(other.owner), NoCredential)


@pytest.mark.parametrize(("host", "profile", "badge", "colour", "level"), [
    ("elsewhere.example", "elsewhere.example", "elsewhere.example", "neutral", "guarded"),
    ("flags.staging.example/project/3", STAGING, STAGING, "neutral", "relaxed"),
    ("eu.posthog.com/project/3", "prod", "PROD", "error", "guarded"),
])  # fmt: skip
def test_app_uses_no_badge_or_guard_of_another_host(
    host: str, profile: str, badge: str, colour: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", f"https://{host}")
    session = open_session()
    assert (session.badge, session.colour, session.rules.level) == (badge, colour, level)
    assert (session.profile, session.rules.place) == (profile, badge)


def test_app_switches_to_every_profile_and_stays_read_only() -> None:
    session = make_session(open_profile(), read_only=True)
    assert [each.name for each in session.neighbours] == ["prod", "prod-two", "staging", "vault"]
    assert (session.badge, session.colour) == ("PROD", "error")
    assert session.switch is not None
    staging = session.switch("staging")
    assert not isinstance(staging, str)
    assert (staging.profile, staging.badge, staging.rules.level) == ("staging", "STAGING", "read_only")
    gone = expect(session.switch("gone"), str)
    assert "There is no profile gone" in gone


@pytest.mark.parametrize(("edit", "badge", "level"), [
    (("[profiles.prod]", '[profiles.prod]\nguard = "strict"\nbadge = "LIVE"'), "LIVE", "strict"),
    (('host = "eu"', 'host = "us"\nguard = "relaxed"\nbadge = "NEW"'), "PROD", "guarded"),
])  # fmt: skip
def test_guard_of_edited_settings_stays_with_its_host(
    home: Path, edit: tuple[str, str], badge: str, level: str
) -> None:
    session = open_session()
    rewrite(home, *edit, 1)
    assert session.reread is not None
    renewed = session.with_settings_of(expect(session.reread(), Reread).session)
    assert (renewed.badge, renewed.rules.level, renewed.origin) == (badge, level, session.origin)


def test_removed_profile_is_not_replaced_by_another(home: Path) -> None:
    session = open_session()
    file = rewrite(home, "prod", "live")
    assert session.reread is not None
    assert f"{file} has no profile prod any more" in expect(session.reread(), str)


async def test_environment_key_stays_while_its_profile_moves(home: Path) -> None:
    session = open_session()
    rewrite(home, 'host = "eu"', 'host = "us"', 1)
    assert session.reread is not None
    moved = expect(session.reread(), Reread).session
    assert moved.switch is not None
    with pytest.raises(BadKey):
        await expect(moved.switch("prod"), Session).connect()


def test_a_key_that_was_typed_is_in_no_report() -> None:
    session = open_session()
    assert session.with_key is not None
    session.with_key("phx_typed_by_a_person_0001")
    assert session.redact("x phx_typed_by_a_person_0001 x") == "x •••• x"


def test_typed_key_is_kept_where_the_next_start_reads_it() -> None:
    first = open_profile()
    assert KeyInUse(first).keep(TYPED).endswith(f"--profile prod --keep file. {VARIABLE_WINS}")
    staging = choose_other(first, "staging")
    step = "to keep it: flagtui auth login --profile staging --keep file."
    assert KeyInUse(staging).keep(TYPED).endswith(step)
    staging.keys.keep_in_file(staging.owner, Secret("phx_expired_0001"))
    assert KeyInUse(staging).keep(TYPED).startswith("The key is kept in /")
    assert staging.keys.find(staging.owner) == FoundSecret(Secret(TYPED), "file")
    assert make_session(choose_other(first, "vault"), read_only=False).keep_key is None


def test_missing_key_is_corrected_where_the_next_run_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    vault = choose_other(open_profile(), "vault")
    what, next = no_key_words(vault, expect(vault.keys.find(vault.owner), NoCredential))
    assert what == "key_command: There is no program print-the-key."
    assert next.endswith("or replace it: flagtui auth login --profile vault --key-command COMMAND")
    monkeypatch.setenv("FLAGTUI_API_KEY", "two words")
    prod = open_profile()
    missing = expect(prod.keys.find(prod.owner), NoCredential)
    assert no_key_words(prod, missing)[1] == "Correct FLAGTUI_API_KEY, or: unset FLAGTUI_API_KEY"


@pytest.mark.parametrize(("host", "step"), [
    ("https://flags.staging.example/", "Name its profile with: --profile staging; "),
    ("https://x.example", f"Create a profile: {LOGIN}; name it with: --profile NAME; "),
])  # fmt: skip
def test_host_without_a_key_names_a_profile(host: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLAGTUI_API_KEY")
    monkeypatch.setenv("FLAGTUI_HOST", host)
    opening = open_profile()
    assert no_key_words(opening, NoCredential(()))[1] == f"{step}or set FLAGTUI_API_KEY."


@pytest.mark.parametrize("token", ["phc_public_token_of_project", " phs_secret_key_of_project_1"])
def test_tokens_of_other_kinds_are_never_sent_as_keys(token: str) -> None:
    key = KeyInUse(open_profile())
    with pytest.raises(BadKey, match="it only"):
        key.client_with(token)
