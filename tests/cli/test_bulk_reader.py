"""A change of too many records is refused before more of them are read than needed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Done, Run, Service, write_settings

Logged = Callable[..., tuple[Done, int]]
LIMIT = 2


@pytest.fixture
def logged(online: Run, service: Service, home: Path, tmp_path: Path) -> Logged:
    """Commands of a profile with a small limit; each with the number of records that it read whole."""
    write_settings(home, f'[profiles.here]\nhost = "{service.address}"\nbulk_limit = {LIMIT}\n')

    def run(*words: str, stdin: str = "") -> tuple[Done, int]:
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        done = online("--log", str(log), *words, "--yes", stdin=stdin)
        paths = [json.loads(line)["path"].rstrip("/") for line in log.read_text().splitlines()]
        return done, sum(map(is_record, paths))

    return run


def is_record(path: str) -> bool:
    """Return whether the path names one flag, experiment or event definition."""
    folder, _, name = path.rpartition("/")
    is_id = any(map(str.isdigit, name)) or name == "by_name"
    return folder.endswith(("/feature_flags", "/experiments", "/event_definitions")) and is_id


LISTED = (
    *("flags disable is:on", "flags delete is:on", "flags archive is:on", "flags tag is:on --add bulky"),
    *("experiments end is:running", "experiments reset is:running", "experiments delete is:running"),
)


@pytest.mark.parametrize("line", LISTED)
def test_rows_of_the_list_are_enough_to_refuse(logged: Logged, line: str) -> None:
    done, read = logged(*line.split())
    assert (done.code, read) == (3, 0)
    assert f"{line.split()[0]} at once; this profile allows {LIMIT}; nothing was sent" in done.err


BULKY = (
    "flags rollout is:on --to 17",
    "flags edit is:on --field name=bulky",
    "events tag is:unverified --add bulky",
    "events owner is:unverified --to 77",
    "experiments pause is:running",
)


@pytest.mark.parametrize("line", BULKY)
def test_reading_ends_at_the_first_record_too_many(logged: Logged, line: str) -> None:
    done, read = logged(*line.split())
    assert done.code == 3
    # Those that would stay as they are do not count.
    assert LIMIT < read <= LIMIT + 3
    assert f"at least {LIMIT + 1} " in done.err


def test_records_that_stay_as_they_are_do_not_count(logged: Logged) -> None:
    done, read = logged("flags", "enable", "is:on")
    assert (done.code, read > LIMIT) == (0, True)


def test_max_changes_ends_the_reading_too(logged: Logged) -> None:
    done, read = logged("flags", "rollout", "is:on", "--to", "17", "--max-changes", "1")
    assert (done.code, 1 < read <= 4) == (3, True)
    assert "at least 2 flags would change; --max-changes allows 1" in done.err


NAMED = (
    ("flags list is:on --fields key", "flags rollout - --to 17", "flags"),
    ("events list is:unverified --fields name", "events tag - --add bulky", "event definitions"),
    ("experiments list is:running --fields id", "experiments end -", "experiments"),
)


@pytest.mark.parametrize(("names", "change", "noun"), NAMED)
def test_piped_names_are_read_up_to_the_limit(
    logged: Logged, online: Run, names: str, change: str, noun: str
) -> None:
    piped = online(*names.split()).out
    done, read = logged(*change.split(), stdin=piped)
    assert (done.code, f"at least {LIMIT + 1} {noun} at once" in done.err) == (3, True)
    assert read < len(piped.splitlines())


def test_deleted_flags_are_read_up_to_the_limit(logged: Logged) -> None:
    keys = [f"bulky-{number}" for number in range(LIMIT + 3)]
    for key in keys:
        assert [logged("flags", verb, key)[0].code for verb in ("create", "delete")] == [0, 0]
    done, read = logged("flags", "restore", *keys)
    assert (done.code, read) == (3, LIMIT + 1)


def test_records_of_a_file_are_read_up_to_the_limit(logged: Logged, online: Run) -> None:
    records = online("flags", "get", "is:on", "--json").records
    unchanged, *changed = records
    edited = [unchanged, *(record | {"name": "bulky"} for record in changed)]
    done, read = logged("flags", "edit", "--rename", "--from", "-", stdin=json.dumps(edited))
    assert (done.code, f"at least {LIMIT + 1} flags at once" in done.err) == (3, True), done
    assert LIMIT < read < len(records)


def test_flags_to_copy_are_read_up_to_the_limit(logged: Logged) -> None:
    keys = [f"to-copy-{number}" for number in range(LIMIT + 3)]
    assert [logged("flags", "create", key, "--tag", "to-copy")[0].code for key in keys] == [0] * len(keys)
    assert logged("flags", "copy", keys[-1], "--to-project", "2")[0].code == 0
    done, read = logged("flags", "copy", "tag:to-copy", "--to-project", "2")
    assert (done.code, f"at least {LIMIT + 1} flags at once" in done.err) == (3, True), done
    assert LIMIT < read < len(keys)
    # The last one exists there, so that it does not count.
    assert logged("flags", "copy", *keys[-3:], "--to-project", "2")[0].out.count("\tsaved\t") == LIMIT
