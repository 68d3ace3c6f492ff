"""The program as people install it, and the two packages that other programs import."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.doubles.slices import long

from flagtui.api import Client, errors
from flagtui.models import EventDefinition, Experiment, Flag

ROOT = Path(__file__).parents[1]
START = """
import asyncio
from pathlib import Path
import flagtui
from flagtui.app.shell.themes import STYLES
from flagtui.app.app import FlagTui
from flagtui.app.state.app_state import Session
from flagtui.api.errors import BadKey
from flagtui.changes.guard import GuardRules

async def connect():
    raise BadKey("no key")

async def main():
    app = FlagTui(Session("p", "h", "B", "primary", GuardRules(), connect, Path("j"), Path("s"), refresh=0))
    async with app.run_test() as pilot:
        await pilot.pause()
        print("AT", Path(flagtui.__file__).parent)
        print("STYLES", STYLES)
        print("ROWS", str(app.screen.query_one("RowList").styles.background.hex))

asyncio.run(main())
"""


def run(*command: str, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(*kinds: str, out: Path, source: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out), ".", cwd=source)


def start_installed(wheel: Path, folder: Path) -> dict[str, str]:
    """Unpack the wheel alone into a folder, this environment's dependencies behind it, and start it."""
    target = folder / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    output = run(sys.executable, "-c", START, cwd=folder, PYTHONPATH=str(target))
    return dict(line.split(" ", 1) for line in output.splitlines())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build("--wheel", out=out, source=ROOT)
    return next(out.glob("*.whl"))


def test_a_wheel_brings_its_styles_and_starts(wheel: Path, tmp_path: Path) -> None:
    output = start_installed(wheel, tmp_path)
    assert output["AT"] == str(tmp_path / "installed" / "flagtui")
    assert output["STYLES"] == str(tmp_path / "installed" / "flagtui" / "styles")
    assert output["ROWS"] != "#00000000"


@long
def test_a_wheel_made_from_the_sdist_starts_too(tmp_path: Path) -> None:
    build("--sdist", out=tmp_path, source=ROOT)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    source = next(path for path in tmp_path.iterdir() if path.is_dir())
    build("--wheel", out=tmp_path, source=source)
    output = start_installed(next(tmp_path.glob("*.whl")), tmp_path)
    assert output["STYLES"] == str(tmp_path / "installed" / "flagtui" / "styles")


def test_a_plain_checkout_starts_without_being_installed(tmp_path: Path) -> None:
    output = run(sys.executable, "-c", START, cwd=tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert f"STYLES {ROOT / 'styles'}" in output


def test_the_wheel_holds_nothing_but_the_package_and_its_styles(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top.rpartition(".")[2] for top in tops} <= {"flagtui", "dist-info", "data"}
    beside = [name for name in names if ".data/" in name]
    pages = sorted(f"share/man/man1/{page.name}" for page in (ROOT / "docs" / "man").iterdir())
    assert sorted(name.partition("/data/")[2] for name in beside) == pages
    assert "flagtui/styles/app.tcss" in names
    assert "flagtui/py.typed" in names
    assert [name for name in names if name.endswith("schema.sql") or "migrations/" in name]


def test_records_and_the_client_are_imported_by_their_names() -> None:
    assert Flag.of({"id": 1, "key": "one"}).key == "one"
    assert Experiment.of({"id": 2, "name": "Two"}).name == "Two"
    assert EventDefinition.of({"id": "3", "name": "three"}).name == "three"
    assert issubclass(errors.Conflict, errors.ApiError)
    assert callable(Client)
