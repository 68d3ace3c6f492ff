"""Wheel and sdist in an empty environment, with everything they need fetched: `make check-install`."""

import sys
import time
from pathlib import Path

import pytest
from tests.test_packaging import ROOT, build, run

pytestmark = pytest.mark.packaging
SECONDS = 60.0
"""What a person waits for at most, from the archive to the first answer."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build(out=out, source=ROOT)
    return out


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_two_commands_from_an_archive_to_a_program(built: Path, kind: str, tmp_path: Path) -> None:
    def run_at_home(*command: str) -> str:
        return run(*command, cwd=tmp_path, HOME=str(tmp_path))

    begun = time.monotonic()
    run_at_home(sys.executable, "-m", "venv", "env")
    run_at_home("env/bin/python", "-m", "pip", "install", "--quiet", str(next(built.glob(kind))))
    taken = time.monotonic() - begun
    assert run_at_home("env/bin/flagtui", "--version").startswith("flagtui ")
    assert "embedded service" in run_at_home("env/bin/flagtui", "serve", "--help")
    assert taken <= SECONDS
    assert not list((tmp_path / "env").rglob("pytest")), "test tools are not for people who use the program"
