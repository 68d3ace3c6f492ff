"""`make test-changed` selects what a change can reach, and everything when it cannot know."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.changed import find_mark, list_changes, load_base, mark_green, run_git, select_tests

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to make a checkout with")

CHECKOUT: Mapping[str, str] = {
    "src/flagtui/__init__.py": "",
    "src/flagtui/__main__.py": "import flagtui.commands",
    "src/flagtui/commands.py": "from importlib import import_module\nLOAD, NAMES = import_module, ['due']",
    "src/flagtui/due.py": "from flagtui import dates",
    "src/flagtui/dates.py": "",
    "src/flagtui/ages.py": "",
    "tests/conftest.py": "",
    "tests/test_dates.py": "def test_days():\n    from flagtui import dates",
    "tests/test_process.py": "COMMAND = ['flagtui', 'due']",
    "tests/test_program.py": "SOURCE = 'import flagtui.ages'",
    "tests/test_guides.py": "GUIDE = 'guide.md'",
    "benchmarks/start.py": "",
    "tests/test_kills.py": "SCRIPT = 'benchmarks/start.py'",
    "tests/test_house.py": "FILES = ROOT.rglob('*.py')",
    "tests/ages/conftest.py": "from flagtui import ages",
    "tests/ages/test_years.py": "def test_years(): ...",
    "tests/other/test_words.py": "",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in CHECKOUT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run_git(tmp_path, "init", "--quiet")
    commit_all(tmp_path)
    return tmp_path


def commit_all(checkout: Path) -> None:
    run_git(checkout, "add", "--all")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    run_git(checkout, *identity, "commit", "--quiet", "--message", "a change")


@pytest.mark.parametrize(("changed", "tests"), [
    ("src/flagtui/dates.py", ["tests/test_dates.py", "tests/test_house.py", "tests/test_process.py"]),
    ("src/flagtui/due.py", ["tests/test_house.py", "tests/test_process.py"]),
    ("src/flagtui/ages.py", ["tests/ages/test_years.py", "tests/test_house.py", "tests/test_program.py"]),
    ("tests/ages/conftest.py", ["tests/ages/test_years.py", "tests/test_house.py"]),
    ("tests/other/test_words.py", ["tests/other/test_words.py", "tests/test_house.py"]),
    ("docs/guide.md", ["tests/test_guides.py"]),
    ("benchmarks/start.py", ["tests/test_house.py", "tests/test_kills.py"]),
])  # fmt: skip
def test_change_selects_the_tests_that_reach_it(checkout: Path, changed: str, tests: list[str]) -> None:
    assert select_tests([changed], checkout) == tests


@pytest.mark.parametrize(
    "changed",
    ["styles/app.tcss", "pyproject.toml", "constraints.txt", "docs/schemas/flag.json", "src/flagtui/gone.py"],
)
def test_change_of_data_or_deleted_module_selects_everything(checkout: Path, changed: str) -> None:
    assert select_tests([changed, "src/flagtui/due.py"], checkout) is None


def test_root_conftest_reaches_every_test(checkout: Path) -> None:
    tests = sorted(name for name in CHECKOUT if "/test_" in name)
    assert select_tests(["tests/conftest.py"], checkout) == tests


def test_changes_since_green_commit_are_listed(checkout: Path) -> None:
    assert load_base(checkout) is None
    mark_green(checkout)
    base = load_base(checkout)
    assert base is not None
    assert list_changes(base, checkout) == set()
    (checkout / "src/flagtui/due.py").write_text("", encoding="utf-8")
    (checkout / "new.py").write_text("", encoding="utf-8")
    commit_all(checkout)
    (checkout / "later.py").write_text("", encoding="utf-8")
    assert list_changes(base, checkout) == {"src/flagtui/due.py", "new.py", "later.py"}


def test_uncommitted_changes_are_never_marked_green(checkout: Path) -> None:
    (checkout / "new.py").write_text("", encoding="utf-8")
    mark_green(checkout)
    assert load_base(checkout) is None


def test_unknown_commit_is_no_base(checkout: Path) -> None:
    find_mark(checkout).write_text("0" * 40, encoding="utf-8")
    assert load_base(checkout) is None


def test_archive_without_git_has_no_base(checkout: Path) -> None:
    mark_green(checkout)
    (checkout / ".git").rename(checkout / "elsewhere")
    mark_green(checkout)
    assert load_base(checkout) is None
