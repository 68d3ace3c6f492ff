"""Every command on a project whose every text tries to harm the terminal."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import KEY, Run, control_characters, serving
from tests.doubles.command_tree import all_commands, names_records, required_options
from tests.doubles.slices import cross
from tests.doubles.templates import sample_database

from flagtui.service.sample_data.company import NASTY

LISTED = {"flags", "experiments", "events"}
NAMES = [
    name
    for name, each in all_commands().items()
    if each.kind is not None and (name.split()[0] in LISTED or name in ("activity", "projects"))
]
COUNT = 3
"""Records of each kind that are named together."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("nasty") / "service.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16, nasty=True), database)
    with serving(database) as service:
        yield service.address


@pytest.fixture(scope="module")
def ids() -> dict[str, list[str]]:
    """Of the first records of each kind; no test changes them."""
    return {}


@pytest.fixture
def nasty(run: Run, address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    folder = home / ".config" / "flagtui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'[profiles.nasty]\nhost = "{address}"\nproject = {NASTY}\nkey_command = "echo {KEY}"\n'
    )
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    return run


@pytest.mark.parametrize(("name", "is_shown"), cross(NAMES, (True, False)))
def test_no_text_of_a_server_is_obeyed_by_the_terminal(
    name: str, is_shown: bool, nasty: Run, ids: dict[str, list[str]]
) -> None:
    command, group = all_commands()[name], name.split()[0]
    words = [*name.split(), *required_options(command), *(["--dry-run"] if command.writes else [])]
    if name == "flags wait":
        words += ["--wait", "1"]
    if names_records(command):
        if group not in ids:
            listed = nasty(group, "list", "--limit", str(COUNT), "--json")
            ids[group] = [str(each["id"]) for each in json.loads(listed.out)["records"]]
        words += ids[group]
    # One printer shows the plans of all changes to programs, and one the columns of all records to pipes.
    is_json = not (is_shown or command.writes)
    done = nasty(*words, *(["--json"] if is_json else []), is_shown=is_shown)
    assert "fault of its own" not in done.err
    assert control_characters(done.out + done.err) == []
    assert not is_json or done.out.isascii()
    assert done.out or done.err
