"""Each file the program writes, on a full disk and where nothing may be written: told, nothing lost."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.full_disk import full_disk
from tests.prove.test_damaged_files import said_by

from flagtui.api.client import Client
from flagtui.api.errors import ServerFault
from flagtui.api.http_library import in_process
from flagtui.api.request_log import LogLine, log_to
from flagtui.app.shell.written_files import export
from flagtui.changes.editor_text import RecordText, keep_changes
from flagtui.changes.event_definitions.triage import Triage, TriageDecision
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Entry
from flagtui.config.crash_reports import keep_report
from flagtui.config.key_sources import KeyFileRefused, write_key_file
from flagtui.config.preferences import Preferences, Remembered, remember
from flagtui.models.rows import FlagRow
from flagtui.service import close_service, create_service
from flagtui.service.flags.encryption import _fernet, seal
from flagtui.store.snapshots import SnapshotPlace, Snapshots

KEY: Final = "phx_key_that_is_looked_for"
PLACE: Final = SnapshotPlace("prod", "us.posthog.com", "1", "flags")


def write_journal(folder: Path) -> bool:
    entry = Entry(str(len(Journal(folder).entries())))
    return not said_by(JournalUnwritable, lambda: Journal(folder).begin(entry))


def keep_rows(folder: Path) -> bool:
    snapshots = Snapshots(folder)
    is_kept = snapshots.save(PLACE, (FlagRow(id=1, key="a"),), FlagRow)
    assert is_kept or snapshots.off_reason
    return is_kept


def remember_state(folder: Path) -> bool:
    return remember(folder, Remembered(sorts={"flags": "key"}))


def write_settings(folder: Path) -> bool:
    preferences = Preferences(settings_file=folder / "settings.toml")
    return not preferences.keep_theme("flagtui-night")


def keep_key(folder: Path) -> bool:
    message = said_by(KeyFileRefused, lambda: write_key_file(folder, "ada@us.posthog.com", KEY))
    assert KEY not in message
    return not message


def report_crash(folder: Path) -> bool:
    return keep_report("what happened\n", folder) is not None


def keep_draft(folder: Path) -> bool:
    record = RecordText("a", "flag 1", "flag-1", {"name": "a"}, lambda _: ())
    typed = "b" * (1 + len(list(folder.glob("*"))))
    return keep_changes(record, {"name": typed}, folder) is not None


def keep_triage(folder: Path) -> bool:
    triage = Triage(folder, "us.posthog.com 1")
    triage.by_id["a"] = TriageDecision("a", "event", {"verified": True}, {})
    triage.save()
    return Triage(folder, "us.posthog.com 1").load() == 1


def write_export(folder: Path) -> bool:
    before = Path.cwd()
    os.chdir(folder)
    try:
        # Each second is a file of its own.
        outcome = export("flags.json", "[]", "1 flag", 1_780_000_000.0 + len(list(folder.iterdir())))
    finally:
        os.chdir(before)
    return "not written" not in outcome.text


def make_payload_key(folder: Path) -> bool:
    _fernet.cache_clear()
    try:
        seal(folder / "service.db.key", "1")
    except OSError:
        return False
    return True


WRITERS: Final[Mapping[str, Callable[[Path], bool]]] = {
    "journal": write_journal,
    "kept rows": keep_rows,
    "remembered state": remember_state,
    "settings": write_settings,
    "key": keep_key,
    "crash report": report_crash,
    "draft": keep_draft,
    "inbox": keep_triage,
    "export": write_export,
    "key of payloads": make_payload_key,
}
WRITER: Final = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but locks, and a journal without an entry."""
    contents = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: data for name, data in contents.items() if data or not name.endswith((".jsonl", ".lock"))}


@WRITER
def test_full_disk_loses_nothing_and_writing_resumes_later(
    write: Callable[[Path], bool], tmp_path: Path
) -> None:
    with full_disk():
        is_written = write(tmp_path)
    assert not is_written
    assert contents(tmp_path) == {}
    assert write(tmp_path)
    before = contents(tmp_path)
    assert before
    with full_disk():
        write(tmp_path)
    assert contents(tmp_path) == before
    assert write(tmp_path)


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no /sys/kernel, where even root cannot write")
@pytest.mark.parametrize("name", [name for name in WRITERS if name != "export"])
def test_where_nothing_may_be_written_it_is_told(name: str) -> None:
    assert not WRITERS[name](Path("/sys/kernel/flagtui"))


def test_a_request_is_made_although_its_line_has_no_room(tmp_path: Path) -> None:
    log = log_to(tmp_path / "requests.log")
    with full_disk():
        log(LogLine("GET", "/api/"))
    assert (tmp_path / "requests.log").read_bytes() == b""


async def test_service_reports_a_full_disk_and_keeps_confirmed_data(tmp_path: Path) -> None:
    service = create_service(tmp_path / "service.db", key=KEY)
    try:
        async with Client("http://127.0.0.1:1", KEY, 1, transport=in_process(service)) as client:
            made = await client.flags.create({"key": "before"})
            with full_disk(), pytest.raises(ServerFault, match="503"):
                await client.flags.create({"key": "meanwhile"})
            with full_disk():
                assert (await client.flags.get(made.id)).key == "before"
            await client.flags.create({"key": "after"})
            assert {row.key for row in (await client.flags.page({})).rows} == {"before", "after"}
    finally:
        close_service(service)
