"""A running mirror: its requests for definitions, its reports, and its control by the app."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.open_mirror import OpenMirror, open_mirror
from tests.doubles.steady_clock import SteadyClock
from tests.mirror.conftest import Mirrored, flag

from flagtui.api.errors import Unreachable
from flagtui.config.locations import Locations
from flagtui.mirror.control import MirrorControl
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.kept_definitions import KeptDefinitions
from flagtui.mirror.mirror import Mirror, MirroredProject
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.requests_seen import RecordFile, RequestsSeen
from flagtui.mirror.running_mirrors import RunningMirror, announce
from flagtui.mirror.upstream import UpstreamError
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import Override, read_override
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

AWAY = UpstreamError("eu.example.com is away.", "Try again.", is_passing=True)
NO_RESPONSE = UpstreamError("It does not respond.")


def values(mirror: Mirror) -> dict[str, Any]:
    return {str(each.key): each.value for each in mirror.flags.overrides}


def keys(mirror: Mirror) -> list[str]:
    return list(mirror.flags.flag_set().records)


async def refresh(mirrored: Mirrored, error: UpstreamError | None = None, times: int = 1) -> list[str]:
    """The lines that are written while the upstream responds, or fails with `error`."""
    mirrored.upstream.error, written = error, len(mirrored.lines)
    for _ in range(times):
        await mirrored.mirror.refresh()
    return mirrored.lines[written:]


async def test_definitions_are_requested_at_the_start_and_every_30_seconds(mirrored: Mirrored) -> None:
    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    mirrored.clock.slept.clear()
    mirrored.clock.at(95, stop)
    with pytest.raises(StoppedError):
        await mirrored.mirror._poll()
    assert set(mirrored.clock.slept) == {30}
    assert mirrored.upstream.fetches == 1 + 3


async def test_changed_definitions_are_served_and_announced(mirrored: Mirrored) -> None:
    news = mirrored.mirror.flags.news.events()
    assert await anext(news) == b": connected\n\n"
    mirrored.upstream.flags, mirrored.upstream.is_changed = [flag("newer")], True
    assert await refresh(mirrored) == []
    assert keys(mirrored.mirror) == ["newer"]
    assert await anext(news) == b'data: {"type":"refetchEvaluation"}\n\n'


async def test_each_trouble_and_its_end_is_one_line(mirrored: Mirrored) -> None:
    mirrored.clock.now += 300
    trouble = "eu.example.com is away. Trying again every 30 s."
    lines = [f"upstream: {trouble} Serving the definitions read 5 min ago."]
    assert await refresh(mirrored, AWAY, times=3) == lines
    assert mirrored.mirror.flags.flag_count == 2
    assert mirrored.mirror.describe()["trouble"] == trouble
    lines = ["upstream responds again; serving 2 flags as they are now"]
    assert await refresh(mirrored, times=2) == lines
    assert mirrored.mirror.trouble == ""
    await refresh(mirrored, UpstreamError("The key was not accepted.", "Check the key."))
    assert mirrored.mirror.trouble == "The key was not accepted. Check the key."


async def test_project_that_lost_all_flags_leaves_the_last_definitions(mirrored: Mirrored) -> None:
    mirrored.upstream.flags, mirrored.upstream.is_changed = [], True
    (line,) = await refresh(mirrored, times=2)
    assert "the project has no flags now, where it had 2 flags" in line
    await refresh(mirrored, AWAY)
    assert await refresh(mirrored) == [line]
    assert mirrored.mirror.flags.flag_count == 2
    mirrored.upstream.flags, mirrored.upstream.is_changed = [flag("newer")], True
    await refresh(mirrored)
    assert keys(mirrored.mirror) == ["newer"]


async def test_start_without_connection_serves_earlier_definitions(
    mirrored: Mirrored, tmp_path: Path
) -> None:
    kept = KeptDefinitions(tmp_path, "https://eu.example.com", "1")
    mirrored.mirror.kept, mirrored.upstream.is_changed = kept, True
    await refresh(mirrored)
    assert kept.path.stat().st_mode & 0o077 == 0
    mirrored.clock.now += 86_400
    async with mirrored.mirror.running():
        await refresh(mirrored)
    mirrored.upstream.error = AWAY
    later = SteadyClock(mirrored.clock.now + 7200)
    started = Mirror(mirrored.upstream, MirroredFlags(), mirrored.lines.append, kept=kept, clock=later)
    await started.start()
    assert keys(started) == ["plain", "for-staff"]
    assert mirrored.lines == [
        f"upstream: {AWAY} Trying again every 30 s. Serving the definitions read 2 h ago."
    ]


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"document": {}}', "[" * 5_000])
async def test_refused_key_or_unreadable_file_ends_the_start(
    mirrored: Mirrored, tmp_path: Path, text: Any
) -> None:
    mirrored.mirror.kept = kept = KeptDefinitions(tmp_path, "https://eu.example.com", "1")
    if text is not None:
        kept.path.parent.mkdir()
        kept.path.write_text(text)
    for error in (AWAY, NO_RESPONSE):
        mirrored.upstream.error = error
        with pytest.raises(UpstreamError, match=str(error)):
            await mirrored.mirror.start()


async def test_overrides_of_the_session_win_over_the_file(mirrored: Mirrored, tmp_path: Path) -> None:
    mirror = mirrored.mirror
    mirror.file = OverrideFile(tmp_path / "overrides.toml")
    mirror.file.path.write_text("[everyone]\na = 1\nb = 1")
    mirror.set([read_override("b=2"), read_override("c=2")])
    mirror.look_at_files()
    assert values(mirror) == {"a": 1, "b": 2, "c": 2}
    assert [str(each) for each in mirror.from_file] == ["a=1"]
    assert [mirror.unset("b"), mirror.unset("b")] == [True, False]
    assert values(mirror) == {"a": 1, "b": 1, "c": 2}
    assert mirror.clear() == 1
    assert values(mirror) == {"a": 1, "b": 1}


async def test_bad_override_file_is_one_line_and_changes_nothing(mirrored: Mirrored, tmp_path: Path) -> None:
    mirrored.mirror.file = OverrideFile(tmp_path / "overrides.toml")
    for text in ("[everyone]\na = 1", "[everyone]\na =", "[everyone]\na ="):
        mirrored.mirror.file.path.write_text(text)
        mirrored.mirror.look_at_files()
    _, line = mirrored.lines
    assert line.endswith("; keeping the last good 1 override")
    assert "overrides.toml:2: not valid TOML" in line
    assert values(mirrored.mirror) == {"a": 1}


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
    (line,) = mirrored.lines
    assert "cannot be written" in line


def test_known_requests_count_also_beside_too_many_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flagtui.mirror.requests_seen.MOST", 2)
    requests = [(key, "null", "flag_not_found", "curl") for key in "abc"]
    seen = RequestsSeen()
    for request in (*requests, *requests):
        seen.count([request])
    assert seen.counts == {requests[0]: 2, requests[1]: 2}


NOWHERE = Locations(None, None, None, None)
PROD = MirrorState(profile="prod", origin="https://eu.posthog.com", project="1")


@contextmanager
def serving(mirror: Mirror, secret: str = "given", port: int = 0) -> Iterator[int]:
    application = make_sdk_application(mirror.flags, MirrorEndpoints(mirror, secret).table(), mirror.running)
    with serving_in_thread(application, Place(port=port), mirror.flags.news) as served_port:
        yield served_port


@contextmanager
def serve(opened: OpenMirror, secret: str = "given") -> Iterator[MirrorControl]:
    with serving(opened.mirror) as port:
        yield MirrorControl(NOWHERE, RunningMirror(port, secret, 0), PROD)


async def test_state_has_overrides_requests_and_the_project(tmp_path: Path) -> None:
    file = OverrideFile(tmp_path / "overrides.toml")
    file.path.write_text("[everyone]\nold = true\nnew-nav = false\n")
    record = RecordFile(tmp_path / "requests.ndjson")
    opened = open_mirror("new-nav=on", "new-nav=off@ann", flags=[flag("new-nav")], file=file, record=record)
    opened.mirror.look_at_files()
    opened.request("gone", times=3)
    with serve(opened) as control:
        state = await control.read()
    assert (state.profile, state.origin, state.project) == ("prod", "https://eu.posthog.com", "1")
    assert state.is_recording
    assert [str(each.override) for each in state.overrides_of("new-nav")] == ["new-nav=on", "new-nav=off@ann"]
    assert [require(state.override_at(key)).is_in_file for key in ("old", "new-nav")] == [True, False]
    assert state.missing_keys == {"gone": 3}


async def test_override_is_set_and_removed_by_the_control_alone() -> None:
    opened = open_mirror()
    with serve(opened) as control:
        state = await control.set(Override("new-nav", "on", "ann"))
        assert [str(each.override) for each in state.overrides] == ['new-nav="on"@ann']
        assert (await control.unset("new-nav", "ann")).overrides == ()
    with serve(opened, secret="another") as control, pytest.raises(Unreachable, match="refused"):
        await control.set(Override("new-nav", True))
    assert len(opened.mirror.session) == 0
    with pytest.raises(Unreachable, match="does not respond"):
        await control.read()


async def test_restarted_mirror_of_the_project_is_used(tmp_path: Path) -> None:
    places = NOWHERE._replace(state=tmp_path)
    with serving(open_mirror().mirror) as port:
        control = MirrorControl(places, RunningMirror(port, "given", 0), PROD)
        await control.read()
    with pytest.raises(Unreachable, match="does not respond") as gone:
        await control.read()
    assert gone.value.next == f"Start it again with: flagtui mirror --profile prod --port {port}"
    again = open_mirror()
    with serving(again.mirror, "another", port), announce(places, port, "another"):
        state = await control.set(Override("new-nav", True))
    assert [str(each.override) for each in state.overrides] == ["new-nav=on"]
    other = replace(again.mirror, project=MirroredProject("prod", "https://eu.posthog.com", "2"))
    refused = pytest.raises(Unreachable, match="was started again and serves")
    with serving(other, "third", port), announce(places, port, "third"), refused:
        await control.unset("new-nav", None)
    assert len(other.session) == 1
