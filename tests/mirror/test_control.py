"""The requests by which the app reads and changes the overrides of a running mirror."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.expected import require
from tests.doubles.open_mirror import OpenMirror, open_mirror
from tests.mirror.conftest import flag

from flagtui.api.errors import Unreachable
from flagtui.config.locations import Locations
from flagtui.mirror.control import MirrorControl
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import Mirror, MirroredProject
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.requests_seen import RecordFile
from flagtui.mirror.running_mirrors import RunningMirror, announce
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import Override
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

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
    assert require(state.override_at("old")).is_in_file
    assert not require(state.override_at("new-nav")).is_in_file
    assert state.missing_keys == {"gone": 3}


async def test_override_is_set_and_removed() -> None:
    opened = open_mirror()
    with serve(opened) as control:
        state = await control.set(Override("new-nav", "on", "ann"))
        assert [str(each.override) for each in state.overrides] == ['new-nav="on"@ann']
        assert (await control.unset("new-nav", "ann")).overrides == ()


async def test_refused_or_missing_control_means_no_change_was_made() -> None:
    opened = open_mirror()
    with serve(opened, secret="another") as control, pytest.raises(Unreachable, match="refused"):
        await control.set(Override("new-nav", True))
    assert len(opened.mirror.session) == 0
    with pytest.raises(Unreachable, match="does not respond"):
        await control.read()


async def test_restarted_mirror_of_the_project_is_used(tmp_path: Path) -> None:
    places = replace(NOWHERE, state=tmp_path)
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
    with (
        serving(other, "third", port),
        announce(places, port, "third"),
        pytest.raises(Unreachable, match="was started again and serves"),
    ):
        await control.unset("new-nav", None)
    assert len(other.session) == 1
