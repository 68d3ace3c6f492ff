"""A running mirror: its requests for definitions, and its reports."""

from pathlib import Path
from typing import Any

import pytest
from tests.doubles.steady_clock import SteadyClock
from tests.mirror.conftest import Mirrored, flag

from flagtui.mirror.kept_definitions import KeptDefinitions
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.requests_seen import RecordFile
from flagtui.mirror.upstream import UpstreamError
from flagtui.models.override import read_override


def values(mirrored: Mirrored) -> dict[str, Any]:
    return {str(each.key): each.value for each in mirrored.mirror.flags.overrides}


async def test_definitions_are_requested_at_the_start_and_every_30_seconds(mirrored: Mirrored) -> None:
    mirrored.clock.slept.clear()

    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    mirrored.clock.at(95, stop)
    with pytest.raises(StoppedError):
        await mirrored.mirror._poll()
    assert set(mirrored.clock.slept) == {30}
    assert mirrored.upstream.fetches == 1 + 3


async def test_changed_definitions_are_served_and_announced(mirrored: Mirrored) -> None:
    news = mirrored.mirror.flags.news.events()
    assert await anext(news) == b": connected\n\n"
    mirrored.upstream.flags, mirrored.upstream.is_changed = [flag("newer")], True
    await mirrored.mirror.refresh()
    assert mirrored.mirror.flags.flag_set().records.keys() == {"newer"}
    assert await anext(news) == b'data: {"type":"refetchEvaluation"}\n\n'
    assert mirrored.lines == []


async def test_cut_link_is_one_line_and_the_last_definitions_stay(mirrored: Mirrored) -> None:
    mirrored.upstream.error = UpstreamError("eu.example.com is away.", "Try again.", is_passing=True)
    mirrored.clock.now += 300
    for _ in range(3):
        await mirrored.mirror.refresh()
    trouble = "eu.example.com is away. Trying again every 30 s."
    assert mirrored.lines == [f"upstream: {trouble} Serving the definitions of 5 min ago."]
    assert mirrored.mirror.flags.flag_count == 2
    assert mirrored.mirror.describe()["trouble"] == trouble


async def test_recovery_and_a_refused_key_are_one_line(mirrored: Mirrored) -> None:
    mirrored.upstream.error = UpstreamError("It does not respond.")
    await mirrored.mirror.refresh()
    mirrored.upstream.error = None
    await mirrored.mirror.refresh()
    await mirrored.mirror.refresh()
    assert mirrored.lines[1:] == ["upstream responds again; serving 2 flags as they are now"]
    assert mirrored.mirror.trouble == ""
    mirrored.upstream.error = UpstreamError("The key was not accepted.", "Check the key.")
    await mirrored.mirror.refresh()
    assert mirrored.mirror.trouble == "The key was not accepted. Check the key."


async def test_project_that_lost_all_flags_leaves_the_last_definitions(mirrored: Mirrored) -> None:
    mirrored.upstream.flags, mirrored.upstream.is_changed = [], True
    await mirrored.mirror.refresh()
    await mirrored.mirror.refresh()
    assert len(mirrored.lines) == 1
    assert "the project has no flags now, where it had 2 flags" in mirrored.lines[0]
    assert mirrored.mirror.flags.flag_count == 2
    mirrored.upstream.flags, mirrored.upstream.is_changed = [flag("newer")], True
    await mirrored.mirror.refresh()
    assert mirrored.mirror.flags.flag_set().records.keys() == {"newer"}


async def test_first_fetch_without_a_response_is_an_error(mirrored: Mirrored) -> None:
    mirrored.upstream.error = UpstreamError("It does not respond.")
    with pytest.raises(UpstreamError, match="It does not respond"):
        await mirrored.mirror.start()


async def test_start_without_a_connection_serves_earlier_definitions(
    mirrored: Mirrored, tmp_path: Path
) -> None:
    kept = KeptDefinitions(tmp_path, "https://eu.example.com", "1")
    mirrored.mirror.kept, mirrored.upstream.is_changed = kept, True
    await mirrored.mirror.refresh()
    assert kept.path.stat().st_mode & 0o077 == 0
    mirrored.upstream.error = UpstreamError("It cannot be reached.", is_passing=True)
    later = SteadyClock(mirrored.clock.now + 7200)
    started = Mirror(mirrored.upstream, MirroredFlags(), mirrored.lines.append, kept=kept, clock=later)
    await started.start()
    assert started.flags.flag_set().records.keys() == {"plain", "for-staff"}
    (line,) = mirrored.lines
    assert (
        line == "upstream: It cannot be reached. Trying again every 30 s. Serving the definitions of 2 h ago."
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"document": {}}', "[" * 5_000])
async def test_refused_key_and_unreadable_file_end_the_start(
    mirrored: Mirrored, tmp_path: Path, text: str
) -> None:
    kept = KeptDefinitions(tmp_path, "https://eu.example.com", "1")
    kept.path.parent.mkdir()
    kept.path.write_text(text)
    mirrored.mirror.kept = kept
    for is_passing in (True, False):
        mirrored.upstream.error = UpstreamError("The key is refused.", is_passing=is_passing)
        with pytest.raises(UpstreamError):
            await mirrored.mirror.start()


async def test_overrides_of_the_session_win_over_the_file(mirrored: Mirrored, tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text("[everyone]\na = 1\nb = 1")
    mirrored.mirror.file = OverrideFile(path)
    mirrored.mirror.set([read_override("b=2"), read_override("c=2")])
    mirrored.mirror.look_at_files()
    assert values(mirrored) == {"a": 1, "b": 2, "c": 2}
    assert [str(each) for each in mirrored.mirror.from_file] == ["a=1"]
    assert mirrored.mirror.unset("b")
    assert not mirrored.mirror.unset("b")
    assert values(mirrored) == {"a": 1, "b": 1, "c": 2}
    assert mirrored.mirror.clear() == 1
    assert values(mirrored) == {"a": 1, "b": 1}


async def test_bad_override_file_is_one_line_and_changes_nothing(mirrored: Mirrored, tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    mirrored.mirror.file = OverrideFile(path)
    path.write_text("[everyone]\na = 1")
    mirrored.mirror.look_at_files()
    path.write_text("[everyone]\na =")
    mirrored.mirror.look_at_files()
    mirrored.mirror.look_at_files()
    assert len(mirrored.lines) == 2
    assert mirrored.lines[1].endswith("; keeping the last good 1 override")
    assert "overrides.toml:2: not valid TOML" in mirrored.lines[1]
    assert values(mirrored) == {"a": 1}


async def test_override_that_changes_nothing_is_not_announced(mirrored: Mirrored) -> None:
    mirrored.mirror.set([read_override("plain=off")])
    news = mirrored.mirror.flags.news.events(heartbeat=0)
    await anext(news)
    mirrored.mirror.set([read_override("plain=off")])
    assert await anext(news) == b":\n\n"


async def test_record_that_cannot_be_written_is_one_line(mirrored: Mirrored, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    mirrored.mirror.record = RecordFile(tmp_path / "file" / "record.ndjson")
    for key in ("a", "b"):
        mirrored.mirror.flags.count([(key, "null", "flag_not_found", "curl")])
        mirrored.mirror.look_at_files()
    assert len(mirrored.lines) == 1
    assert "cannot be written" in mirrored.lines[0]
