"""`flagtui refs`: places in code, offline copies, selection and reports."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, write_settings
from tests.doubles.json_schema import validate

from flagtui.cli.plumbing.offline_copies import current_folder

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
APP = """import posthog from "posthog-js";
if (posthog.isFeatureEnabled("new-nav")) { start(); }
posthog.isFeatureEnabled("never-there");
posthog.isFeatureEnabled(prefix + name);
posthog.capture("no such event");
// "new-nav"
"""


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, online: Run) -> Run:
    code = tmp_path / "code"
    (code / "src").mkdir(parents=True)
    (code / "src" / "app.ts").write_text(APP)
    (code / "src" / "other.py").write_text('posthog.feature_enabled("new-nav", "u")\n')
    monkeypatch.chdir(code)
    return online


def places(out: str) -> list[str]:
    return [line.split("\t")[0] for line in out.splitlines() if line.split("\t")[0]]


def test_places_are_listed_with_kind_key_state_and_what_remains(online: Run) -> None:
    done = online("refs", "--in", "src")
    lines = [line.split("\t") for line in done.out.splitlines()]
    rows = {line[0]: line[1:4] for line in lines}
    assert rows["src/app.ts:3:26"] == ["call", "never-there", "unknown-key"]
    assert rows["src/app.ts:4:26"] == ["call", "", "dynamic-key"]
    assert rows["src/app.ts:5:17"] == ["call", "no such event", "unknown-key"]
    assert rows["src/app.ts:6:5"][0] == "comment"
    assert ["", "", "checkout-redesign", "unreferenced", ""] in lines
    assert "Searched 2 files." in done.err
    (hidden,) = re.findall(
        r"no call sends (\d+) more events; see: flagtui check src --rules unreferenced", done.err
    )
    reported = online("check", "src", "--rules", "unreferenced").out
    assert int(hidden) == reported.count("No call sends the event") > 1
    (event, *_) = re.findall(r"No call sends the event (\w+);", reported)
    (named,) = json.loads(online("refs", event, "--json").out)["records"]
    assert (named["state"], named["subject"]) == ("unreferenced", "event")
    Path("src/other.py").unlink()
    assert "Searched 1 file." in online("refs", "--in", "src").err


def test_words_select_places_and_json_follows_its_schema(online: Run) -> None:
    assert places(online("refs", "new-nav").out) == ["src/app.ts:2:30", "src/app.ts:6:5", "src/other.py:1:25"]
    assert places(online("refs", "never-there").out) == ["src/app.ts:3:26"]
    assert places(online("refs", "key:new-nav").out) == places(online("refs", "new-nav").out)
    missing = online("refs", "new-nvv")
    assert (missing.code, missing.out) == (6, "")
    assert "new-nav" in missing.err
    schema = json.loads((SCHEMAS / "code-reference.json").read_text())
    document = json.loads(online("refs", "--json").out)
    validate(document, schema)
    lines = online("refs", "--ndjson").out.splitlines()
    assert [json.loads(line)["place"] for line in lines] == [each["place"] for each in document["records"]]


def test_results_by_file_are_stored_unless_in_a_build(online: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for build, stored in (("true", 0), ("", 1)):
        monkeypatch.setenv("CI", build)
        assert online("refs", "new-nav").code == 0
        assert len([*Path("..").glob("**/code/*.files")]) == stored
    scans = [*Path("..").glob("**/code/*.json")]
    Path("empty").mkdir()
    assert "Searched 0 files" in online("refs", "--in", "empty").err
    assert [*Path("..").glob("**/code/*.json")] == scans, "no flag is unused for want of code"


def test_deleted_flag_is_not_reported_as_unknown(online: Run) -> None:
    online("flags", "create", "short-lived", "--yes")
    online("flags", "delete", "short-lived", "--yes")
    Path("src/late.ts").write_text('isFeatureEnabled("short-lived")\n')
    assert "deleted-key" in online("refs", "short-lived").out


def test_changed_since_reports_changed_files_only(online: Run) -> None:
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True)
    Path("src/other.py").write_text('\nposthog.feature_enabled("new-nav", "u")\n')
    assert places(online("refs", "--changed-since", "HEAD").out) == ["src/other.py:2:25"]
    wrong = online("refs", "--changed-since", "nowhere")
    assert wrong.code == 2
    assert "no revision" in wrong.err


def test_problems_of_files_and_languages_limit_what_is_parsed(online: Run) -> None:
    kinds = {
        line.split("\t")[1] for line in online("refs", "new-nav", "--language", "python").out.splitlines()
    }
    assert kinds == {"string", "call"}
    Path("src/broken.ts").write_text('isFeatureEnabled("new-nav");\nfunction ( { [\n')
    Path("src/latin.py").write_bytes(b'# \xe9\nposthog.feature_enabled("new-nav", "u")\n')
    done = online("refs", "new-nav")
    assert {"src/broken.ts:1:18", "src/latin.py:2:25"} <= set(places(done.out))
    assert "src/broken.ts:2: syntax not understood" in done.err
    assert "src/latin.py:1: not UTF-8" in done.err


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the parser, as where `flagtui[code]` is not installed."""
    monkeypatch.setitem(sys.modules, "ast_grep_py", None)


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_only_quoted_keys_are_searched(online: Run) -> None:
    done = online("refs")
    assert {line.split("\t")[1] for line in done.out.splitlines()} == {"string"}
    assert "new-nav" in done.out
    assert "Only quoted words were searched: install ast-grep-py beside flagtui" in done.err


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_check_refuses_rules_that_need_it(online: Run) -> None:
    done = online("check")
    assert (done.code, done.out) == (1, "")
    assert "Install ast-grep-py beside flagtui" in done.err
    assert online(*("check", "--rules", "missing-required", "--require", "new-nav")).code == 0


