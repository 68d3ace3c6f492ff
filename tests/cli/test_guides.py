"""Every command of the guides runs as it is written there, in a shell, one after the other."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Service, server_variables, serving
from tests.cli.processes import run_apart, run_shell
from tests.doubles.slices import long

from flagtui.code.code_findings import RULES
from flagtui.code.path_patterns import SETTINGS_FILE
from flagtui.code.repository_settings import RepositorySettings, read_repository_settings

ROOT = Path(__file__).parents[2]
GUIDES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(?:sh)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = (
    re.compile(r"flagtui (demo|auth|serve|doctor|mirror)\b"),
    re.compile(r"FLAGTUI_\w+=\S+ .*flagtui$"),
    # A summary of options is no command.
    re.compile(r".* \[.*\]"),
)
"""Commands that ask questions, stay, or open the screen: other tests run them."""
ENDS_WELL = {0}


def commands(guide: Path) -> Iterator[str]:
    for block in BLOCK.findall(guide.read_text(encoding="utf-8")):
        for line in block.splitlines():
            command = re.sub(r"\s+#.*", "", line)
            is_here = re.match(r"(FLAGTUI_\w+=\S+ )*flagtui\b", command)
            if is_here and not any(pattern.match(command) for pattern in ELSEWHERE):
                yield command


def needs_shell(command: str) -> bool:
    """Whether a line has more in it than the program, its words and quotes."""
    words = shlex.shlex(command, punctuation_chars=True)
    words.whitespace_split = True
    has_signs = any(set(word) <= set("();<>|&") for word in words)
    return has_signs or not command.startswith("flagtui ") or bool(set("$`*?~\\") & set(command))


GUIDED = [(guide.name, [*commands(guide)]) for guide in GUIDES if [*commands(guide)]]


def test_the_guides_with_commands_are_among_them() -> None:
    assert {"on-call.md", "flags.md", "command-line.md", "experiments.md", "events.md"} <= {
        name for name, _ in GUIDED
    }
    assert sum(len(commands) for _, commands in GUIDED) >= 15


@pytest.fixture
def unmodified(small_sample: Path, tmp_path: Path) -> Iterator[Service]:
    """The sample as it is filled, for each guide."""
    database = tmp_path / "service.db"
    shutil.copy(small_sample, database)
    with serving(database) as service:
        yield service


@long
@pytest.mark.parametrize(("name", "commands"), GUIDED, ids=[name for name, _ in GUIDED])
def test_the_commands_of_a_guide_run_one_after_the_other(
    name: str, commands: list[str], unmodified: Service, tmp_path: Path
) -> None:
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("FLAGTUI", "XDG"))},
        "HOME": str(tmp_path),
        **server_variables(unmodified.address),
        "PYTHONPATH": ":".join(path for path in sys.path if path),
    }
    for command in commands:
        if needs_shell(command):
            script = f'flagtui() {{ {shlex.quote(sys.executable)} -m flagtui "$@"; }}; {command}'
            done = run_shell(script, environment, tmp_path)
        else:
            done = run_apart(*shlex.split(command)[1:], variables=environment, folder=tmp_path)
        assert done.code in ENDS_WELL, f"{name}: {command}: {done.err}"
        assert "Traceback" not in done.err


CODE_GUIDE = (ROOT / "docs" / "code.md").read_text(encoding="utf-8")
BUILDS = re.findall(r"^```yaml\n(.*?)^```", CODE_GUIDE, re.MULTILINE | re.DOTALL)


def commands_of(build: str) -> list[str]:
    """Return what a build runs of this program."""
    return re.findall(r"^\s*- (?:run: )?flagtui (.*)$", build, re.MULTILINE)


def test_guide_names_every_setting_rule_and_build(tmp_path: Path) -> None:
    example = re.search(r"^```\.flagtui\.toml\n(.*?)^```", CODE_GUIDE, re.MULTILINE | re.DOTALL)
    assert example is not None
    (tmp_path / SETTINGS_FILE).write_text(example[1])
    settings = read_repository_settings(tmp_path)
    assert all(getattr(settings, name) for name in RepositorySettings.__struct_fields__)
    assert {name for name in RULES if f"`{name}`" not in CODE_GUIDE} == set()
    assert [len(commands_of(build)) for build in BUILDS] == [1, 1]


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
    (command,) = commands_of(build)
    done = online(*command.partition(" > ")[0].split())
    assert done.code == code
    assert ("never-there" in done.out) == (code == 7)
