"""The databases that journeys and golden screens begin with, each made once in a run."""

from pathlib import Path

import pytest
from tests.doubles.whole_program import make_template


def sample_database(folders: pytest.TempPathFactory, *, one_in: int = 1, nasty: bool = False) -> Path:
    """The sample, or the one whose every text tries to harm the terminal; one in so many people stay."""
    path = folders.getbasetemp() / f"{'nasty' if nasty else 'sample'}-{one_in}.db"
    return path if path.exists() else make_template(path, one_in=one_in, nasty=nasty)
