"""What every change needs is written once, whatever the kind of record."""

import re
from pathlib import Path
from typing import Final

import pytest

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
