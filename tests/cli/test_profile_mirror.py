"""Which mirror and which profile `flagtui --mirror` opens, and that the server is only read there."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.cli.conftest import write_settings
from tests.doubles.expected import require
from tests.doubles.open_mirror import open_mirror

from flagtui.api.errors import ApiError
from flagtui.cli.launch.app_session import KeyInUse, make_session
from flagtui.cli.launch.profile_mirror import find_running, open_mirrored
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.profile_choice import ProfileRequest, choose, read_login_environment
from flagtui.cli.plumbing.sample_project import SAMPLE_ORIGIN
from flagtui.config.guard_rules import Level
from flagtui.config.locations import find_locations
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import MirroredProject
from flagtui.mirror.running_mirrors import announce
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

PROD = MirroredProject("prod", "https://eu.posthog.com", "1")
SETTINGS = """
default_profile = "other"

[profiles.prod]
host = "eu"
project = 1
guard = "strict"
colour = "red"

[profiles.other]
host = "https://flags.staging.example"

[profiles.mine]
host = "eu"
project = 1
mirror = true
"""


@pytest.fixture(autouse=True)
def _written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(home, SETTINGS)
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_from_the_environment_0001")


@contextmanager
def running_mirror(project: MirroredProject | None) -> Iterator[int]:
    """Serve a mirror of this project in this process, where the app finds it."""
    mirror = replace(open_mirror("new-nav=on").mirror, project=project)
    application = make_sdk_application(mirror.flags, MirrorEndpoints(mirror, "given").table(), mirror.running)
    with serving_in_thread(application, Place(port=0)) as port, announce(find_locations(), port, "given"):
        yield port


def request(profile: str | None = None) -> ProfileRequest:
    return ProfileRequest(profile, mirror=True)


def test_mirror_opens_its_own_profile_read_only_with_its_badge() -> None:
    environment = read_login_environment()
    with running_mirror(PROD) as port:
        opening = open_mirrored(environment, request(), find_running(environment.places))
        session = make_session(opening, read_only=False)
        assert (session.profile, session.badge, session.colour) == ("prod", "MIRROR", "secondary")
        assert (session.rules.level, session.rules.place) == (Level.READ_ONLY, "MIRROR")
        mirror = require(session.mirror)
        assert mirror.address == f"http://127.0.0.1:{port}"
        assert str(require(asyncio.run(mirror.read()).override_at("new-nav")).override) == "new-nav=on"


def test_mirror_of_a_host_in_the_environment_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    project = MirroredProject("", "http://127.0.0.1:8010", "1")
    monkeypatch.setenv("FLAGTUI_HOST", project.origin)
    monkeypatch.setenv("FLAGTUI_PROJECT", project.project)
    environment = read_login_environment()
    with running_mirror(project):
        opening = open_mirrored(environment, request(), find_running(environment.places))
        assert make_session(opening, read_only=False).mirror is not None


@pytest.mark.parametrize("profile", ["mine", "prod"])
def test_connection_of_a_mirror_refuses_every_write(profile: str) -> None:
    opening = choose(read_login_environment(), ProfileRequest(profile)).mirrored

    async def write() -> None:
        for client in (await KeyInUse(opening).connect(), KeyInUse(opening).client_with("phx_typed_0001")):
            with pytest.raises(ApiError, match="This connection only reads"):
                await client.flags.update(1, {"active": False})
            await client.close()

    asyncio.run(write())


def test_profile_of_a_mirror_refuses_changes_and_names_its_start() -> None:
    opening = choose(read_login_environment(), ProfileRequest("mine"))
    assert opening.rules(read_only=False).level is Level.READ_ONLY
    with pytest.raises(Trouble, match=r"No mirror of yours is running\. Start one with: flagtui mirror"):
        find_running(find_locations())
    with pytest.raises(Trouble, match="No mirror of yours is running"):
        make_session(choose(read_login_environment(), ProfileRequest("mine")), read_only=False)


@pytest.mark.parametrize(("project", "profile", "words"), [
    (PROD, "other", "serves prod (https://eu.posthog.com, project 1), not other. Start one"),
    (replace(PROD, project="2"), "prod", "The mirror on port PORT serves prod"),
    (MirroredProject("", SAMPLE_ORIGIN, "1"), "prod", "The mirror on port PORT serves prod"),
    (None, None, "which the app cannot list. Start one for a profile with: flagtui mirror"),
])  # fmt: skip
def test_mirror_of_another_project_is_one_line(
    project: MirroredProject | None, profile: str | None, words: str
) -> None:
    environment = read_login_environment()

    def open_it() -> None:
        opening = open_mirrored(environment, request(profile), find_running(environment.places))
        make_session(opening, read_only=False)

    with running_mirror(project) as port, pytest.raises(Trouble) as trouble:
        open_it()
    assert words.replace("PORT", str(port)) in str(trouble.value)


def test_profile_chooses_among_several_mirrors() -> None:
    staging = MirroredProject("other", "https://flags.staging.example", "1")
    environment = read_login_environment()
    with running_mirror(PROD) as first, running_mirror(staging) as second:
        assert find_running(environment.places, "other").running.port == second
        session = make_session(choose(environment, ProfileRequest("mine")), read_only=False)
        assert require(session.mirror).address == f"http://127.0.0.1:{first}"
        with pytest.raises(Trouble) as trouble:
            find_running(environment.places)
    for words in (f"prod on port {first}", f"other on port {second}", "flagtui --mirror --profile NAME"):
        assert words in str(trouble.value)
