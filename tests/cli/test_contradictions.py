"""Contradictions, unknown words and empty values exit with 2 before anything is sent."""

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("flags create fresh --field nonsense=1 --yes", "'nonsense' is not a field of a flag"),
        ("experiments create A --flag-key a --field no=1", "'no' is not a field of an experiment"),
        ("flags create fresh --field key=other --yes", "KEY and --field key contradict each other"),
        ("experiments create A --flag-key a --field name=B --yes", "NAME and --field name contradict each"),
        ("flags edit 1 --field name=x --field name=y --yes", "--field name is given twice with different"),
        ("flags tag 1 --add x --remove x --yes", "x is both added and removed"),
        ("--project 1 flags list --project 2", "--project is given twice with different values"),
        ("--project 1 --project 2 flags list", "--project is given twice with different values"),
        ("-o json flags list -otsv", "--output is given twice with different values"),
        ("--mirror flags list", "--mirror is for the app, which opens without a command"),
        ("--linear --mirror", "--linear and --mirror contradict each other"),
        ("--flag web demo flags list", "--flag is for the app"),
        ("check --rules archived --require web", "--require needs the rule missing-required"),
        ("flags list is:on OR tag:web", "a query has no operators and no parentheses: 'OR'"),
        ("flags list (is:on)", "a query has no operators and no parentheses: '(is:on)'"),
    ],
)
def test_contradiction_exits_with_2(line: str, reason: str, online: Run) -> None:
    done = online(*line.split())
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


def test_quoted_operator_is_a_search_word(online: Run) -> None:
    assert online("flags", "list", '"OR"').code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("flags", "list", "--project="),
        ("flags", "list", "--profile", " "),
        ("--project", "", "flags", "list"),
        ("--profile=", "flags", "list"),
        ("flags", "disable", "", "--yes"),
        ("events", "get", ""),
        ("experiments", "get", ""),
        ("undo", ""),
        ("undo", " ", "--yes"),
        ("staged", "get", ""),
        ("staged", "drop", "new-nav", ""),
        ("flags", "definitions", ""),
        ("flags", "create", "", "--yes"),
        ("events", "create", "", "--yes"),
        ("experiments", "create", "", "--flag-key", "a", "--yes"),
        ("refs", ""),
        ("check", ""),
        ("schema", ""),
        ("api", ""),
        ("apply", ""),
        ("proposals", "get", ""),
        ("mirror", "set", ""),
        ("journal", ""),
    ],
)
def test_empty_value_is_a_usage_error(words: tuple[str, ...], online: Run) -> None:
    done = online(*words)
    assert (done.code, done.out) == (2, "")
    assert re.search(r"(?:--[a-z]+|[A-Z_|]+) is empty; give a value(, or leave it out)?\.", done.err)


@pytest.mark.parametrize(
    "words",
    [
        ("flags", "disable", "new-nav", "--dry-run", "--out", "-"),
        ("flags", "types", "--language", "ts", "--out", "-"),
        ("flags", "list", "--log", "-"),
        ("--log", "-", "flags", "list"),
        ("mirror", "--sample", "--record", "-"),
    ],
)
def test_output_file_is_no_hyphen(
    words: tuple[str, ...], online: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = online(*words)
    assert (done.code, done.out, (tmp_path / "-").exists()) == (2, "", False)
    assert "takes the name of a file, and - is none" in done.err


@pytest.mark.parametrize("words", [("flags", "list"), ("activity",), ("flags", "stale"), ("events", "list")])
def test_empty_query_narrows_nothing(words: tuple[str, ...], online: Run) -> None:
    assert online(*words, "") == online(*words)


@pytest.mark.parametrize("name", ["FLAGTUI_HOST", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE", "FLAGTUI_LOG"])
def test_empty_variable_is_a_usage_error(name: str, monkeypatch: pytest.MonkeyPatch, online: Run) -> None:
    monkeypatch.setenv(name, "")
    done = online("flags", "list")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"flagtui: {name} is set but empty. Give it a value, or: unset {name}\n"
