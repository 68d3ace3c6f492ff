"""What every journey starts from."""

import os
from pathlib import Path

import pytest
from tests.doubles.whole_program import Setting, make_template


@pytest.fixture(scope="session")
def few_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("few") / "template.db", one_in=16)


@pytest.fixture(scope="session")
def everybody(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For stories about certain people, or about how many there are."""
    return make_template(tmp_path_factory.mktemp("all") / "template.db")


@pytest.fixture
def template(few_people: Path) -> Path:
    return few_people


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the stories told again on other kinds of server; `make check-modes` tells them all."""
    if os.environ.get("FLAGTUI_ALL_MODES"):
        return
    here = Path(__file__).parent
    again = [item for item in items if item.path.is_relative_to(here) and _is_told_again(item)]
    config.hook.pytest_deselected(items=again)
    left_out = set(again)
    items[:] = [item for item in items if item not in left_out]


def _is_told_again(item: pytest.Item) -> bool:
    _, _, chosen = item.name.partition("[")
    return bool({"strict", "legacy", "legacy+strict", "unlicensed"} & set(chosen.rstrip("]").split("-")))
