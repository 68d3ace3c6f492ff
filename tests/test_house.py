"""Where a stranger looks: floors inside the app, circles, names, and nothing that nobody calls."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.import_graph import find_imports, find_modules
from tests.doubles.source_trees import find_functions, find_nodes, name_last

pytestmark = pytest.mark.source

SOURCE: Final = Path(__file__).parents[1] / "src" / "flagtui"
STYLES: Final = Path(__file__).parents[1] / "styles"
KINDS: Final = ("flags", "experiments", "events", "activity", "journal")
FLOORS: Final = (
    *("widgets", "terminal", "commands", "state", "dialogs", "shell", "writing", "forms", "lists"),
    *("records", "kinds"),
)
"""Folders of the app from the ground up: each may import from itself and from those before it."""


FILES: Final = find_modules(SOURCE, SOURCE.parent)


WITHOUT_MSGSPEC: Final = frozenset(
    f"flagtui.{name}"
    for name in ("api.errors", "cli.plumbing.errors", "cli.plumbing.output.lines", "config.locations")
)
"""Modules of help, completion and errors of the command line, which load nothing that takes long."""


def imports_of(name: str) -> frozenset[str]:
    return find_imports(name, FILES)


def folder_of(name: str) -> str:
    """The folder of the app that a module is in; empty for what is loose in it."""
    parts = name.split(".")
    return parts[2] if len(parts) > 3 else ""


def test_floors_of_the_app_import_only_downwards() -> None:
    wrong = []
    for name in (file for file in FILES if file.startswith("flagtui.app.") and folder_of(file)):
        here = folder_of(name)
        for other in (file for file in imports_of(name) if file.startswith("flagtui.app.")):
            other_folder = folder_of(other) or other.split(".")[2]
            if other_folder == here:
                continue
            if here in KINDS and other_folder in KINDS:
                wrong.append(f"{name} imports another kind: {other}")
            elif other_folder not in (*FLOORS, *KINDS) or floor(other_folder) > floor(here):
                wrong.append(f"{name} imports upwards: {other}")
    assert not wrong, "\n".join(wrong)


def floor(folder: str) -> int:
    return FLOORS.index("kinds" if folder in KINDS else folder)


def test_there_are_no_circles_of_imports() -> None:
    graph = {name: imports_of(name) - {name.rpartition(".")[0]} for name in FILES}
    waiting = {name: set(names) for name, names in graph.items()}
    while free := {name for name, names in waiting.items() if not names & waiting.keys()}:
        waiting = {name: names for name, names in waiting.items() if name not in free}
    in_circles = {name for name in waiting if any(name in waiting[other] for other in waiting)}
    assert not in_circles, sorted(in_circles)


def test_folders_are_neither_empty_nor_crowded() -> None:
    counted = Counter(path.parent for path in FILES.values() if path.name != "__init__.py")
    app = SOURCE / "app"
    assert counted[app] <= 8
    assert max(number for folder, number in counted.items() if app in folder.parents) <= 25
    assert all((app / kind).is_dir() for kind in KINDS)


def test_a_file_s_name_says_where_it_is() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, path in FILES.items():
        if path.name != "__init__.py":
            side = "service" if name.startswith("flagtui.service") else "client"
            places[side, path.stem].append(name)
    for side in ("client", "service"):
        repeated = {stem: files for (half, stem), files in places.items() if half == side and len(files) > 1}
        assert len(repeated) <= 15, repeated


def test_files_are_named_by_nouns() -> None:
    gerunds = [name for name, path in FILES.items() if re.search(r"ing(_|$)", path.stem)]
    assert len(gerunds) <= 15, gerunds


def test_names_of_classes_and_type_variables_mean_one_thing() -> None:
    """The client and the service have their own records and requests; nothing else shares a name."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, path in FILES.items():
        for node in find_nodes(path, ast.ClassDef):
            places[node.name].append(module)
        for assigned in find_nodes(path, ast.Assign):
            if isinstance(assigned.value, ast.Call) and name_last(assigned.value.func) == "TypeVar":
                places[name_last(assigned.targets[0])].append(module)
    several = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert len(several) <= 18, several


