import os
from pathlib import Path

import pytest

from flagtui.config.credentials import KeyPlaces, Keyring, KeyringUnusable, NoCredential, Owner
from flagtui.config.findings import (
    Finding,
    find_choice,
    find_folders,
    find_key,
    find_program,
    find_settings,
    find_terminal,
)
from flagtui.config.locations import Given, Locations
from flagtui.config.profiles import Profile, choose_profile
from flagtui.config.settings import SettingsError, parse_settings, read_settings

OWNER = Owner("prod", "https://eu.posthog.com")


def locations(folder: Path) -> Locations:
    return Locations(folder / "config", folder / "data", folder / "state", folder / "cache")


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.subject: finding for finding in findings}


def no_keyring() -> Keyring:
    def load() -> None:
        raise KeyringUnusable("This system has no keyring.")

    return Keyring(load=load)  # type: ignore[arg-type]  # it never gives one


def test_the_program_and_its_python_are_named() -> None:
    findings = by_name(find_program("1.2.3"))
    assert findings.keys() == {"flagtui", "python", "system"}
    assert findings["flagtui"].value == "1.2.3"


def test_folders_say_whether_they_are_there_and_private(tmp_path: Path) -> None:
    tmp_path /= "a home"
    (tmp_path / "config").mkdir(mode=0o700, parents=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o755)
    (tmp_path / "data").touch()
    findings = by_name(find_folders(locations(tmp_path)))
    assert findings["settings"] == Finding("settings", str(tmp_path / "config"))
    assert findings["journal and keys"].value.endswith("not created yet")
    assert findings["cached rows"].next == f"chmod 700 '{tmp_path}/cache'"
    assert findings["demo data"].value == f"{tmp_path}/data: Not a directory"
    nowhere = find_folders(Locations(None, None, None, None))
    assert {finding.state for finding in nowhere} == {"wrong"}


def test_settings_finding_lists_content_or_problem(tmp_path: Path) -> None:
    places = locations(tmp_path)
    assert find_settings(places, parse_settings(""))[0].state == "note"
    file = tmp_path / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text("[profiles.prod]\n[keys]\nflags.toggle = 't'\n[[queries]]\nname = 'a'\nline = 'b'")
    values = [finding.value for finding in find_settings(places, read_settings(file))]
    assert values == [f"{file}: prod", "1", "1"]
    (wrong,) = find_settings(places, SettingsError(file, 3, "theme", "cannot be used"))
    assert (wrong.value, wrong.state) == (f"{file}:3: theme: cannot be used", "wrong")


def choices(default: str, given: Given, *profiles: Profile) -> list[str]:
    chosen = choose_profile({profile.name: profile for profile in profiles}, default, given)
    return [f"{finding.subject}: {finding.value}" for finding in find_choice(given, chosen)]


def test_the_profile_says_what_won_over_the_file() -> None:
    given = Given(host="http://10.0.0.1", project="9", profile="prod", has_key=True)
    profile = Profile("prod", host="http://10.0.0.1", guard="strict", allow_plain_http=True)
    assert choices("", given, profile) == [
        "profile: prod (FLAGTUI_PROFILE)",
        "host: http://10.0.0.1 (FLAGTUI_HOST)",
        "project: 9 (FLAGTUI_PROJECT)",
        "badge: PROD, red",
        "changes: strict: type the key (the profile)",
        "environment: FLAGTUI_HOST, FLAGTUI_API_KEY, FLAGTUI_PROJECT, FLAGTUI_PROFILE",
        "plain http: the key may be sent unencrypted",
    ]


def test_foreign_host_is_reported_with_the_rules_that_apply() -> None:
    prod = Profile("prod", host="eu", colour="red", guard="strict", allow_plain_http=True)
    shop = Profile("shop", host="https://shop.example", read_only=True)
    given = Given(host="https://shop.example", has_key=True)
    assert choices("prod", given, prod, shop) == [
        "profile: prod (default_profile) is not for this host: its badge, guard and key stay out",
        "host: https://shop.example (FLAGTUI_HOST)",
        "project: @current (default)",
        "badge: shop.example, neutral",
        "changes: read-only (as for shop)",
        "environment: FLAGTUI_HOST, FLAGTUI_API_KEY",
    ]


def how_to(missing: NoCredential) -> str:
    return f"Sign in ({missing.chosen})."


def test_key_is_masked_or_its_absence_explained(tmp_path: Path) -> None:
    def findings(keys: KeyPlaces) -> list[Finding]:
        return find_key(keys.find(OWNER), keys, OWNER, how_to)

    key = "phx_canary_0123456789abcdef"
    masked, ring = findings(KeyPlaces(environment=key, keyring=no_keyring(), folder=tmp_path))
    assert masked == Finding("key", "phx_••••cdef from FLAGTUI_API_KEY")
    assert (ring.value, ring.state) == ("This system has no keyring.", "note")
    (none,) = findings(KeyPlaces(keyring=None, folder=tmp_path))
    assert none == Finding("key", "none for prod at https://eu.posthog.com", "wrong", "Sign in (None).")
    (none,) = findings(KeyPlaces(command="false", keyring=None, folder=tmp_path))
    assert none.next == "Sign in (key_command)."


def terminal(environment: dict[str, str], size: tuple[int, int] = (80, 24)) -> dict[str, Finding]:
    return by_name(find_terminal(environment, lambda: os.terminal_size(size)))


@pytest.mark.parametrize(("size", "term", "subject"), [
    ((80, 24), "xterm", ""), ((39, 24), "xterm", "size"), ((80, 9), "xterm", "size"),
    ((80, 24), "", "TERM"), ((80, 24), "dumb", "TERM"),
])  # fmt: skip
def test_small_or_dumb_terminal_is_reported(size: tuple[int, int], term: str, subject: str) -> None:
    findings = terminal({"TERM": term}, size)
    wrong = [name for name in ("size", "TERM") if findings[name].state == "wrong"]
    assert wrong == ([subject] if subject else [])
    assert subject or findings["size"].state == "fine"


def test_addresses_are_not_in_the_report() -> None:
    variables = {"SSH_CONNECTION": "10.1.2.3 22 10.4.5.6 22", "TMUX": "/tmp/tmux-0/default", "TERM": "screen"}
    findings = terminal(variables)
    assert [findings[name].value for name in variables] == ["set", "set", "screen"]
    assert "10.1" not in repr(findings)
