"""The guide about code: its settings are read, and its examples for build servers run as they are written."""

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from flagtui.code.code_findings import RULES
from flagtui.code.path_patterns import SETTINGS_FILE
from flagtui.code.repository_settings import RepositorySettings, read_repository_settings

GUIDE = (Path(__file__).parents[2] / "docs" / "code.md").read_text(encoding="utf-8")
BUILDS = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def commands(build: str) -> list[str]:
    """Return what a build runs of this program."""
    return re.findall(r"^\s*- (?:run: )?flagtui (.*)$", build, re.MULTILINE)


def test_guide_names_every_setting_rule_and_build(tmp_path: Path) -> None:
    example = re.search(r"^```\.flagtui\.toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert example is not None
    (tmp_path / SETTINGS_FILE).write_text(example[1])
    settings = read_repository_settings(tmp_path)
    assert all(getattr(settings, name) for name in RepositorySettings.__dataclass_fields__)
    assert {name for name in RULES if f"`{name}`" not in GUIDE} == set()
    assert [len(commands(build)) for build in BUILDS] == [1, 1]


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, online: Run) -> Run:
    folder = tmp_path / "code"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return online


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("key", "code"), [("new-nav", 0), ("never-there", 7)])
def test_builds_of_the_guide_pass_and_fail(build: str, key: str, code: int, online: Run) -> None:
    Path("app.ts").write_text(f'posthog.isFeatureEnabled("{key}")\n')
    (command,) = commands(build)
    done = online(*command.partition(" > ")[0].split())
    assert done.code == code
    assert ("never-there" in done.out) == (code == 7)
