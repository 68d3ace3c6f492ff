"""`flagtui check` and `flagtui flags types`: findings, formats, files, and servers that are unreachable."""

import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import Run, require_done, run_at, serving
from tests.doubles.json_schema import validate

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "code-finding.json"
CLEAN = 'posthog.isFeatureEnabled("new-nav");\n'
UNKNOWN = 'posthog.isFeatureEnabled("never-there");\n'


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, online: Run) -> Run:
    code = tmp_path / "code"
    code.mkdir()
    monkeypatch.chdir(code)
    return online


def write(text: str, name: str = "app.ts") -> None:
    Path(name).write_text(text)


def test_findings_exit_with_7_and_clean_code_with_0(online: Run) -> None:
    write(CLEAN)
    done = online("check")
    assert (done.code, done.out) == (0, "")
    assert "0 findings." in done.err
    write(CLEAN + UNKNOWN)
    done = online("check")
    assert done.code == 7
    assert done.out.startswith("app.ts:2:26: error unknown-key: There is no flag never-there")
    assert "1 finding: 1 error." in done.err
    write('posthog.isFeatureEnabled("never-there"); // flagtui: ok created by the next release\n')
    assert online("check").code == 0


def test_rules_and_requirements_choose_what_is_reported(online: Run) -> None:
    write(CLEAN + UNKNOWN + "posthog.isFeatureEnabled(name);\n")
    assert online("check", "--rules", "archived,deleted-key").code == 0
    assert "dynamic-key" in online("check", "--rules", "dynamic-key").out
    assert "unreferenced" in online("check", "--rules", "all").out
    write(CLEAN)
    assert online("check", "--require", "new-nav").code == 0
    done = online("check", "--require", "kill-switch")
    expected = (7, "error missing-required: The required flag kill-switch does not exist.\n")
    assert (done.code, done.out) == expected


def test_json_and_every_other_format_report_the_finding(online: Run) -> None:
    write(UNKNOWN)
    document = json.loads(online("check", "-o", "json", "--require", "kill-switch").out)
    validate(document, json.loads(SCHEMA.read_text()))
    assert [each["rule"] for each in document["records"]] == ["unknown-key", "missing-required"]
    reports = {name: online("check", "-o", name) for name in ("sarif", "github", "gitlab", "junit")}
    assert {report.code for report in reports.values()} == {7}
    assert json.loads(reports["sarif"].out)["runs"][0]["results"][0]["ruleId"] == "unknown-key"
    assert reports["github"].out.startswith("::error title=unknown-key,file=app.ts,line=1,col=26::")
    assert json.loads(reports["gitlab"].out)[0]["check_name"] == "unknown-key"
    assert ElementTree.fromstring(reports["junit"].out)[0].get("failures") == "1"


@pytest.mark.parametrize("output", ["json", "sarif", "gitlab"])
def test_findings_of_the_baseline_are_ignored(online: Run, output: str) -> None:
    write(UNKNOWN)
    Path("before").write_text(online("check", "-o", output).out)
    write("\n\n" + UNKNOWN)
    done = require_done(online("check", "--baseline", "before"))
    assert "1 in the baseline" in done.err
    write(UNKNOWN + UNKNOWN)
    assert online("check", "--baseline", "before").code == 7


def test_changed_since_reports_changed_files_and_uses_of_their_constants(online: Run) -> None:
    write(UNKNOWN + 'import { NAV } from "./flags";\nposthog.isFeatureEnabled(NAV);\n')
    write(CLEAN, "other.ts")
    write('export const NAV = "new-nav", OLD = "new-nav";\n', "flags.ts")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True)
    assert online("check", "--changed-since", "HEAD").code == 0
    write(UNKNOWN, "other.ts")
    write('export const NAV = "nav", OLD = "new-nav";\n', "flags.ts")
    lines = online("check", "--changed-since", "HEAD").out.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["app.ts:3:26:", "other.ts:1:26:"]


