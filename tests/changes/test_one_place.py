"""What every kind of record shares: what is written once, and the ages in consequences."""

import re
from pathlib import Path
from typing import Final

import pytest

from flagtui.changes.proposal import Consequence, consequence_with_age

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"
ONCE: Final = {
    "journal.begin": "changes/pipeline.py",
    "pid=os.getpid()": "changes/pipeline.py",
    "LOOKS: Final = (0.0": "changes/unanswered.py",
    "asyncio.to_thread(finish": "changes/adapter.py",
    "class Outcome(msgspec.Struct, Generic": "changes/proposal.py",
    "ConfirmScreen(question": "app/writing/app_interface.py",
    "journal.unresolved)": "changes/recovery.py",
}


@pytest.mark.parametrize("words", ONCE)
def test_what_every_change_needs_stands_in_one_place(words: str) -> None:
    places = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for _ in re.finditer(re.escape(words), path.read_text(encoding="utf-8"))
    ]
    assert places == [ONCE[words]]


def test_ages_of_a_consequence_move_and_others_stay() -> None:
    consequence = consequence_with_age(
        "Last change", ("sam, ", 60.0, ": on → off; ada, ", 0.0), 120.0, "warning"
    )
    shown = (consequence.label, consequence.text, consequence.tone)
    assert shown == ("Last change", "sam, 1 min ago: on → off; ada, 2 min ago", "warning")
    later = consequence.as_of(3 * 3_600.0)
    assert later.text == "sam, 2 h ago: on → off; ada, 3 h ago"
    assert later.as_of(120.0) == consequence
    assert consequence.as_of(36 * 3_600.0).text == "sam, 1 day ago: on → off; ada, 1 day ago"
    consequence = Consequence("Reach", "no one")
    assert consequence.as_of(1e9) is consequence
