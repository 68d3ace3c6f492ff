"""`--log FILE`: the requests, without secrets."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.conftest import KEY, Run

from flagtui.api.request_log import LogLine, log_to


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, online: Run) -> Run:
    monkeypatch.setenv("FLAGTUI_LOG", "")
    return online


def test_every_request_is_a_line_without_the_key(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    assert run_here("--log", str(path), "projects").code == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(line["path"] == "/api/projects/" and line["status"] == 200 for line in lines)
    assert path.stat().st_mode & 0o777 == 0o600
    assert KEY not in path.read_text()


def test_a_log_that_cannot_be_written_is_one_sentence(run_here: Run, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere" / "x", "~no_such_user/x"):
        done = run_here("--log", str(path), "projects")
        assert (done.code, "cannot be written" in done.err, done.err.count("\n")) == (1, True, 1)


def test_log_changes_the_mode_of_a_file_only(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o644)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    before = pipe.stat().st_mode
    log_to(pipe)(LogLine("GET", "/"))
    assert os.read(reader, 1_000).startswith(b'{"method": "GET"')
    assert pipe.stat().st_mode == before
    os.close(reader)
