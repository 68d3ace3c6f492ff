"""The requests by which the app reads and changes the overrides of a running mirror."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.doubles.expected import require
from tests.doubles.open_mirror import OpenMirror, open_mirror
from tests.mirror.conftest import flag

from flagtui.api.errors import Unreachable
from flagtui.mirror.control import MirrorControl
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.requests_seen import RecordFile
from flagtui.mirror.running_mirrors import RunningMirror
from flagtui.models.override import Override
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread


@contextmanager
def served(opened: OpenMirror, secret: str = "given") -> Iterator[MirrorControl]:
    mirror = opened.mirror
    application = make_sdk_application(mirror.flags, MirrorEndpoints(mirror, "given").table(), mirror.running)
    with serving_in_thread(application, Place(port=0), mirror.flags.news) as port:
        yield MirrorControl(RunningMirror(port, secret, 0))


async def test_state_has_overrides_requests_and_the_project(tmp_path: Path) -> None:
    file = OverrideFile(tmp_path / "overrides.toml")
    file.path.write_text("[everyone]\nold = true\nnew-nav = false\n")
    record = RecordFile(tmp_path / "requests.ndjson")
    opened = open_mirror("new-nav=on", "new-nav=off@ann", flags=[flag("new-nav")], file=file, record=record)
    opened.mirror.look_at_files()
    opened.request("gone", times=3)
    with served(opened) as control:
        state = await control.read()
    assert (state.profile, state.origin, state.project) == ("prod", "https://eu.posthog.com", "1")
    assert state.is_recording
    assert [str(each.override) for each in state.overrides_of("new-nav")] == ["new-nav=on", "new-nav=off@ann"]
    assert require(state.override_at("old")).is_in_file
    assert not require(state.override_at("new-nav")).is_in_file
    assert state.missing_keys == {"gone": 3}


async def test_override_is_set_and_removed() -> None:
    opened = open_mirror()
    with served(opened) as control:
        state = await control.set(Override("new-nav", "on", "ann"))
        assert [str(each.override) for each in state.overrides] == ['new-nav="on"@ann']
        assert (await control.unset("new-nav", "ann")).overrides == ()


async def test_refused_or_missing_control_means_no_change_was_made() -> None:
    opened = open_mirror()
    with served(opened, secret="another") as control, pytest.raises(Unreachable, match="refused"):
        await control.set(Override("new-nav", True))
    assert len(opened.mirror.session) == 0
    with pytest.raises(Unreachable, match="does not respond"):
        await control.read()
