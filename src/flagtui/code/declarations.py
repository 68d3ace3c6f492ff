"""The files that declare the names of keys that calls elsewhere import, where no file read so far does.

A file of constants is otherwise read only if it has the key of a flag, or a call.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from flagtui.code.file_content import FileReader
from flagtui.code.file_results import FileResults
from flagtui.code.file_rules import FileRules
from flagtui.code.file_scanner import FileScanner
from flagtui.code.imported_modules import ENTRY_FILES, find_reexports, module_name
from flagtui.code.languages import SCRIPTS, language_of
from flagtui.code.reference_records import NamedCall

_MOST: Final = 2_000
"""Files that one scan looks at for names."""
_ROUNDS: Final = 3
"""A file may hand on what another declares."""
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
FindCalls = Callable[[FileResults], Sequence[NamedCall]]


def read_declarations(
    root: str, files: Sequence[str], rules: FileRules, results: FileResults, find_calls: FindCalls
) -> None:
    """Add what the files declare that have the names of calls without a declaration."""
    scanner, modules, done = FileScanner(rules), set[str](), set[str]()
    for _ in range(_ROUNDS):
        read = {each.path for each in results.references}
        calls = find_calls(results)
        words = {word.encode() for call in calls for word in (call.name, call.member) if word}
        files_of_names = dict.fromkeys(_find_files(files, calls, modules))
        names = [
            name for name in files_of_names if name not in done and (name not in read or _is_entry(name))
        ]
        if not names:
            return
        done.update(names)
        reader = FileReader(root)
        for batch in reader.batches(names[:_MOST]):
            for path, start, end in batch.files:
                data = batch.content(start, end)
                if path not in read and any(word in data for word in words):
                    results.references.append(scanner.read_file(path, data))
                if _is_entry(path):
                    modules |= find_reexports(data.decode(errors="replace"))


def _is_entry(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] in ENTRY_FILES


def _find_files(files: Sequence[str], calls: Iterable[NamedCall], modules: Iterable[str]) -> Iterator[str]:
    """Yield the files that may be these modules, or the modules and types that the calls name."""
    families: dict[str, set[str]] = {}
    for call in calls:
        family = _family(call.reference.path)
        for name in {call.module, *modules, *_file_names(call.scope or call.name)} - {""}:
            families.setdefault(name, set()).add(family)
    for path in files if families else ():
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        if name.endswith(".go"):
            # A package is a folder.
            stem = folder.rpartition("/")[2]
        elif stem in ENTRY_FILES:
            stem = module_name(path)
        if stem in families and _family(path) in families[stem]:
            yield path


def _family(path: str) -> str:
    """Return a name of the languages whose files can use each other's names."""
    language = language_of(path)
    return "" if language is None else "script" if language.name in SCRIPTS else language.name


def _file_names(name: str) -> set[str]:
    """Return how the file of `AnalyticsEvents` may be called, without its extension."""
    snake = _WORD_START.sub("_", name.lstrip("@$")).lower()
    return {name, name[:1].lower() + name[1:], snake, snake.replace("_", "-"), snake.replace("_", "")}
