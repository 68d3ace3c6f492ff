"""Screens, their results and their subscriptions use one mechanism, checked in the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_nodes, walk

pytestmark = pytest.mark.source
SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"
STACK: Final = {"app/shell/screen_owner.py", "app/widgets/screen_lifecycle.py"}
"""Where the stack of screens is handled, and how long screens live."""
OF_STACK: Final = {"pop_screen", "switch_screen", "install_screen", "uninstall_screen", "_screen_stack"}
"""What changes the stack without asking whether it may."""
TABS: Final = {"app/tabs.py": {"switch_screen", "install_screen", "uninstall_screen"}}
"""The lists below everything, which the tabs change."""
BARE_BASES: Final = {"Screen", "ModalScreen", "OptionList", "CommandPalette"}
"""Textual's own, of which this app has better ones."""


def app_files() -> Iterator[tuple[str, Path]]:
    for path in sorted((SOURCE / "app").rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path


def test_screens_are_pushed_and_closed_by_their_owner_alone() -> None:
    assert [
        f"{name}:{node.lineno} {node.attr}"
        for name, path in app_files()
        for node in find_nodes(path, ast.Attribute)
        if node.attr in OF_STACK - TABS.get(name, set()) and name not in STACK
    ] == []


def test_every_screen_lives_as_the_mechanism_says() -> None:
    modules = "widgets/screen_lifecycle.py", "widgets/dialog.py", "dialogs/picker.py", "dialogs/palette.py"
    base_modules = {f"app/{name}" for name in modules}
    assert [
        f"{name}:{node.lineno} {node.name}"
        for name, path in app_files()
        for node in find_nodes(path, ast.ClassDef)
        if BARE_BASES & {ast.unparse(base).partition("[")[0] for base in node.bases}
        and name not in base_modules
    ] == []


def test_screens_hear_of_changes_through_the_mechanism() -> None:
    """A screen that watches by itself is told things after its end."""
    assert [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, path in app_files()
        if re.search(r"_(screen|list|pane|tab)\.py$|/(found|loaded_list|series)\.py$", name)
        for node in find_nodes(path, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "watch"
    ] == []


def test_no_handler_searches_the_screen_after_a_long_wait() -> None:
    """Workers of a screen end with it; a task of the app needs `while_living`."""
    wrong = []
    for name, path in app_files():
        text = path.read_text(encoding="utf-8")
        for node in find_nodes(path, ast.AsyncFunctionDef):
            is_worker = any("work" in ast.unparse(mark) for mark in node.decorator_list)
            waits = [each.lineno for each in walk(node) if isinstance(each, ast.Await | ast.AsyncFor)]
            looks = [
                each.lineno
                for each in walk(node)
                if isinstance(each, ast.Attribute) and each.attr in ("query_one", "show_change")
            ]
            is_guarded = is_worker or f"while_living(self.{node.name}(" in text
            if waits and looks and max(looks) > min(waits) and not is_guarded:
                wrong.append(f"{name}:{node.lineno} {node.name}")
    assert not wrong, "\n".join(wrong)
