"""An unset variable of a script never selects another project, host or record."""

import re

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "words",
    [
        ("flags", "list", "--project", ""),
        ("flags", "list", "--project="),
        ("flags", "list", "--profile", " "),
        ("flags", "list", "--log", ""),
        ("--project", "", "flags", "list"),
        ("--profile=", "flags", "list"),
        ("flags", "disable", "", "--yes"),
        ("events", "get", ""),
        ("experiments", "get", ""),
        ("auth", "login", "--host", ""),
        ("serve", "--host", ""),
        ("serve", "--db", ""),
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
        ("refs", "--in", ""),
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


@pytest.mark.parametrize("words", [("flags", "list"), ("activity",), ("flags", "stale"), ("events", "list")])
def test_empty_query_narrows_nothing(words: tuple[str, ...], online: Run) -> None:
    assert online(*words, "") == online(*words)


@pytest.mark.parametrize("name", ["FLAGTUI_HOST", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE", "FLAGTUI_LOG"])
def test_empty_variable_is_a_usage_error(name: str, monkeypatch: pytest.MonkeyPatch, online: Run) -> None:
    monkeypatch.setenv(name, "")
    done = online("flags", "list")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"flagtui: {name} is set but empty. Give it a value, or: unset {name}\n"
