"""What an earlier run left open is found out by reading, and never sent again."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.changes.office import ENTRY, HERE, NOW
from tests.changes.writing import recover
from tests.doubles.flag_server import FlagServer, raw_flag

from flagtui.changes.adapter import RecoveryVerdict
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.models.json_value import JSON


def left_open(folder: Path, age: float = 600.0, **fields: Any) -> Journal:
    journal = Journal(folder, clock=lambda: NOW)
    journal.begin(replace(ENTRY, at=NOW - age, **fields))
    return journal


CASES: list[tuple[str, dict[str, JSON], float, RecoveryVerdict, str]] = [
    ("done", {"active": False, "version": 13}, 600, "applied", "saved"),
    ("done and more since", {"active": False, "version": 15}, 600, "applied", "saved"),
    ("untouched", {"version": 12}, 600, "not applied", "failed"),
    ("untouched, but it may still come", {"version": 12}, 20, "not known", ""),
    ("one other write", {"name": "Bob's", "version": 13}, 600, "not applied", "failed"),
    ("several writes, not as wanted", {"version": 14}, 600, "changed since", ""),
]


SAID = {
    "applied": "checkout-v2: “turn off” was done at version ",
    "not applied": "“turn off” was not applied; it is unchanged at version ",
    "changed since": "could not confirm whether “turn off” was applied",
    "not known": "whether “turn off” was done is still not known",
}


@pytest.mark.parametrize(
    ("fields", "age", "truth", "ending"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
async def test_the_record_tells_what_became_of_it(
    tmp_path: Path, fields: dict[str, JSON], age: float, truth: RecoveryVerdict, ending: str
) -> None:
    journal = left_open(tmp_path, age)
    server = FlagServer(raw_flag(**fields))
    ada = server.person("ada@acme.test")
    recoveries = await recover(journal, HERE, flags=ada)
    assert [recovery.verdict for recovery in recoveries] == [truth]
    assert SAID[recoveries[0].verdict] in recoveries[0].words
    assert journal.entries()[0].ending == ending
    assert (ada.sends, server.log) == (0, [])


async def test_gone_flags_and_replaced_payloads_have_their_verdict(tmp_path: Path) -> None:
    recoveries = await recover(left_open(tmp_path), HERE, flags=FlagServer().person("ada@acme.test"))
    assert [recovery.verdict for recovery in recoveries] == ["gone"]
    filters = {"groups": [], "payloads": {"true": '"hunter1"'}}
    other = {"groups": [], "payloads": {"true": '"hunter2"'}}
    journal = left_open(
        tmp_path / "secret", before={"filters": filters}, after={"filters": other}, is_secret=True
    )
    ada = FlagServer(raw_flag(filters=other, version=13)).person("ada@acme.test")
    assert [recovery.verdict for recovery in await recover(journal, HERE, flags=ada)] == ["changed since"]


async def test_unread_records_and_other_projects_stay_open(tmp_path: Path) -> None:
    journal = left_open(tmp_path)
    ada = FlagServer(raw_flag()).person("ada@acme.test")
    ada.unreadable = 1
    assert [recovery.verdict for recovery in await recover(journal, HERE, flags=ada)] == ["not known"]
    assert journal.entries()[0].is_open
    journal = left_open(tmp_path)
    ada = FlagServer(raw_flag(version=12)).person("ada@acme.test")
    assert await recover(journal, Signature(host=HERE.host, project="2"), flags=ada) == []
    assert ada.reads == 0
