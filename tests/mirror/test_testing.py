"""`flagtui.testing`: a mirror within a test of another program."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.doubles.official_sdk import quiet_client

from flagtui.models.override import InvalidOverride
from flagtui.testing import FlagMirror, mirror


def value_of(flags: FlagMirror, key: str, person: str = "ann") -> Any:
    body = json.dumps({"context": {"targetingKey": person}}).encode()
    with urlopen(Request(f"{flags.host}/ofrep/v1/evaluate/flags/{key}", body)) as response:
        return json.load(response).get("value")


def test_values_are_served_to_the_official_client_and_change() -> None:
    values = {"new-nav": True, "checkout": "test", "limits": {"max": 3}, "old": False}
    with mirror(values, persons={"bob": {"checkout": "control"}}) as flags:
        client = quiet_client(flags.host, token=flags.token, key=None)

        def value(key: str, person: str = "ann") -> Any:
            return client.evaluate_flags(person).get_flag(key)

        assert client.get_all_flags("ann") == {**values, "limits": True}
        assert value("checkout", "bob") == "control"
        assert client.evaluate_flags("ann").get_flag_payload("limits") == {"max": 3}
        flags.set("new-nav", False)
        flags.set("checkout", "blue", person="ann")
        assert (value("new-nav"), value("checkout")) == (False, "blue")
        flags.unset("checkout", person="ann")
        assert value("checkout") == "test"
        flags.clear()
        assert not value("new-nav")
        client.shutdown()


def test_definitions_are_evaluated_beside_the_values() -> None:
    condition = {"properties": [], "rollout_percentage": 100}
    document = {"flags": [{"id": 1, "key": "stored", "active": True, "filters": {"groups": [condition]}}]}
    with mirror({"new-nav": True}, definitions=document) as flags:
        assert (value_of(flags, "stored"), value_of(flags, "new-nav")) == (True, True)


@pytest.mark.parametrize("value", [None, [], "", float("nan")])
def test_value_that_no_flag_serves_is_refused(value: Any) -> None:
    with pytest.raises(InvalidOverride), mirror({"new-nav": value}):
        raise AssertionError("no mirror starts")


def test_fixture_starts_without_flags_and_reports_requests(flag_mirror: FlagMirror) -> None:
    with pytest.raises(HTTPError, match="404"):
        value_of(flag_mirror, "new-nav")
    flag_mirror.set("new-nav", True)
    for key in ("new-nav=test", " new-nav", "new-nav "):
        with pytest.raises(InvalidOverride):
            flag_mirror.set(key, "other")
    assert value_of(flag_mirror, "new-nav") is True
    requested = [(each["key"], each["value"], each["count"]) for each in flag_mirror.requested]
    assert requested == [("new-nav", None, 1), ("new-nav", True, 1)]


def test_other_names_are_not_there() -> None:
    with pytest.raises(ImportError):
        exec("from flagtui.testing import flag_mirrors")


def test_open_stream_ends_with_the_mirror() -> None:
    with mirror({"new-nav": True}) as flags:
        stream = urlopen(f"{flags.host}/ofrep/v1/events")
        assert stream.readline() == b": connected\n"
        flags.set("new-nav", False)
        assert [stream.readline() for _ in range(2)][1].startswith(b"data: ")
    with stream:
        assert stream.read() == b"\n"
