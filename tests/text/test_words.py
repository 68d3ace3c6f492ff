"""Every docstring, text, name, comment and page uses standard English; exceptions are counted."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_functions, find_nodes
from tests.doubles.word_counts import read_passages, read_strings

pytestmark = pytest.mark.source

ROOT: Final = Path(__file__).parents[2]
HERE: Final = {"tests/text/test_words.py", "docs/words.md"}
"""Files that list the words."""

SAY_INSTEAD: Final = {
    r"told|tells?|said|says?|saying|telling": "report, show, warn, return, mean",
    r"stands|stood|what stands": "the value is set, the current value",
    r"anew|drawn anew|given anew": "again, re-bucketed",
    r"besides|what is there besides": "also, the other …",
    r"nobody|anybody|not anybody": "no users, no one, anyone",
    r"somebody|somebody else|another person|whoever": "another user, the owner, the author, the caller",
    r"so already|as it was": "unchanged, no-op, already on",
    r"left out|set apart|not taken": "skipped",
    r"take(?:s|n)? back|took back|ma[kd]es? again": "undo, undone, redo, revert",
    r"what came|what went|what it was": "added, removed, the previous value",
    r"seems to": "the fact itself",
    r"for real|softly": "permanent, soft-delete",
    r"write over|clash(?:es)?": "overwrite, conflict",
    r"believed?|believes": "cached, refresh",
    r"kept copy|copy on disk": "cache, cached copy",
    r"on (?:its|their) way": "in flight, pending",
    r"by (?:itself|themselves)": "automatically, alone",
    r"doors?|wears?": "front end, interface, endpoint, badge",
    r"easily taken for|oddly": "confusable, invalid, malformed",
    r"lets? (?:in|anybody)": "matches",
    r"fits": "matches",
    r"first that fits": "first match wins",
}
"""Words to replace. Not listed, since they are right in most places: answer (to a question), ask for
(a request), give, person (a record of the server), take, usual, odd (a number), real (a terminal)."""

NO_NOUN: Final = frozenset({"found", "one", "known", "wanted", "asked", "told", "said", "them", "there"})
"""Names of bindings that do not name the thing."""

MOST: Final = {
    # An option and a field of 0.2.0, which users look for by their names.
    "CHANGELOG.md": 2,
    "tests": 10,
    "tests/api": 13,
    "tests/app": 49,
    "tests/changes": 66,
    "tests/cli": 33,
    "tests/config": 10,
    "tests/contract": 9,
    "tests/doubles": 40,
    "tests/evaluate": 18,
    "tests/journeys": 42,
    "tests/models": 8,
    "tests/prove": 22,
    "tests/service": 22,
    "tests/store": 17,
    "tests/terminal": 8,
    "tests/text": 9,
    "docs": 3,
    "benchmarks": 2,
    "benchmarks/terminal": 2,
}
"""Listed words that are left, by package; every other package has none. Lower them; never raise one."""
MOST_BINDINGS: Final = {"docs": 4}
"""Bindings without a noun that are left, likewise."""
RIDDLE: Final = re.compile(
    r"(?:What|Who|Whose|How|Why|Where|When|Which|Nothing|Everything|Those|That|Of|As|So)\b"
)
"""Openings of a docstring that leave readers to work out its subject; begin with a verb or a noun."""
NO_VERB: Final = re.compile(
    r"[^A-Z]|(?:The|An?|Its|Their|This|These|Any|Every|One|Two|None|True|False|Whether|Until|From|To|Into|By"
    r"|At|In|On|Off|Out|Below|Under|Beside|Against|Without|For|Like|Only|Also|\w*[^s]s)\b"
)
"""Openings of a docstring that are no imperative verb."""
PARTICIPLE: Final = re.compile(
    r"_*(?:[a-z]+ed|found|known|kept|held|made|told|shown|drawn|written|sent|given|said|left|gone|lost)"
)
"""A name of a function that hides the verb: readers cannot tell whether it reads, draws or changes."""
NAMED_SO: Final = frozenset(
    (
        *("embed", "feed", "_seed", "_cuped"),
        # Like `sorted`; the unresolved changes; an attribute that screens declare.
        *("styled", "unresolved", "chosen"),
    )
)
"""Verbs and terms that look like a participle, and the names that read better so."""
LONGEST_NAME: Final = 10
"""Words of a test's name, without `test`."""

SOURCE: Final = ROOT / "src" / "flagtui"
GIVEN_UP: Final = {
    "still depends on": "depends on this flag and is on",
    "split as it was meant": "traffic split ok",
    "left out, unchanged": "skipped",
    "skipped, unchanged": "skipped; unchanged is a no-op",
    "bring it back": "unarchive it",
    "for good": "permanently",
    "Make a new": "Create a",
    "Leave flagtui": "Quit",
}
NEVER: Final = re.compile(
    r"failed to|unable to|error occurred|\bplease\b|\bsorry\b|successful"
    r"|\bn/a\b|whoever|an unknown|[a-z]!(?: |$)",
    re.IGNORECASE,
)
"""Phrases that no sentence has: apologies, exclamations, vague errors."""
SAID: Final = (
    *("depends on this flag and is on", "skipped", "scheduled", "Quit", "Help", "Journal"),
    "traffic split ok",
)

_ANY_WORD: Final = re.compile(rf"\b(?:{'|'.join(SAY_INSTEAD)})\b", re.IGNORECASE)
_WORDS: Final = [
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), better) for words, better in SAY_INSTEAD.items()
]


