"""Mutants are valid source, each differs from the original, and a seed always chooses the same ones."""

import ast
from pathlib import Path

import pytest
from tests.prove.mutants import choose_mutants, find_mutants

SOURCE = '''"""A module."""
LIMIT = 3
def has_room(count: int, *, strict: bool = True) -> str:
    """Return a word."""
    for item in range(count):
        if item == 2 and not strict:
            break
        note(
            "ä",
            item + 1,
        )
    return f"{count}" if strict else str(count)
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_each_mutant_is_different_valid_source(module: Path) -> None:
    original = ast.dump(ast.parse(SOURCE))
    mutants = list(find_mutants(module, module.parent))
    sources = {mutant.apply(module.read_bytes()).decode() for mutant in mutants}
    assert len(sources) == len(mutants)
    assert all(ast.dump(ast.parse(source)) != original for source in sources)


def test_only_function_bodies_are_mutated_statement_by_statement(module: Path) -> None:
    mutants = list(find_mutants(module, module.parent))
    assert {(mutant.line, mutant.replacement) for mutant in mutants} == {
        (6, "(item == 2 or not strict)"),
        (6, "(item != 2)"),
        (6, "3"),
        (6, "(strict)"),
        (7, "continue"),
        (8, "pass"),
        (8, "'ä~'"),
        (8, "(item - 1)"),
        (8, "2"),
        (12, "return None"),
        (12, "(f'{count}' if not strict else str(count))"),
    }


def test_seed_chooses_the_same_mutants_again(module: Path) -> None:
    chosen = choose_mutants([module], module.parent, 7, 4)
    assert len(chosen) == 4
    assert chosen == choose_mutants([module], module.parent, 7, 4)
    assert chosen != choose_mutants([module], module.parent, 8, 4)
