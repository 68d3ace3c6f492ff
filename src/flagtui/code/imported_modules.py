"""The modules that a file imports names from, by the names of their files or folders."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from flagtui.code.languages import SCRIPTS

# Compiled with the first call that names its key.
_SCRIPT: Final = (
    r"\n[ \t]*(?:import\s+(?:type\s+)?(?P<names>[^;'\"]*?)\s*\bfrom\s*"
    r"|(?:const|let|var)\s+(?P<required>\{[^}]*\}|[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*)"
    r"(?P<quote>[\"'])(?P<path>[^\"'\n]+)(?P=quote)"
)
_PYTHON: Final = r"\n[ \t]*from[ \t]+(?P<path>[\w.]+)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#]*)"
_RUST: Final = r"\n[ \t]*(?:pub\s+)?use\s+(?:\w+::)*(?P<path>\w+)::(?P<names>\{[^}]*\}|\w+)"
_REEXPORT: Final = r"\bfrom\s+[\"']([^\"'\n]+)[\"']|^from[ \t]+\.*([\w.]*)[ \t]+import"
_LIST: Final = re.compile(r"[{(]([^})]*)[})]?")
_LAST_NAME: Final = re.compile(r"([\w$]+)\s*\Z")
ENTRY_FILES: Final = ("index", "__init__", "mod")
"""Stems of files that have the name of their folder elsewhere."""
_SOURCE_FOLDERS: Final = frozenset(("src", "lib", ".", ".."))


def module_name(path: str) -> str:
    """Return the name of a file in imports: `flags` for `flags.ts` and for `flags/src/index.ts`."""
    *folders, name = PurePosixPath(path).parts or (".",)
    stem = name.partition(".")[0] or name
    if stem in ENTRY_FILES:
        stem = next((folder for folder in reversed(folders) if folder not in _SOURCE_FOLDERS), stem)
    return stem


def find_modules(text: str, language: str) -> dict[str, tuple[str, bool]]:
    """Return the modules by the names that a file imports, and whether the name is the whole module.

    In scripts, what a module exports by default is the whole one.
    """
    pattern = _SCRIPT if language in SCRIPTS else {"python": _PYTHON, "rust": _RUST}.get(language)
    modules: dict[str, tuple[str, bool]] = {}
    for match in re.finditer(pattern, f"\n{text}") if pattern else ():
        path, is_script = match["path"], language in SCRIPTS
        module = module_name(path) if is_script else path.rpartition(".")[2]
        names = match["names"] or (match["required"] if is_script else "") or ""
        listed = _LIST.search(names)
        for name in _names_in(listed[1] if listed else "" if is_script else names):
            modules[name] = module, False
        for name in _names_in(_LIST.sub("", names) if is_script else ""):
            modules[name] = module, True
    return modules


def _names_in(words: str) -> Iterator[str]:
    """Yield the names in the file of imports such as `A, B as C` and `* as D`."""
    for part in words.split(","):
        if name := _LAST_NAME.search(part):
            yield name[1]


def find_reexports(text: str) -> set[str]:
    """Return the modules that an index of a folder hands on."""
    paths = (
        match[1] or (match[2] or "").replace(".", "/") for match in re.finditer(_REEXPORT, text, re.MULTILINE)
    )
    return {module_name(path) for path in paths if path}
