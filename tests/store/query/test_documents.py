import re
from pathlib import Path
from typing import Any

import pytest

from flagtui.store.activity_listing import ACTIVITY
from flagtui.store.event_listing import EVENTS
from flagtui.store.experiment_listing import EXPERIMENTS
from flagtui.store.flag_listing import FLAGS
from flagtui.store.query.language import read_line
from flagtui.store.query.vocabulary import Vocabulary

OF_FLAGS, _, OTHERS = (
    (Path(__file__).parents[3] / "docs" / "search.md").read_text().partition("## The other lists")
)
OF_ACTIVITY = (Path(__file__).parents[3] / "docs" / "on-call.md").read_text()
_, OF_EXPERIMENTS, OF_EVENTS = re.split(r"\| (?:experiments|events) \|", OTHERS)


def test_every_qualifier_and_value_of_flags_is_in_the_documents() -> None:
    for qualifier in FLAGS.qualifiers.values():
        (row,) = [line for line in OF_FLAGS.splitlines() if line.startswith(f"| `{qualifier.name}:`")]
        assert qualifier.meaning in row
        for value in qualifier.values:
            assert f"`{value}`" in row or value in (">90d", ">30d")


@pytest.mark.parametrize(
    ("vocabulary", "document"), [(EXPERIMENTS, OF_EXPERIMENTS), (EVENTS, OF_EVENTS), (ACTIVITY, OF_ACTIVITY)]
)
def test_qualifiers_and_values_of_other_lists_are_documented(
    vocabulary: Vocabulary[Any], document: str
) -> None:
    for qualifier in vocabulary.qualifiers.values():
        lines = [line for line in document.splitlines() if line.startswith("|")]
        (row,) = [line for line in lines if f"`{qualifier.name}:" in line]
        for value in qualifier.values:
            is_written = f"`{value}`" in row or f"`is:{value}`" in row
            assert is_written or value in ("<7d", ">30d", ">90d", "never"), value


def test_every_line_in_the_documents_is_understood() -> None:
    written = re.findall(r"`(-?(?:" + "|".join(FLAGS.qualifiers) + r"):[^`]+)`", OF_FLAGS)
    assert len(written) > 5
    for line in written:
        assert read_line(line, FLAGS).problems == ()