def package_of(path: str) -> str:
    """Return `src/api`, `tests/app`, `docs`, or the name of a page at the top."""
    parts = path.replace("src/flagtui", "src", 1).split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def files() -> Iterator[str]:
    for folder in ("src", "tests", "docs", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md") and "__pycache__" not in path.parts:
                yield str(path.relative_to(ROOT))
    yield from (path.name for path in sorted(ROOT.glob("*.md")))


@cache
def words_left() -> dict[str, list[str]]:
    """Return `path:line: word; say …` for each listed word, by package."""
    left: dict[str, list[str]] = {}
    for path in files():
        lines = left.setdefault(package_of(path), [])
        if path in HERE:
            continue
        for passage in read_passages(ROOT / path):
            if passage.is_binding:
                continue
            for words, better in _WORDS if _ANY_WORD.search(passage.text) else ():
                matches = words.findall(passage.text)
                lines += [f"{path}:{passage.line}: {word}; say {better}" for word in matches]
    return left


def test_listed_words_do_not_increase() -> None:
    assert set(MOST) <= set(words_left())
    for package, left in words_left().items():
        assert len(left) <= MOST.get(package, 0), f"{package}:\n" + "\n".join(left)


def test_bindings_without_a_noun_do_not_increase() -> None:
    bindings = Counter(
        package_of(path)
        for path in files()
        if path not in HERE
        for passage in read_passages(ROOT / path)
        if passage.is_binding and passage.text in NO_NOUN
    )
    assert bindings <= Counter(MOST_BINDINGS)


def test_names_of_tests_have_at_most_ten_words() -> None:
    tests = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)
    names = (
        f"{path}: {name}"
        for path in files()
        if path.startswith("tests/")
        for name in tests.findall((ROOT / path).read_text("utf-8"))
        if len(name.split("_")) > LONGEST_NAME
    )
    assert list(names) == []


def test_no_docstring_of_the_source_begins_with_a_riddle() -> None:
    assert [
        f"{path.relative_to(ROOT)}: {passage.text}"
        for path in sorted(SOURCE.rglob("*.py"))
        for passage in read_passages(path)
        if passage.is_docstring and RIDDLE.match(passage.text.strip())
    ] == []


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield all functions of the source but properties, whose names and docstrings are nouns."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in find_functions(path):
            if not any(ast.unparse(each).endswith("property") for each in node.decorator_list):
                yield path, node


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{node.lineno}: {docstring.splitlines()[0]}"
        for path, node in functions()
        if node.name != "__init__" and (docstring := ast.get_docstring(node)) and NO_VERB.match(docstring)
    ] == []


def test_functions_have_no_participle_alone_as_a_name() -> None:
    # The functions of the sample are names of kinds in its data.
    assert [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path, node in functions()
        if PARTICIPLE.fullmatch(node.name) and node.name not in NAMED_SO and "sample_data" not in path.parts
    ] == []


@pytest.fixture(scope="module")
def every_text() -> dict[str, str]:
    rooms = [SOURCE / room for room in ("app", "changes", "cli", "models", "text")]
    found = [path for room in rooms for path in sorted(room.rglob("*.py"))]
    return {str(path.relative_to(SOURCE)): "\n".join(read_strings(path)) for path in found}


@pytest.mark.parametrize("words", GIVEN_UP)
def test_abandoned_phrases_are_unused(words: str, every_text: dict[str, str]) -> None:
    where = [path for path, text in every_text.items() if words in text]
    assert where == [], f"say: {GIVEN_UP[words]}"


def test_no_sentence_apologises_or_exclaims(every_text: dict[str, str]) -> None:
    sentences = ((path, line) for path, text in every_text.items() for line in text.splitlines())
    assert [f"{path}: {line}" for path, line in sentences if NEVER.search(line) and "q!" not in line] == []


@pytest.mark.parametrize("words", SAID)
def test_listed_phrases_are_used(words: str, every_text: dict[str, str]) -> None:
    assert any(words in text for text in every_text.values())
    assert words in (ROOT / "docs" / "words.md").read_text(encoding="utf-8")


def test_percentages_have_a_space_on_every_screen() -> None:
    screens = sorted((ROOT / "tests" / "golden").glob("*.txt"))
    assert len(screens) > 50
    assert [path.name for path in screens if re.search(r"\d%", path.read_text(encoding="utf-8"))] == []


def is_count(value: ast.expr) -> bool:
    """Return whether an expression is the length of something, or so many more or fewer."""
    if isinstance(value, ast.BinOp):
        return is_count(value.left) or is_count(value.right)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len"


def test_every_count_has_thousands_separators() -> None:
    # The service repeats the texts of the product.
    assert [
        f"{path.name}:{value.lineno}: {ast.unparse(value.value)}"
        for path in SOURCE.rglob("*.py")
        for value in find_nodes(path, ast.FormattedValue)
        if value.format_spec is None and is_count(value.value) and "service" not in path.parts
    ] == []


ANSWER: Final = re.compile(r"\banswer(s|ed|ing)?\b")
SHOWN: Final = ("api", "app", "changes", "cli", "config", "details", "store", "text")
"""Packages whose sentences people read."""


def sentences_with_answers(path: Path) -> list[str]:
    """Return the texts of a module with more than one word, other than docstrings and styles."""
    texts = (text for text in read_strings(path) if " " in text and "{" not in text)
    return [text for text in texts if ANSWER.search(text) and "question" not in text]


def test_servers_respond_and_only_questions_have_answers(tmp_path: Path) -> None:
    modules = [path for name in SHOWN for path in (SOURCE / name).rglob("*.py")]
    assert len(modules) > 300
    assert [text for path in modules for text in sentences_with_answers(path)] == []
    module = tmp_path / "module.py"
    module.write_text('"""A docstring: the answer."""\nWHY = "the server did not answer"\nNAME = "answer"\n')
    assert sentences_with_answers(module) == ["the server did not answer"]
