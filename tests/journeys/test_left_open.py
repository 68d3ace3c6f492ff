"""What an earlier run left open is found out at the start and said in words; nothing is sent for it."""

import pytest
from tests.doubles.whole_program import NOW, Setting, running

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature

CASES = [
    ("not done", {"active": True}, {"active": False}, "new-nav is as it was (version", "failed"),
    ("done", {"active": False}, {"active": True}, "new-nav is off (version", "saved"),
]


@pytest.mark.parametrize(
    ("before", "after", "words", "ending"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
async def test_the_start_says_what_became_of_a_change_left_open(
    setting: Setting, before: dict[str, bool], after: dict[str, bool], words: str, ending: str
) -> None:
    async with running(setting) as program:
        flag = await program.stored("new-nav")
        host = str(program.colleague().host)
    is_done = ending == "saved"
    assert flag.version is not None
    journal = Journal(setting.folder / "journal")
    journal.begin(
        Entry(
            id="left",
            at=NOW.timestamp() - 3600,
            record=flag.id,
            key=flag.key,
            verb="turn off",
            signature=Signature("alice@acme.com", "test", host, "1"),
            version=flag.version - 1 if is_done else flag.version,
            before=before,
            after=after,
        )
    )
    async with running(setting) as program:
        assert any(said.startswith(f"Left open last time: {words}") for said in program.notices)
        assert program.wire.writes() == []
        assert program.journal.entries()[0].ending == ending
