"""What an earlier run left open is found out at the start and said in words; nothing is sent for it."""

from typing import Any

import pytest
from tests.doubles.whole_program import NOW, Setting, running

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature

CASES = [
    (
        "not done",
        {"active": True},
        {"active": False},
        "new-nav: “turn off” was not done",
        "failed",
    ),
    ("done", {"active": False}, {"active": True}, "new-nav: “turn off” was done at version", "saved"),
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


@pytest.mark.parametrize("kind", ["experiment", "event_definition"])
async def test_what_was_left_open_of_other_kinds_is_found_out_at_the_start_on_whatever_tab(
    setting: Setting, kind: str
) -> None:
    async with running(setting) as program:
        client = program.colleague()
        host = str(client.host)
        [event] = (await client.event_definitions.page({"search": "checkout_completed", "limit": 1})).rows
    common: dict[str, Any] = {
        "at": NOW.timestamp() - 3600,
        "signature": Signature("alice@acme.com", "test", host, "1"),
    }
    left = {
        "experiment": Entry(
            id="left",
            record=31,
            key="checkout-redesign",
            verb="pause experiment",
            kind=kind,
            before={"status": "running"},
            after={"status": "paused"},
            **common,
        ),
        "event_definition": Entry(
            id="left",
            record=0,
            uuid=event.id,
            key=event.name,
            verb="hide",
            kind=kind,
            before={"hidden": False},
            after={"hidden": True},
            **common,
        ),
    }
    Journal(setting.folder / "journal").begin(left[kind])
    async with running(setting) as program:
        assert [said for said in program.notices if said.startswith("Left open last time: ")]
        assert program.wire.writes() == []
        assert program.journal.entries()[0].ending == "failed"
