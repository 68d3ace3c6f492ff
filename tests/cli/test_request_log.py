"""`--log FILE`: what was asked, and nothing anybody should not read."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import KEY, Run, Service


def test_every_request_is_a_line_without_the_key(
    run: Run, service: Service, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", service.address)
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    monkeypatch.setenv("FLAGTUI_LOG", "")
    path = tmp_path / "requests.jsonl"
    done = run("--log", str(path), "projects")
    assert done.code == 0, done.err
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(line["path"] == "/api/projects/" and line["status"] == 200 for line in lines)
    assert path.stat().st_mode & 0o777 == 0o600
    assert KEY not in path.read_text()


def test_a_log_that_cannot_be_written_is_one_sentence(
    run: Run, service: Service, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLAGTUI_HOST", service.address)
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    monkeypatch.setenv("FLAGTUI_LOG", "")
    done = run("--log", str(tmp_path / "nowhere" / "x"), "projects")
    assert done.code == 1
    assert "cannot be written" in done.err
    assert "Traceback" not in done.err