def test_typo_in_the_settings_names_file_line_and_key(online: Run) -> None:
    Path(".flagtui.toml").write_text('[code]\nwraper = ["a"]\n')
    done = online("refs", "--offline")
    assert done.code in (2, 6)
    done = online("refs")
    assert done.code == 2
    assert ".flagtui.toml:2: code.wraper" in done.err


def test_question_names_the_uses_of_the_last_scan(online: Run) -> None:
    def question(verb: str, key: str) -> str:
        # The path of the folder may fill a line.
        return " ".join(online("flags", verb, key, "--dry-run", is_shown=True).out.split())

    assert "src/app.ts" not in question("archive", "new-nav")
    Path("page.vue").write_text("<p v-if=\"isOn('geo-pricing')\">")
    online("refs")
    assert "no call, but in quotes: page.vue:1:15; searched " in question("archive", "geo-pricing")
    for verb in ("archive", "delete"):
        assert "2 uses: src/app.ts:2:30, src/other.py:1:25; searched " in question(verb, "new-nav")
        assert "no use in " in question(verb, "checkout-v2-banner")
        assert ", where 1 call computes its key; searched " in question(verb, "checkout-v2-banner")
    assert "Code" not in online("flags", "disable", "new-nav", "--dry-run", is_shown=True).out


def test_queries_about_code_need_a_scan_and_read_it(online: Run) -> None:
    done = online("flags", "list", "refs:0")
    assert done.code == 6
    assert "refs: needs a scan of code, and there is none" in done.err
    assert "Scan it: flagtui refs" in done.err
    assert "the order refs needs a scan" in online("flags", "list", "--sort", "refs").err
    online("refs")
    assert online("flags", "list", "refs:2").out.startswith("new-nav")
    assert "new-nav" not in online("flags", "list", "refs:0").out
    for order in ("refs", "-cleanup"):
        assert online("flags", "list", "--sort", order, "--limit", "1").out.startswith("new-nav")
    online("refs")
    online("refs", "--project", "2")
    unknown = online("flags", "list", "code:unknown-key")
    assert (unknown.code, unknown.out) == (0, ""), unknown.err


def test_missing_scan_names_the_folder_of_the_profile(online: Run, home: Path) -> None:
    profile = f'[profiles.a]\nhost = "{os.environ["FLAGTUI_HOST"]}"\ncode.folder = "{home}/code/src"\n'
    write_settings(home, profile)
    done = online("flags", "list", "refs:>0")
    assert done.err.endswith(f"Scan it: flagtui refs --in {home}/code/src\n")
    online("refs", "--in", f"{home}/code/src")
    assert online("flags", "list", "refs:>0").out.startswith("new-nav")
    write_settings(home, profile.replace(f"{home}/code", "~no-such-user"))
    assert "there is none of ~no-such-user/src" in online("flags", "list", "refs:>0").err


def test_deleted_current_folder_keeps_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PWD", str(folder))
    assert current_folder() == folder
    folder.rmdir()
    assert current_folder() == folder
