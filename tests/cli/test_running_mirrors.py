"""The files by which commands find the mirrors of this machine."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.doubles.expected import require

from flagtui.config.locations import find_locations
from flagtui.mirror.running_mirrors import announce, find_mirrors


def test_mirror_that_cannot_be_announced_does_not_start(run: Run, home: Path) -> None:
    state = require(find_locations().state)
    state.mkdir(parents=True)
    (state / "mirrors").touch()
    done = run("mirror", "--sample", "--port", "0")
    assert (done.code, done.out) == (1, "")
    assert f"{state / 'mirrors'} cannot be made" in done.err
    assert f"{state / 'mirrors'} cannot be read: Not a directory" in run("mirror", "list").err


def test_ending_mirror_leaves_the_file_of_a_newer_one(home: Path) -> None:
    places = find_locations()
    with announce(places, 8020, "older"):
        newer = announce(places, 8020, "newer")
        newer.__enter__()
    assert [mirror.secret for mirror in find_mirrors(places)] == ["newer"]
    newer.__exit__(None, None, None)
    assert find_mirrors(places) == []
    impossible = {"port": 8020, "secret": "", "pid": 10**20}
    (require(places.state) / "mirrors" / "8020.json").write_text(json.dumps(impossible))
    assert find_mirrors(places) == []