def test_unreachable_server_exits_with_1_unless_offline_is_ok(
    online: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(UNKNOWN)
    online("check")
    monkeypatch.setenv("FLAGTUI_HOST", "http://127.0.0.1:9")
    failed = online("check")
    assert (failed.code, failed.out) == (1, "")
    without_copy = online("check", "--offline-ok")
    assert (without_copy.code, without_copy.out) == (0, "")
    assert "no run has read the flags of project 1" in without_copy.err
    assert "Nothing was checked" in without_copy.err
    Path("cache").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", f"{Path('cache').absolute()}")
    assert "flagtui: Not a directory" in online("check", "--offline").err
    assert online("check", "--offline-ok", "-o", "gitlab").out == "[]\n"


def test_offline_ok_uses_the_copy_of_the_last_run(
    small_sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    write(UNKNOWN)
    shutil.copy(small_sample, tmp_path / "service.db")
    with serving(tmp_path / "service.db") as service:
        online = run_at(service.address, run, monkeypatch)
        before = online("check").out
    for option in ("--offline", "--offline-ok"):
        done = online("check", option)
        assert (done.code, done.out) == (7, before), done.err
        assert "Flags as read " in done.err


NO_BASELINES = (
    *("", "[", "{}", "null", "[1, null]", '{"runs": [{"results": 1}]}'),
    '{"schema": "flag", "records": [{"fingerprint": "a"}]}',
    '{"schema": "code-finding", "records": [{"rule": "unknown-key"}]}',
    '{"runs": [{"tool": {"driver": {"name": "other"}}, "results": []}]}',
)
EMPTY_BASELINES = (
    *("[]", '{"schema": "code-finding", "records": []}'),
    '{"runs": [{"tool": {"driver": {"name": "other"}}, "results": [{}]},'
    ' {"tool": {"driver": {"name": "flagtui"}}, "results": []}]}',
)


@pytest.mark.parametrize("text", [*NO_BASELINES, *EMPTY_BASELINES])
def test_baseline_is_refused_or_ignores_no_findings(online: Run, text: str) -> None:
    write(UNKNOWN)
    Path("before").write_text(text)
    done = online("check", "--baseline", "before")
    assert (done.code, bool(done.out)) == ((7, True) if text in EMPTY_BASELINES else (2, False))
    is_named = "before is no baseline" in done.err and "flagtui check -o json" in done.err
    assert is_named == (text in NO_BASELINES)


TYPES = ("flags", "types", "--language")


def test_file_is_written_once_and_then_up_to_date(online: Run, tmp_path: Path) -> None:
    path = tmp_path / "flags.ts"
    first = online(*TYPES, "ts", "--out", str(path))
    assert (first.code, first.out) == (0, "")
    assert "Wrote " in first.err
    written = path.stat().st_mtime_ns
    assert path.read_text(encoding="utf-8") == online(*TYPES, "ts").out
    assert "is up to date" in online(*TYPES, "ts", "--out", str(path)).err
    assert path.stat().st_mtime_ns == written


def test_check_prints_the_difference_and_exits_with_7(online: Run, tmp_path: Path) -> None:
    path = tmp_path / "flags.py"
    check = (*TYPES, "python", "--out", str(path), "--check")
    missing = online(*check)
    assert (missing.code, path.exists()) == (7, False)
    assert f"{path} does not exist; nothing was written. Without --check," in missing.err
    online(*TYPES, "python", "--out", str(path))
    assert online(*check).code == 0
    path.write_text(path.read_text(encoding="utf-8").replace("Final = ", "Final = \x1b"), encoding="utf-8")
    changed = online(*check)
    assert (changed.code, f"{path} differs; nothing was written." in changed.err) == (7, True)
    assert "-NEW_NAV: Final = \ufffd" in changed.out
    assert "\x1b" not in changed.out


def test_offline_uses_the_flags_of_the_last_run(online: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = online(*TYPES, "go", "--offline")
    assert missing.code == 6
    assert "without --offline" in missing.err
    before = online(*TYPES, "go", "type:boolean").out
    everything = online(*TYPES, "go").out
    monkeypatch.setattr("flagtui.api.connection.Connection.ask", None)
    assert online(*TYPES, "go", "--offline").out == everything
    assert online(*TYPES, "go", "type:boolean", "--offline").out == before
    assert len(before) < len(everything)
