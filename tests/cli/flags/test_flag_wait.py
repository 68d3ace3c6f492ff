"""`flags wait`, and the exit status of `flags get`."""

import json

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize("state", ["on", "rollout=25", "rollout=25%"])
def test_wait_ends_when_the_flag_is_in_the_state(signed_in: Run, state: str) -> None:
    done = signed_in("flags", "wait", "new-nav", "--until", state, "--json")
    assert (done.code, json.loads(done.out)["records"][0]["key"]) == (0, "new-nav")


def test_wait_exits_with_findings_when_time_ends(signed_in: Run) -> None:
    done = signed_in("flags", "wait", "new-nav", "kill-search-v2", "--until", "off", "--wait", "0")
    assert (done.code, done.out) == (7, "")
    assert done.err == "flagtui: not off after 0 s: new-nav. Nothing was changed.\n"


@pytest.mark.parametrize("state", ["", "gone", "rollout", "rollout=", "rollout=101", "on=1"])
def test_wait_refuses_an_unknown_state(signed_in: Run, state: str) -> None:
    assert signed_in("flags", "wait", "new-nav", "--until", state).code == 2


@pytest.mark.parametrize(("keys", "code"), [(("new-nav",), 0), (("new-nav", "kill-search-v2"), 7)])
def test_exit_status_of_get_tests_whether_flags_are_on(
    signed_in: Run, keys: tuple[str, ...], code: int
) -> None:
    done = signed_in("flags", "get", *keys, "--exit-status", "--fields", "key")
    assert (done.code, done.out.split()) == (code, [*keys])
