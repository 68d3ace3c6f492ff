"""Contradictory options and unknown words exit with 2 before anything is sent."""

import pytest
from tests.cli.conftest import Run, Service, run_at


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("flags schedule 1 --on --off --at +2h --yes", "Give only one of --on, --off and --add-share"),
        ("flags schedule 1 --drop 3 --off --yes", "--drop takes a change back"),
        ("flags copy 1 --to-key other --to-project 2 --yes", "Give only one of --to-key and --to-project"),
        ("flags create fresh --kind boolean --variant a --yes", "a boolean flag has no variants"),
        ("flags create fresh --field nonsense=1 --yes", "'nonsense' is not a field of a flag"),
        ("flags edit 1 --field name=x --from - --yes", "Give only one of --field, --from and --print"),
        ("flags list is:on OR tag:web", "a query has no operators and no parentheses: 'OR'"),
        ("flags list (is:on)", "a query has no operators and no parentheses: '(is:on)'"),
    ],
)
def test_contradiction_exits_with_2(
    line: str, reason: str, service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run_at(service.address, run, monkeypatch)(*line.split())
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


def test_quoted_operator_is_a_search_word(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_at(service.address, run, monkeypatch)("flags", "list", '"OR"').code == 0
