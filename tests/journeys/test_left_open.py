"""What an earlier run left open is found out at the start and said in words; nothing is sent for it."""

from dataclasses import replace

from tests.doubles.whole_program import NOW, Setting, running

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature

SAID = {
    "new-nav": ("failed", "new-nav: “turn off” was not applied"),
    "export-parquet": ("saved", "export-parquet: “turn off” was done at version"),
    "checkout-redesign": ("failed", "checkout-redesign: “pause experiment” was not applied"),
    "checkout_completed": ("failed", "checkout_completed: “hide” was not applied"),
}
"""By record: how its change ended, and in which words that is said."""


async def test_the_start_says_what_became_of_changes_left_open(setting: Setting) -> None:
    async with running(setting) as program:
        flag, other = await program.stored("new-nav"), await program.stored("export-parquet")
        host = str(program.colleague().host)
        event = await program.colleague().event_definitions.by_name("checkout_completed")
    assert other.version is not None
    here, hour_ago = Signature("alice@acme.com", "test", host, "1"), NOW.timestamp() - 3600
    off, on = {"active": False}, {"active": True}
    journal = Journal(setting.folder / "journal")
    for entry in (
        Entry(record=flag.id, key=flag.key, verb="turn off",
              version=flag.version, before=on, after=off),
        Entry(record=other.id, key=other.key, verb="turn off",
              version=other.version - 1, before=off, after=on),
        Entry(record=31, key="checkout-redesign", verb="pause experiment", kind="experiment",
              before={"status": "running"}, after={"status": "paused"}),
        Entry(uuid=event.id, key=event.name, verb="hide", kind="event_definition",
              before={"hidden": False}, after={"hidden": True}),
    ):  # fmt: skip
        journal.begin(replace(entry, id=entry.key, at=hour_ago, signature=here))
    async with running(setting) as program:
        assert {entry.key: entry.ending for entry in program.journal.entries()} == {
            key: ending for key, (ending, _words) in SAID.items()
        }
        for _ending, said in SAID.values():
            assert any(notice.startswith(f"Left open last time: {said}") for notice in program.notices), said
        assert program.wire.writes() == []
