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
from flagtui.code.reference_records import FileReferences, NamedCall

_MOST: Final = 200
"""Files that one scan reads for names."""
_ROUNDS: Final = 3
"""A file may hand on what another declares."""
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
FindCalls = Callable[[FileResults], Sequence[NamedCall]]


def read_declarations(
    root: str, files: Sequence[str], rules: FileRules, results: FileResults, find_calls: FindCalls
) -> None:
    """Add what the files declare that have the names of calls without a declaration."""
    scanner, modules = FileScanner(rules), set[str]()
    for _ in range(_ROUNDS):
        calls = find_calls(results)
        read = {each.path for each in results.references}
        names = [*dict.fromkeys(name for name in _find_files(files, calls, modules) if name not in read)]
        if not names:
            return
        words = {word.encode() for call in calls for word in (call.name, call.member) if word}
        reader = FileReader(root)
        for batch in reader.batches(names[:_MOST]):
            for path, start, end in batch.files:
                data = batch.content(start, end)
                is_declaring = any(word in data for word in words)
                # One without the names is not read again either.
                file = scanner.read_file(path, data) if is_declaring else FileReferences(path)
                results.references.append(file)
                if path.rpartition("/")[2].partition(".")[0] in ENTRY_FILES:
                    modules |= find_reexports(data.decode(errors="replace"))


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
