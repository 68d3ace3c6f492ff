"""`flagtui api` reads any address and changes none; `--log FILE` has the requests, without secrets."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.conftest import KEY, Run, Service

from flagtui.api.request_log import LogLine, log_to


@pytest.mark.parametrize(
    "path",
    [
        "feature_flags/?limit=1&search=new-nav",
        "/api/projects/{project}/feature_flags/?limit=1&search=new-nav",
        "HOST/api/projects/1/feature_flags/?limit=1&search=new-nav",
    ],
)
def test_api_prints_the_json_of_an_address(signed_in: Run, service: Service, path: str) -> None:
    done = signed_in("api", path.replace("HOST", service.address))
    assert done.code == 0, done.err
    assert [flag["key"] for flag in json.loads(done.out)["results"]] == ["new-nav"]


@pytest.mark.parametrize(
    "path",
    [
        *("https://other.example/api/projects/1/feature_flags/", "//other.example/api/", "/logout"),
        *("../../users/@me/", "%2e%2e/users/", "feature_flags//1/", "http://[", ""),
    ],
)
def test_api_refuses_other_hosts_and_paths(signed_in: Run, path: str) -> None:
    done = signed_in("api", path)
    assert (done.code, done.out) == (2, "")


def test_api_posts_only_what_changes_nothing_and_names_absences(signed_in: Run) -> None:
    refused = signed_in("api", "feature_flags/", "--data", "-", stdin='{"key": "new"}')
    assert (refused.code, "change nothing" in refused.err) == (3, True)
    keys = signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin='{"ids": [842]}')
    assert keys.code == 0, keys.err
    for wrong in ("{", '{"ids": [NaN]}'):
        assert signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin=wrong).code == 2
    assert signed_in("api", "feature_flags/99999/").code == 6
    assert signed_in("api", "no_such/").err.startswith("flagtui: /api/projects/1/no_such/: ")


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
