"""Proves docs/architecture.md: what imports what, where each library is used, how long a file may be."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.doubles.source_trees import find_functions, find_nodes, name_last

from flagtui.app.shell.preload import LAYERS, REST, every_module

pytestmark = pytest.mark.source

SOURCE = Path(__file__).parents[1] / "src" / "flagtui"
FILES = sorted(SOURCE.rglob("*.py"))

EVERYWHERE = ("safe_text", "local_time", "private_folders", "watched")
"""Single modules that every room of the client may use."""

MAY_IMPORT: dict[str, set[str]] = {
    "models": {"evaluate", *EVERYWHERE},
    "api": {"models", "evaluate", *EVERYWHERE, "__init__"},
    "store": {"models", "api", *EVERYWHERE},
    "evaluate": set(),
    "config": {"store", *EVERYWHERE, "__init__"},
    "changes": {"models", "api", "store", "config", "evaluate", *EVERYWHERE},
    "details": {"models", "api", "store", "changes", "evaluate", *EVERYWHERE},
    "code": {"models", "config", "evaluate", *EVERYWHERE, "__init__"},
    "text": {"models", "api", "store", "changes", "details", "config", "evaluate", *EVERYWHERE},
    "app": {
        *("models", "api", "store", "changes", "details", "text", "config", "evaluate"),
        *EVERYWHERE,
        "__init__",
    },
    "cli": {
        *("models", "api", "store", "changes", "details", "text", "code", "config", "app", "service"),
        *("evaluate", "mirror"),
        *EVERYWHERE,
        "__init__",
    },
    "service": {"evaluate", "__init__"},
    "mirror": {"models", "api", "text", "config", "evaluate", "service", *EVERYWHERE},
    "testing": {"mirror", "models", "service"},
    "safe_text": set(),
    "local_time": set(),
    "private_folders": set(),
    "watched": set(),
    "__init__": set(),
    "__main__": {"cli"},
}
"""Each room and the other rooms it may import from; `__init__` is the package itself, for its version."""

HOMES: dict[str, tuple[str, ...]] = {
    "textual": ("app",),
    "rich": ("app",),
    "httpx": ("api/http_library",),
    "keyring": ("config/credentials",),
    "sqlite3": ("service", "store/snapshots"),
    "starlette": ("service",),
    "uvicorn": ("service",),
    "cryptography": ("service",),
    "click": ("cli",),
    "ast_grep_py": ("code/syntax",),
    "tomlkit": ("config",),
    "tomllib": ("config", "service"),
    "platformdirs": ("config",),
}


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    for node in find_nodes(path, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    for origin in find_nodes(path, ast.ImportFrom):
        if origin.module == "flagtui":
            yield from ((origin.lineno, f"flagtui.{alias.name}") for alias in origin.names)
        elif origin.module:
            yield origin.lineno, origin.module


def place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_rooms_import_only_downwards() -> None:
    wrong = []
    for path in FILES:
        room = room_of(path)
        assert room in MAY_IMPORT, f"{place(path)} is in a room the map does not know"
        for line, module in imports_of(path):
            if module.split(".")[0] != "flagtui":
                continue
            parts = module.split(".")
            other = parts[1] if len(parts) > 1 and not parts[1].startswith("__version__") else "__init__"
            if other not in (room, *MAY_IMPORT[room]):
                wrong.append(f"{place(path)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_command_line_imports_the_app_only_to_launch_it() -> None:
    wrong = [
        f"{place(path)}:{line} imports {module}"
        for path in FILES
        if room_of(path) == "cli" and not place(path).startswith("cli/launch/")
        for line, module in imports_of(path)
        if module.startswith("flagtui.app")
    ]
    assert not wrong, "\n".join(wrong)


def test_every_library_has_one_home() -> None:
    wrong = []
    for path in FILES:
        for line, module in imports_of(path):
            homes = HOMES.get(module.split(".")[0])
            if homes and not any(place(path).startswith(home) for home in homes):
                wrong.append(f"{place(path)}:{line} imports {module}, whose home is {' or '.join(homes)}")
    assert not wrong, "\n".join(wrong)


def test_files_and_functions_stay_small() -> None:
    wrong = []
    for path in [*FILES, *sorted(Path(__file__).parent.rglob("*.py"))]:
        text, name = path.read_text(), path.relative_to(SOURCE.parents[1]).as_posix()
        # A whole kind of record is in one file, to show what it takes.
        if text.count("\n") > (400 if path.stem == "kettles" else 300):
            wrong.append(f"{name} has {text.count(chr(10))} lines")
        for node in find_functions(path):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > 60:
                wrong.append(f"{name}:{node.lineno} {node.name} has {length} lines")
    assert not wrong, "\n".join(wrong)


def test_nothing_catches_everything_but_the_outermost_places() -> None:
    catching = [
        place(path)
        for path in FILES
        for caught in (
            *map(caught_by, find_nodes(path, ast.ExceptHandler)),
            *map(caught_by, find_nodes(path, ast.Call)),
        )
        if "everything" in caught
    ]
    assert catching == ["cli/main.py", "service/dispatch.py"]


def caught_by(node: ast.ExceptHandler | ast.Call) -> Iterator[str]:
    """What an `except` or a `suppress` catches; Exception and all above it are everything."""
    caught: list[ast.expr | None] = []
    if isinstance(node, ast.ExceptHandler):
        caught = [*node.type.elts] if isinstance(node.type, ast.Tuple) else [node.type]
    elif name_last(node.func) == "suppress":
        caught = [*node.args]
    for each in caught:
        name = "BaseException" if each is None else ast.unparse(each)
        yield "everything" if name in ("Exception", "BaseException") else name


CONVERSIONS = {
    *("fromtimestamp", "utcfromtimestamp", "now", "utcnow", "today", "astimezone", "localtime"),
    "gmtime",
}
"""Calls that need to know a zone, or that forget one."""


def test_moments_become_times_of_a_zone_in_one_module() -> None:
    wrong = []
    for path in FILES:
        if room_of(path) in ("local_time", "service", "evaluate"):
            continue
        for node in find_nodes(path, ast.Call):
            name = name_last(node.func)
            gives_zone = name == "replace" and any(word.arg == "tzinfo" for word in node.keywords)
            if name not in CONVERSIONS | {"datetime"} and not gives_zone:
                continue
            # The app's own `now` is seconds, as a clock gives them.
            if not (words := ast.unparse(node.func)).endswith("session.now"):
                wrong.append(f"{place(path)}:{node.lineno} {words}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("calls", "home"), [("Input MaskedInput", ""), ("notify Notify Notification", "app/shell/toasts.py")]
)
def test_fields_are_ours_and_toasts_come_from_one_place(calls: str, home: str) -> None:
    wrong = [
        f"{place(path)}:{node.lineno}"
        for path in FILES
        if room_of(path) == "app" and place(path) != home
        for node in find_nodes(path, ast.Call)
        if name_last(node.func) in calls.split()
    ]
    assert not wrong, "\n".join(wrong)


def modules_after(program: str) -> set[str]:
    """Return what is loaded when the program has ended well, in a process of its own."""
    command = [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {*done.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("line", [
    *("--version", "--help", "flags --help", "experiments --help", "events --help"),
    *("keys --help", "auth --help"),
])  # fmt: skip
def test_the_cheap_commands_load_nothing_heavy(line: str) -> None:
    """The help of a group is made from its table, without loading a command of it."""
    heavy = {"textual", "httpx", "httpx2", "pydantic", "keyring", "msgspec", "starlette", "rich", "asyncio"}
    loaded = modules_after(
        f"sys.argv = ['flagtui', *{line.split()!r}]\n"
        "from flagtui.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
    )
    assert "flagtui.cli" in loaded
    assert not loaded & {*heavy, "flagtui.cli.plumbing.record_command"}


@pytest.mark.parametrize(("modules", "heavy"), [
    pytest.param(
        "flagtui.app.widgets.row_list flagtui.store.collection flagtui.store.finder",
        "httpx httpx2 keyring pydantic",
        id="a list and its search: records take as much memory as ten thousand rows",
    ),
    pytest.param("flagtui.api flagtui.models", "httpx pydantic msgspec textual", id="the two packages"),
    pytest.param("flagtui.api.errors", "httpx pydantic msgspec", id="what matches an error"),
    pytest.param("flagtui.service", "cryptography uvicorn", id="the service, before it listens"),
])  # fmt: skip
def test_modules_load_nothing_heavy_before_it_is_used(modules: str, heavy: str) -> None:
    loaded = modules_after("\n".join(f"import {name}" for name in modules.split()))
    assert {*modules.split()} <= loaded
    assert not {*heavy.split()} & loaded


@pytest.fixture(scope="session")
def loaded_for_the_first_rows() -> frozenset[str]:
    """What the app has loaded when rows of an earlier run stand on its screen, and nothing else does."""
    program = Path(__file__).parent / "doubles" / "rows_from_disk.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    return frozenset(done.stdout.split())


def test_first_rows_need_no_server_and_no_record_models(loaded_for_the_first_rows: frozenset[str]) -> None:
    heavy = {"httpx", "httpx2", "keyring", "tomlkit", "pydantic", "markdown_it", "sqlite3", "starlette"}
    rooms = {
        "flagtui.evaluate",
        "flagtui.service",
        "flagtui.models.record",
        "flagtui.changes.flags.flag_plan",
    }
    assert "flagtui.app.flags.flag_list" in loaded_for_the_first_rows
    assert not (heavy | rooms) & loaded_for_the_first_rows


def test_modules_for_later_are_not_loaded_before_the_first_rows(
    loaded_for_the_first_rows: frozenset[str],
) -> None:
    assert all(find_spec(name) for name in (*REST, *every_module()))
    assert {"app", *MAY_IMPORT["app"]} - {*EVERYWHERE, "__init__"} == set(LAYERS)
    assert not set(REST) & loaded_for_the_first_rows


def test_the_first_rows_need_few_modules(loaded_for_the_first_rows: frozenset[str]) -> None:
    """Each takes about a millisecond: a list, its search, its keys and the terminal are 95 of over 400."""
    ours = {name for name in loaded_for_the_first_rows if name.startswith("flagtui")}
    assert len(ours) <= 95
