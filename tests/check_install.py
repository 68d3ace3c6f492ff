"""Wheel and sdist in an empty environment, with everything they need fetched: `make check-install`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging
ROOT = Path(__file__).parents[1]
SECONDS = 60.0
"""What a person waits for at most, from the archive to the first answer."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), "."], ROOT)
    return out


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_two_commands_from_an_archive_to_a_program(built: Path, kind: str, tmp_path: Path) -> None:
    archive = next(built.glob(kind))
    begun = time.monotonic()
    run([sys.executable, "-m", "venv", "env"], tmp_path)
    run(["env/bin/python", "-m", "pip", "install", "--quiet", str(archive)], tmp_path)
    taken = time.monotonic() - begun
    assert run(["env/bin/flagtui", "--version"], tmp_path).startswith("flagtui ")
    assert "embedded service" in run(["env/bin/flagtui", "serve", "--help"], tmp_path)
    assert taken <= SECONDS
    assert not list((tmp_path / "env").rglob("pytest")), "test tools are not for people who use the program"


def run(command: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"HOME": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
