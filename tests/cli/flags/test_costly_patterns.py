"""Commands with fifty expensive patterns end soon and report unknown values."""

import asyncio
import json
from collections.abc import Iterator
from time import process_time

import pytest
from tests.cli.conftest import KEY, Done, Run, reachable
from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive

from flagtui.service import close_service, create_service

COSTLY = next(number for number, each in enumerate(EXPENSIVE) if each.pattern == "(a|aa)+$")
WORDS = "too costly to evaluate here: (a|aa)+$"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    application = create_service(tmp_path_factory.mktemp("costly") / "service.db", key=KEY)
    asyncio.run(store_expensive(application, KEY))
    with reachable(application) as url:
        yield url
    close_service(application)


@pytest.fixture
def timed(run: Run, address: str) -> Run:
    """Runs one command, which must end within a second: of the processor, since other programs run too."""
    done = run("auth", "login", "--with-token", "--host", address, "--keep", "file", stdin=KEY + "\n")
    assert done.code == 0, done.err

    def run_timed(*words: str, **more: bool) -> Done:
        start = process_time()
        done = run(*words, **more)
        assert process_time() - start < 1, words
        assert done.code == 0, done.err
        return done

    run_timed("flags", "list")
    return run_timed


def test_fifty_expensive_flags_are_right_or_named_as_costly(timed: Run) -> None:
    lines = timed("flags", "evaluate", "--for", "ada", "--ndjson").out.splitlines()
    records = {record["key"]: record for record in map(json.loads, lines)}
    for number, expensive in enumerate(EXPENSIVE):
        record = records[f"costly-{number}"]
        assert record["value"] in (None, expensive.is_match)
        assert (record["value"] is None) == ("too costly to evaluate here" in record["explanation"])
    for person in ("ada", f"eve p{COSTLY}={'a' * 80}!"):
        explained = timed("flags", "explain", f"costly-{COSTLY}", "--for", person, is_shown=True).out
        assert WORDS in " ".join(explained.split())
        shown = timed("flags", "evaluate", f"costly-{COSTLY}", "--for", person, "--json").out
        (record,) = json.loads(shown)["records"]
        assert (record["value"], record["explanation"]) == (None, WORDS)
