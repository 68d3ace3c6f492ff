"""Tests with a table of cases, each named by a sentence."""

from collections.abc import Mapping
from typing import Any

import pytest


def table(names: str, cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each case: its sentence, and the values of these names."""
    return pytest.mark.parametrize(names, cases.values(), ids=cases)
