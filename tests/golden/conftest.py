"""Golden screens start from the same sample as the journeys."""

import os
from pathlib import Path

import pytest
from tests.doubles.whole_program import WIDE, Setting, make_template

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("sample") / "template.db", one_in=16)


@pytest.fixture(scope="session")
def nasty_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("nasty") / "template.db", nasty=True, one_in=16)


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


class Golden:
    """Compares a screen with the text kept beside this file; FLAGTUI_GOLDEN=write keeps what is drawn now."""

    def check(self, name: str, drawn: str) -> None:
        path = HERE / f"{name}.txt"
        if os.environ.get("FLAGTUI_GOLDEN") == "write":
            path.write_text(drawn, encoding="utf-8")
        assert drawn == path.read_text(encoding="utf-8"), f"{name} is drawn differently; see {path.name}"


@pytest.fixture
def golden() -> Golden:
    return Golden()