TARGETING: Final = {"groups", "multivariate", "payloads"}
READERS: Final = {
    "evaluate/wire.py": "the home",
    "changes/flags/filter_rules.py": "names each member that is refused, also those that no reader accepts",
    "changes/flags/new_flags.py": "shows the object around the variants",
    "api/flag_evaluation.py": "the groups are those of a user",
    "store/flag_listing.py": "the word is a type of flags",
}
"""Files of the client that name a member of `filters`, each with the reason."""


def test_json_of_filters_has_one_home() -> None:
    wrong = []
    for path in FILES.values():
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith("service/") and name not in READERS:
            keys = (key for key in keys_of(path) if isinstance(key, ast.Constant))
            wrong += [f"{name}:{key.lineno} {key.value}" for key in keys if key.value in TARGETING]
    assert not wrong, "\n".join(wrong)


def keys_of(path: Path) -> Iterator[ast.expr | None]:
    """The keys with which members of objects are read and written."""
    for display in find_nodes(path, ast.Dict):
        yield from display.keys
    for subscript in find_nodes(path, ast.Subscript):
        yield subscript.slice
    for call in find_nodes(path, ast.Call):
        if name_last(call.func) in ("get", "pop", "setdefault"):
            yield from call.args[:1]


HOOKS: Final = re.compile(r"__|_?on_|action_|watch_|validate_|key_|check_|get_")
"""Beginnings of names that a library calls."""
CALLED_BY_LIBRARIES: Final = {
    *("discover", "run_input_thread", "render_widget", "highlight", "split_cells"),
    *("_sigtstp_application", "_sigcont_application"),
    *("format_commands", "list_commands", "format_epilog", "shell_complete", "_fatal_error"),
    *("has_expired", "time_left"),
}
FOR_DOCUMENTS: Final = {"documented_settings"}
"""What a test compares the documents with."""


def test_everything_has_a_caller() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*FILES.values(), *STYLES.glob("*.tcss"))]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    dead = [
        f"{module}: {name}"
        for module, path in FILES.items()
        for node in (*find_functions(path), *find_nodes(path, ast.ClassDef))
        if words[name := node.name] == 1 and not HOOKS.match(name) and is_called_by_name(node)
        if name not in CALLED_BY_LIBRARIES | FOR_DOCUMENTS
    ]
    assert not dead, "\n".join(dead)


def is_called_by_name(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether no decorator hands it to another caller; nothing else calls a property."""
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    return all(mark in ("property", "dataclass", "staticmethod", "classmethod") for mark in marks)


def test_values_are_structs_unless_they_need_a_dataclass() -> None:
    """Python compiles a dataclass when its module is imported, which takes thirty times as long."""
    classes = [(module, node) for module, path in FILES.items() for node in find_nodes(path, ast.ClassDef)]
    bases = {
        name_last(base.value if isinstance(base, ast.Subscript) else base)
        for _, node in classes
        for base in node.bases
    }
    needless = [
        f"{module}.{node.name}"
        for module, node in classes
        if any("dataclass" in ast.unparse(mark) for mark in node.decorator_list)
        if node.name not in bases and not needs_a_dataclass(node) and module not in WITHOUT_MSGSPEC
    ]
    assert not needless, "\n".join(needless)


def needs_a_dataclass(node: ast.ClassDef) -> bool:
    """Whether it extends another class, computes a field, or describes one by more than its default."""
    if any(not ast.unparse(base).startswith("Generic[") for base in node.bases):
        return True
    calls = [
        part.value
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.value, ast.Call)
    ]
    described = [call for call in calls if name_last(call.func) in ("field", "setting")]
    return any({word.arg for word in call.keywords} != {"default_factory"} for call in described) or any(
        isinstance(part, ast.FunctionDef) and part.name == "__post_init__" for part in node.body
    )


def test_workers_with_arguments_are_described() -> None:
    """Without a description, Textual writes every argument out, which takes a second for a heavy record."""
    undescribed = []
    for name, path in FILES.items():
        for function in find_functions(path):
            for decorator in function.decorator_list:
                is_work = isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "work"
                arguments = [*function.args.args[1:], *function.args.kwonlyargs]
                if is_work and arguments and "description=" not in ast.unparse(decorator):
                    undescribed.append(f"{name}.{function.name}")
    assert undescribed == []
