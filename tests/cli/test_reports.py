"""Profiles, projects, the journal and the doctor on the command line."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import KEY, Run, Service, control_characters, require_done, write_settings

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.service import close_service, create_service

NASTY = "\x1b]0;owned\x07\u202egnp.exe\n\x9b31m"


def test_profiles_are_listed_with_the_one_that_is_opened(run: Run, home: Path) -> None:
    assert "flagtui auth login" in run("profiles", is_shown=True).out
    write_settings(
        home,
        'default_profile = "prod"\n[profiles.prod]\nhost = "eu"\nguard = "strict"\ncolour = "red"\n'
        "[profiles.staging]\nread_only = true\n",
    )
    lines = run("profiles", is_shown=True).out.splitlines()
    assert lines[1].split() == ["*", "prod", "eu", "@current", "strict", "red"]
    assert lines[2].split() == ["staging", "us", "@current", "read-only", "blue"]
    records = run("profiles", "--json").records
    assert [(each["name"], each["default"]) for each in records] == [("prod", True), ("staging", False)]


def test_settings_mistake_is_named_with_its_line_by_every_command(run: Run, home: Path) -> None:
    write_settings(home, '[profiles.prod]\nguard = "strickt"\n')
    for command in (("profiles",), ("projects",), ("auth", "status"), ("auth", "login", "--with-token")):
        done = run(*command, stdin=KEY)
        assert done.code == 2
        assert "config.toml:2: profiles.prod.guard: 'strickt' cannot be used" in done.err
    doctor = run("doctor")
    assert doctor.code == 7
    assert "✗ settings file" in doctor.out
    write_settings(home, '[profiles.prod]\nhost = "ftp://x"\n[keys]\nflags.togle = "t"\n')
    assert "config.toml:2: profiles.prod.host: ftp is not a way" in run("flags", "list").err
    assert "config.toml:4: keys.flags.togle: there is no command flags.togle" in run("doctor").out
    write_settings(home, '[[queries]]\nname = "mine"\nline = "is:onn web"\n')
    assert "mine (flags): is:onn: " in run("doctor").out


def test_doctor_names_missing_profiles_and_invalid_zones(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(home, '[profiles.prod]\nhost = "us"\n')
    doctor = run("doctor", "--profile", "nowhere", "--json")
    assert doctor.code == 7
    findings = {each["subject"]: each for each in doctor.records}
    assert findings["profile"]["state"] == "wrong"
    assert "nowhere" in findings["profile"]["value"]
    monkeypatch.setenv("TZ", "Europe/Berlim")
    assert "TZ is Europe/Berlim, which is no time zone, and taken for UTC" in run("doctor", "--offline").out


def test_projects_are_listed_with_their_organisation(signed_in: Run) -> None:
    lines = signed_in("projects", is_shown=True).out.splitlines()
    assert lines[1].split() == ["*", "1", "Web", "app", "acme"]
    assert lines[2].split() == ["2", "Mobile", "acme"]
    mobile = {"id": 2, "name": "Mobile", "organization": "acme", "opened": False}
    assert signed_in("projects", "--json").records[1] == mobile


def test_key_without_an_owner_lists_projects(
    run: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--scope", "feature_flag:read", "--scope", "project:read")
    key = run("keys", "create", "--db", str(service.database), *words).out.strip()
    monkeypatch.setenv("FLAGTUI_HOST", service.address)
    monkeypatch.setenv("FLAGTUI_API_KEY", key)
    done = run("projects")
    assert (done.code, done.out) == (0, "false\t1\tWeb app\t\nfalse\t2\tMobile\t\n")
    monkeypatch.setenv("FLAGTUI_API_KEY", key)
    doctor = run("--project", "Mobile", "doctor", "--json")
    findings = {each["subject"]: each["value"] for each in doctor.records}
    assert "in project 2" in findings["flags"]


def test_the_doctor_says_everything_and_nothing_secret(signed_in: Run, service: Service) -> None:
    done = signed_in("doctor")
    parts = ("TERM", "keyring", "key may", "in project 1, with versions", "responds", "settings file")
    assert [words for words in (*parts, "journal") if words not in done.out] == []
    assert KEY[-12:] not in done.out
    assert {*signed_in("doctor", "--json").records[0]} == {"subject", "value", "state", "next"}


def test_doctor_lines_wrap_on_a_terminal(signed_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = signed_in("doctor", is_shown=True).out.splitlines()
    assert any("→ Keys come from FLAGTUI_API_KEY" in line for line in lines)
    assert [line for line in lines if len(line) > 80 and " " in line.split("  ")[-1]] == []


def test_plans_and_counts_have_titles_and_periods(signed_in: Run) -> None:
    shown = signed_in("experiments", "stats", is_shown=True).out.splitlines()[1]
    assert re.fullmatch(r"\d+ +\d+ in 30 days +\d+ in 30 days", shown)
    words = ("flags", "tag", "new-nav", "--add", "titled", "--dry-run", "--fields", "title")
    assert signed_in(*words).out == "Change tags\n"


def test_doctor_exits_with_7_for_a_finding(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    done = run("doctor")
    assert done.code == 7
    assert "✗ server" in done.out
    assert KEY not in done.out


def test_doctor_and_status_agree_on_whose_host_it_is(
    run: Run, home: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(
        home,
        'default_profile = "prod"\n[profiles.prod]\nhost = "eu"\ncolour = "red"\nguard = "relaxed"\n'
        f'[profiles.here]\nhost = "{service.address}/"\nguard = "strict"\n',
    )
    monkeypatch.setenv("FLAGTUI_HOST", service.address)
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    name = service.address.removeprefix("http://")
    status = run("auth", "status").out
    assert f"{name} (FLAGTUI_HOST, not the profile's host), strict: as for here." in status
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    doctor = run("doctor").out
    assert "prod (default_profile) is not for this host" in doctor
    assert f"{name}, neutral" in doctor
    assert "strict: type the key (as for here)" in doctor


@pytest.fixture
def journal(home: Path) -> Journal:
    now = datetime.now(UTC).timestamp()
    journal = Journal(home / ".local" / "state" / "flagtui" / "journal")
    here = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")
    journal.begin(Entry("a", now - 7_200 * 2, 1, "old-flag", "turn off", here, version=1))
    journal.finish("a", "failed")
    journal.begin(Entry("b", now - 60, 2, NASTY, "turn on", here, reason=NASTY, version=4, words=(NASTY,)))
    journal.finish("b", "saved")
    journal.begin(Entry("c", now - 30, 3, "checkout", "turn off", Signature(profile="staging")))
    return journal


def test_journal_prints_for_people_reports_and_programs(run: Run, journal: Journal) -> None:
    everything = run("journal", is_shown=True).out
    assert everything.index("checkout") < everything.index("old-flag")
    recent = run("journal", "--since", "2h", is_shown=True).out
    assert "old-flag" not in recent
    assert "checkout: turn off, not known" in recent
    assert "checkout" not in run("journal", "--profile", "prod").out
    assert "old-flag" in run("journal", "old", "failed").out
    assert "not known whether it was applied" in run("journal", "--markdown").out
    records = run("journal", "--json", "--since", "2h").records
    assert [entry["id"] for entry in records] == ["c", "b"]
    assert records[1]["key"] == NASTY
    for path in journal.files():
        path.write_bytes(path.read_bytes().replace(b'"before":{}', b'"before":{"name":[NaN,-1e999]}'))
    assert run("journal", "--json", "--jq", ".records[].before.name").out == "[null, null]\n" * 3
    for number in range(198):
        journal.begin(Entry(f"d{number}", 0.0, 4, "busy", "turn on", Signature()))
    assert run("journal", "--markdown").err.startswith("flagtui: more than 200 changes match; ")
    assert run("journal", "--limit", "201").err == ""
    journal.begin(Entry("e", 0.0, 2, NASTY, "turn off", Signature(profile="undoing"), undoes="b"))
    assert (
        run("journal", "--profile", "undoing", "--fields", "change,verb").out == "undo: turn off\tturn off\n"
    )
    assert "undo: turn off, not known,\n" in run("journal", "--profile", "undoing", is_shown=True).out


def test_journal_lines_fit_the_terminal(run: Run, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = tuple(f"condition {number}: rollout 5 % → 10 %, for everyone of the beta" for number in range(9))
    here = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")
    journal.begin(Entry("d", time.time(), 4, "a-long-key-of-a-flag", "change targeting", here, words=words))
    lines = run("journal", "long", is_shown=True).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == ["a-long-key-of-a-flag:", "change", "targeting,", "not", "known"]
    assert lines[-1].split() == ["and", "3", "more", "differences"]
    assert run("journal", "nosuch", is_shown=True).out == "No change of yours matches.\n"
    assert "PROFILE" in run("journal", "-o", "table", is_shown=True).out
    assert run("doctor", "--offline", "-o", "tsv").out.startswith("flagtui\t")


@pytest.mark.parametrize("form", ["", "--markdown", "--json"])
def test_nothing_in_a_journal_is_obeyed_by_the_terminal(run: Run, journal: Journal, form: str) -> None:
    done = require_done(run("journal", *([form] if form else []), is_shown=not form))
    assert control_characters(done.out) == []
    if form == "--json":
        assert done.out.isascii()


@pytest.mark.usefixtures("berlin")
def test_the_journal_is_told_in_the_zone_of_the_settings(run: Run, home: Path, journal: Journal) -> None:
    write_settings(home, 'time_zone = "Asia/Kathmandu"\n')
    assert " UTC+5:45 " in run("journal", is_shown=True).out
    markdown = run("journal", "--markdown").out
    assert " (Asia/Kathmandu)\n" in markdown
    recent = run("journal", "--since", "2026-03-01 14:05", "--markdown").out
    assert recent.startswith("# Changes since 2026-03-01 14:05 UTC+5:45 (08:20 UTC)\n")
    assert " UTC+5:45** (" in markdown
    assert run("journal", "--json").records[0]["at"].endswith("Z")
    assert "time zone" in run("doctor", "--offline").out
    assert "Asia/Kathmandu UTC+5:45 (time_zone)" in run("doctor", "--offline").out


def test_a_zone_that_is_none_is_named_with_its_line(run: Run, home: Path, journal: Journal) -> None:
    write_settings(home, '# where I am\ntime_zone = "Europe/Berlim"\n')
    done = run("journal")
    assert done.code == 2
    assert "config.toml:2: time_zone: 'Europe/Berlim' cannot be used; use a name of the time zone" in done.err


def test_keys_of_a_service_take_80_columns(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    close_service(create_service(home / "no key.db"))
    advice = run("keys", "list", "--db", "no key.db", is_shown=True).out
    assert advice == "There is no key. Create one with: flagtui keys create --db 'no key.db'\n"
    close_service(create_service(home / "x.db", key=KEY))
    lines = run("keys", "list", "--db", "x.db", is_shown=True).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.strip() for line in lines[2:]] == ["*", "given at start"]
