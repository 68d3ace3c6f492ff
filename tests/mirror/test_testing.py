"""`flagtui.testing`: a mirror within a test of another program."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from tests.doubles.official_sdk import quiet_client

from flagtui.mirror.overrides import InvalidOverride
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

        assert client.get_all_flags("ann") == {
            **{"new-nav": True, "checkout": "test", "limits": True, "old": False}
        }
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


def test_definitions_are_evaluated_where_no_value_is_set() -> None:
    condition = {"properties": [], "rollout_percentage": 100}
    document = {"flags": [{"id": 1, "key": "stored", "active": True, "filters": {"groups": [condition]}}]}
    with mirror({"new-nav": True}, definitions=document) as flags:
        assert (value_of(flags, "stored"), value_of(flags, "new-nav")) == (True, True)


def test_requests_are_reported() -> None:
    with mirror({"new-nav": True}) as flags:
        value_of(flags, "new-nav")
        assert [(each["key"], each["value"], each["count"]) for each in flags.requested] == [
            ("new-nav", True, 1)
        ]


@pytest.mark.parametrize("value", [None, [], "", float("nan")])
def test_value_that_no_flag_serves_is_refused(value: Any) -> None:
    with pytest.raises(InvalidOverride), mirror({"new-nav": value}):
        raise AssertionError("no mirror starts")


def test_fixture_is_made_by_importing_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from flagtui.testing import flag_mirror\n")
    (tmp_path / "test_theirs.py").write_text(
        "def test_theirs(flag_mirror):\n"
        "    flag_mirror.set('new-nav', True)\n"
        "    assert flag_mirror.host.startswith('http://127.0.0.1:')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
