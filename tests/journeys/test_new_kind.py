"""A kind of record is declared once: a made-up one is seen, changed, undone, recalled and called."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.slices import long
from tests.doubles.source_trees import find_nodes

TESTS: Final = Path(__file__).parents[1]
SOURCE: Final = TESTS.parent / "src" / "flagtui"
SCREENS: Final = 12
"""Lines of the tour that are no output of commands."""
NAMES: Final = (
    frozenset({"flags", "experiments", "events"}),
    frozenset({"flag", "experiment", "event", "event_definition"}),
    frozenset({"feature_flag", "experiment", "event_definition"}),
)
ELSEWHERE: Final = {
    "app/app.py": "style sheets",
    "cli/main.py": "the order of commands in the help",
    "changes/experiments/step_plan.py": "what an experiment is copied with",
    "changes/flags/flag_intent.py": "why a flag is changed",
    "code/sdk_functions.py": "what a call of a library names",
    "models/__init__.py": "modules",
    "models/activity_rows.py": "scopes of the activity log",
    "store/activity_listing.py": "whose change an entry is, in words of the search line",
}
"""By file: what it lists that is not the kinds."""


MOST: Final = 400
"""Lines that a kind with a list, a page, one change and three commands may take, its one line of the registry
included."""


@long
def test_kettles_need_no_change_of_what_they_have_in_common(template: Path, tmp_path: Path) -> None:
    assert len((TESTS / "doubles" / "kettles.py").read_text(encoding="utf-8").splitlines()) <= MOST
    done = subprocess.run(
        [sys.executable, "-m", "tests.doubles.kettle_tour", template, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=TESTS.parent,
    )
    assert done.returncode == 0, done.stderr
    screens, commands = done.stdout.splitlines()[:SCREENS], " ".join(done.stdout.split())
    listed, filtered, page, flags, lookup, choice, question, saved, journal, undo, undone, copies = screens
    assert "0 Kettles 3 4 Activity" in listed
    assert "billy red samovar blue whistler red" in listed
    assert "is:blue state blue 1/1 of 3 KETTLE ↑ COLOUR samovar blue" in filtered
    assert "Overview the kettle billy is red" in page
    assert "KEY ROLLOUT" in flags
    assert "billy red samovar blue whistler red" in lookup
    assert "Colour type to narrow red ● blue green" in choice
    assert "Paint in TEST samovar colour: blue → green" in question
    assert "samovar green whistler red samovar is painted · u to undo" in saved
    assert "now samovar paint saved test samovar is painted" in journal
    assert "Undo: paint samovar as before in TEST samovar colour: green → blue" in undo
    assert "samovar blue whistler red undone: samovar is painted · U redoes it" in undone
    assert copies == "copies: 1"
    assert '"schema": "kettle", "fields": [ "name", "colour" ]' in commands
    assert '{ "key": "samovar", "verb": "paint", "ending": "saved" }' in commands
    assert '{ "name": "samovar", "colour": "blue" }, { "name": "billy", "colour": "red" }' in commands
    assert commands.endswith("{'kettles': ('name',)}")


@pytest.mark.source
def test_the_kinds_are_listed_in_one_place() -> None:
    listing = {path.relative_to(SOURCE).as_posix() for path in files() if lists_kinds(path)}
    assert listing - ELSEWHERE.keys() == {"store/kinds.py"}


def files() -> Iterator[Path]:
    """The modules of the client."""
    return (path for path in SOURCE.rglob("*.py") if "service" not in path.relative_to(SOURCE).parts)


def lists_kinds(path: Path) -> bool:
    """Whether one display, or one match, has the names of two kinds."""
    source = path.read_text(encoding="utf-8")
    if not any(sum(f'"{name}"' in source for name in names) > 1 for names in NAMES):
        return False
    return any(len(words & names) > 1 for words in displays(path) for names in NAMES)


def displays(path: Path) -> Iterator[set[str]]:
    rows: list[ast.Tuple | ast.List | ast.Set] = [
        *find_nodes(path, ast.Tuple),
        *find_nodes(path, ast.List),
        *find_nodes(path, ast.Set),
    ]
    yield from (constants(row.elts) for row in rows)
    for table in find_nodes(path, ast.Dict):
        yield constants([*table.keys, *table.values])
    for choice in find_nodes(path, ast.Match):
        patterns = [part for case in choice.cases for part in ast.walk(case.pattern)]
        yield constants([part.value for part in patterns if isinstance(part, ast.MatchValue)])


def constants(nodes: Sequence[ast.expr | None]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
