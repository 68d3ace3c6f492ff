"""How many requests commands send, and that many records are read from pages of a list.

docs/command-line.md has the table, with pages of a list as `pages`.
"""

import json
import math
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import KEY, Done, Run, Service, require_done, run_at, serving
from tests.doubles.request_counts import COUNTS
from tests.doubles.slices import long
from tests.doubles.templates import sample_database

from flagtui.cli.plumbing.completion_words import known_words
from flagtui.cli.plumbing.near_names import not_found
from flagtui.cli.plumbing.selection import MANY
from flagtui.details.subject_evaluations import MOST_TRIALS
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample
from flagtui.service.sample_data.flags import LISTED

PAGES = 3
ENCRYPTED = 2
"""Flags of the sample with encrypted payloads."""
Logged = Callable[..., tuple[Done, Counter[str]]]


@pytest.fixture(scope="module")
def large_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with the whole sample: its list of flags has several pages."""
    database = tmp_path_factory.mktemp("large") / "service.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16), database)
    with serving(database) as service:
        yield service


@pytest.fixture
def logged(run: Run, large_service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Logged:
    """Commands, each with how often it requested lists, single records and more."""
    run_there = run_at(large_service.address, run, monkeypatch)

    def run_logged(line: str, names: list[str] | None = None) -> tuple[Done, Counter[str]]:
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        done = run_there("--log", str(log), *shlex.split(line), stdin="\n".join(names or []))
        paths = [json.loads(each)["path"] for each in log.read_text().splitlines()]
        return done, Counter("/".join(path.split("/")[4:]).strip("/") for path in paths)

    return run_logged


def keys(done: Done, name: str = "key") -> list[str]:
    assert done.code == 0, done.err
    return [str(record[name]) for record in done.records]


@pytest.fixture
def listed(logged: Logged) -> list[str]:
    names = keys(logged("flags list --json")[0])
    assert len(names) >= LISTED
    return names


@pytest.mark.parametrize("field", ["key", "id"])
def test_many_names_take_pages_and_keep_their_order(logged: Logged, field: str) -> None:
    names = keys(logged("flags list --json")[0], field)[::-1]
    done, requests = logged("flags get - --json", names)
    assert keys(done, field) == names
    singles = {path for path in requests if path.startswith("feature_flags/")}
    # Encrypted payloads are masked in lists; one other flag shows which fields a whole one has.
    assert len(singles) <= ENCRYPTED + 1
    # The size of the list, its pages, those of archived flags for ids, and where a key is searched.
    assert requests["feature_flags"] <= 1 + PAGES + 1 + ENCRYPTED * 2
    assert requests.total() == requests["feature_flags"] + len(singles)


def test_listed_records_equal_single_ones(logged: Logged, listed: list[str]) -> None:
    together = logged("flags get - --json", listed)[0].records
    few = listed[: MANY - 1]
    assert logged("flags get - --json", few)[0].records == together[: len(few)]


def test_missing_name_of_many_is_confirmed_once(logged: Logged, listed: list[str]) -> None:
    done, requests = logged("flags get -", [f"{key}x" for key in listed])
    assert done.code == 6
    assert "more. Did you mean" in done.err
    # Eight are looked up at the same time, among flags that are listed and archived; then the list suggests.
    assert requests["feature_flags"] <= 1 + PAGES + 1 + 8 * 2 + PAGES


def test_archived_and_ambiguous_names_are_those_of_single_reads(logged: Logged, listed: list[str]) -> None:
    assert logged("flags create put-away --yes")[0].code == 0
    assert logged("flags archive put-away --yes")[0].code == 0
    done, _ = logged("flags get - --json", [*listed, "put-away"])
    assert keys(done)[-1] == "put-away"
    id = keys(logged(f"flags get {listed[0]} --json")[0], "id")[0]
    assert logged(f"flags create {id} --yes")[0].code == 0
    done, _ = logged("flags get -", [*listed, id])
    assert (done.code, f"{id} is the key of one flag and the id of" in done.err) == (2, True)


def test_hypothetical_values_of_all_flags_take_few_requests(logged: Logged) -> None:
    done, requests = logged("flags evaluate --for 'user-1 plan=pro' --json")
    assert len(keys(done)) >= LISTED
    assert requests.total() <= 3 * PAGES + ENCRYPTED + 8


def test_old_server_is_asked_a_few_times_for_stored_properties(
    tmp_path_factory: pytest.TempPathFactory, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "old.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16), database)
    with serving(database, legacy=True) as service:
        log = tmp_path / "log"
        done = run_at(service.address, run, monkeypatch)(
            "--log", str(log), "flags", "evaluate", "--for", "user-1 plan=pro", "--json"
        )
        assert len(keys(done)) >= LISTED
    assert log.read_text().count("evaluation_reasons") == MOST_TRIALS
    # Older ones keep the server's values from keys.
    with serving(database, legacy=True, strict=True) as service:
        done = run_at(service.address, run, monkeypatch)("flags", "evaluate", "--for", "user-1", "--json")
        assert len(keys(done)) >= LISTED
        assert {*keys(done, "source")} == {"here"}
        edit = ("flags", "edit", keys(done)[0], "--field", "archived=true", "--yes")
        done = run_at(service.address, run, monkeypatch)(*edit)
        assert (done.code, "this server has no `archived`" in done.err) == (2, True)


def test_server_evaluates_each_flag_once(logged: Logged) -> None:
    done, requests = logged("flags evaluate tag:web --for user-1 --json")
    count = len(keys(done))
    assert count > MANY
    assert (requests["feature_flags/evaluation_reasons"], requests["feature_flags/local_evaluation"]) == (
        0,
        1,
    )
    assert sum(path.endswith("/test_evaluation") for path in requests) == count


def test_flags_to_copy_share_one_reading_of_the_schedule(logged: Logged) -> None:
    done, requests = logged("flags copy tag:web --to-project 2 --dry-run --json")
    assert (done.code, requests["scheduled_changes"]) == (3, 1), done
    assert requests["@me"] <= 1


def test_many_events_take_pages(logged: Logged) -> None:
    names = keys(logged("events list --json")[0], "name")
    done, requests = logged("events get - --json", names)
    assert keys(done, "name") == names
    assert requests.total() <= 1 + -(-len(names) // 100) + 1


def test_misspelt_name_is_suggested_from_the_cached_list(logged: Logged) -> None:
    assert logged("flags list")[0].code == 0
    done, requests = logged("flags disable new-na --yes")
    assert (done.code, "Did you mean new-nav?" in done.err) == (6, True)
    # By its key among listed, among archived and among recently deleted flags.
    assert requests == Counter({"feature_flags": 2, "feature_flags/activity": 3})
    assert logged("flags disable xyzzy-qqq --yes")[1]["feature_flags"] == 2 + PAGES


def test_similar_names_are_sought_for_the_listed_names_only() -> None:
    names = [f"flag-{number}" for number in range(3_000)]
    trouble = not_found("flag", [f"{name}x" for name in names], names, "flags list")
    assert "and 2,995 more" in trouble.what
    assert "flag-5," not in trouble.fix


FLAGS: Final = LISTED
"""Three pages."""


@pytest.fixture
def run_there(run: Run, large_service: Service, monkeypatch: pytest.MonkeyPatch) -> Run:
    return run_at(large_service.address, run, monkeypatch)


def requests_of(run: Run, log: Path, line: str) -> Counter[str]:
    """Run a command that succeeds and return how often it requested each path."""
    require_done(run("--log", str(log), *line.split()))
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
    assert len(keys) >= FLAGS
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
