"""How many requests commands send: docs/command-line.md has the table, with pages of a list as `pages`."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import KEY, Run, Service, run_at, serving
from tests.cli.large_service import large_service as large_service
from tests.doubles.request_counts import COUNTS
from tests.doubles.slices import long

from flagtui.cli.plumbing.completion_words import known_words
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample
from flagtui.service.sample_data.flags import LISTED

FLAGS: Final = LISTED
"""Three pages."""


@pytest.fixture
def run_there(run: Run, large_service: Service, monkeypatch: pytest.MonkeyPatch) -> Run:
    return run_at(large_service.address, run, monkeypatch)


def requests_of(run: Run, log: Path, line: str) -> Counter[str]:
    """Run a command that succeeds and return how often it requested each path."""
    done = run("--log", str(log), *line.split())
    assert done.code == 0, done.err
    return Counter(json.loads(each)["path"] for each in log.read_text().splitlines())


@pytest.mark.parametrize("line", COUNTS)
def test_command_sends_the_documented_requests(run_there: Run, tmp_path: Path, line: str) -> None:
    count = COUNTS[line]
    requests = requests_of(run_there, tmp_path / "log", line)
    pages = 0
    if count.lists:
        # The sample has a number of events of its own.
        records = FLAGS if line.startswith("flags") else len(run_there("events", "list").out.splitlines())
        pages = math.ceil(records / 100)
    assert requests.total() == count.fixed + pages + count.is_each, requests


@long
def test_stale_flags_of_ten_thousand_need_few_requests(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "service.db"
    close_service(create_service(database, key=KEY, sample=sample(flags=10_000)))
    with serving(database) as service:
        run_there = run_at(service.address, run, monkeypatch)
        assert requests_of(run_there, tmp_path / "log", "flags stale").total() <= 55


def test_whole_list_is_cached_for_completion(run_there: Run) -> None:
    assert known_words("flags", "", "1") == []
    assert run_there("flags", "list", "is:on", "--limit", "3").code == 0
    assert known_words("flags", "", "1") == []
    assert run_there("flags", "list", "tag:web").code == 0
    keys = known_words("flags", "", "1")
    assert len(keys) == FLAGS
    assert run_there("flags", "list", "--limit", "3").code == 0
    assert known_words("flags", "", "1") == keys


def test_limit_shows_first_rows_after_reading_the_whole_list(run_there: Run, tmp_path: Path) -> None:
    for line in ("flags list --limit 3 --sort key", "flags list --limit 3 key:new-nav"):
        assert requests_of(run_there, tmp_path / line.replace(" ", ""), line).total() >= FLAGS // 100
    for kind, query in (("flags", "is:on"), ("experiments", ""), ("events", "is:verified")):
        words = (kind, "list", *filter(None, (query,)))
        rows = run_there(*words).out.splitlines()
        for limit in (7, 110):
            assert run_there(*words, "--limit", str(limit)).out.splitlines() == rows[:limit]
