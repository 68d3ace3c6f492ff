"""Every example of every help runs against the service, and what it prints for programs fits its schema."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.cli.conftest import KEY, SERVE, Done, Run
from tests.doubles.command_tree import all_commands, twin_commands
from tests.doubles.json_schema import faults
from tests.doubles.slices import FULL

from flagtui.cli.output.record_kind import SCHEMA_VERSION
from flagtui.cli.records.change_records import PLAN

MODES = ("default", "strict", "legacy")
ON_A_SCREEN = {"pick"}
"""These need a terminal; tests/terminal has them."""
EXAMPLES = [
    (name, example)
    for name, each in twin_commands().items()
    for example in each.examples
    if name not in ON_A_SCREEN
]
ENDS_WELL = {0, 3}
"""Done, or nothing to do on the sample."""
NOT_THERE = {1, 5, 6}
"""What older servers, and those that keep things from keys, may answer besides."""


@dataclass(frozen=True)
class Place:
    address: str
    mode: str


@pytest.fixture(
    scope="module",
    params=MODES if FULL else MODES[:1],
    ids=["default", "strict", "legacy"][: len(MODES) if FULL else 1],
)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    mode: str = request.param
    database = tmp_path_factory.mktemp("examples") / "service.db"
    command = [*SERVE, "--db", str(database), "--key", KEY, *([] if mode == "default" else [f"--{mode}"])]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        place = Place(process.stdout.readline().partition(" on ")[2].partition(",")[0], mode)
        with httpx.Client(base_url=place.address, headers={"Authorization": f"Bearer {KEY}"}) as client:
            made = client.post("/api/projects/1/feature_flags/", json={"key": "old-banner"})
        assert made.status_code == 201, made.text
        yield place
        process.terminate()
        process.wait(20)


@pytest.fixture
def here(run: Run, server: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    def run_here(*arguments: str, stdin: str = "", is_shown: bool = False) -> Done:
        monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
        return run(*arguments, stdin=stdin, is_shown=is_shown)

    monkeypatch.setenv("FLAGTUI_HOST", server.address)
    monkeypatch.setenv("FLAGTUI_PROJECT", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(tmp_path)
    return run_here


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _name, example in EXAMPLES])
def test_an_example_runs_and_fits_its_schema(name: str, example: str, here: Run, server: Place) -> None:
    if "--from flag.json" in example:
        Path("flag.json").write_text(here("flags", "edit", "checkout-redesign", "--print").out)
    if "--from experiment.json" in example:
        text = here("experiments", "edit", "31", "--print").out
        changed = json.loads(text) | {"description": "Once more, from a file"} if text else {}
        Path("experiment.json").write_text(json.dumps(changed))
    words = shlex.split(example)
    if words[:2] == ["flags", "restore"]:
        # Examples come in any order.
        here("flags", "delete", words[2], "--yes")
    assert words[: len(name.split())] == name.split()
    done = here(*words)
    assert done.code in (ENDS_WELL if server.mode == "default" else ENDS_WELL | NOT_THERE), done.err
    assert "Traceback" not in done.err
    if done.out:
        check(name, words, done.out)
    elif {"--json", "--ndjson"} & set(words) and done.code:
        assert re.fullmatch(r"(?s).*\{\"error\": \{.*\}\}\n", done.err), done.err


def check(name: str, words: list[str], out: str) -> None:
    assert all(character.isprintable() or character in "\t\n" for character in out)
    known = twin_commands()[name].kind
    kind = PLAN if "--dry-run" in words else known
    if kind is None:
        return
    schema = kind.schema()
    if "--fields" in words:
        # Only those members are there then.
        schema["properties"]["records"]["items"]["required"] = words[words.index("--fields") + 1].split(",")
    # What never ends is told line by line.
    if "--json" in words and name != "watch":
        assert list(faults(json.loads(out), schema)) == []
    elif {"--json", "--ndjson"} & set(words):
        for line in out.splitlines():
            record = json.loads(line)
            assert (record.pop("schema_version"), record.pop("schema")) == (SCHEMA_VERSION, kind.name)
            assert list(faults(record, schema["properties"]["records"]["items"])) == []


def test_every_command_has_two_examples() -> None:
    without = [
        name
        for name, each in all_commands().items()
        if len(getattr(each, "examples", ())) < 2 and name not in OLDER
    ]
    assert without == []


OLDER = {
    "auth login",
    "auth status",
    "auth logout",
    "demo",
    "serve",
    "keys create",
    "keys list",
    "keys revoke",
}
"""Commands about this machine, which have no records to print."""


def test_the_examples_stand_in_the_help(run: Run) -> None:
    for name, each in twin_commands().items():
        said = run(*name.split(), "--help").out
        assert all(f"flagtui {example}\n" in said for example in each.examples), name
    assert sys.argv[0] == "flagtui"
