"""Contradictions and unknown words exit with 2 before anything is sent.

Contradictory options are declared; test_command_matrix.py has each pair of them.
"""

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("flags create fresh --field nonsense=1 --yes", "'nonsense' is not a field of a flag"),
        ("experiments create A --flag-key a --field no=1", "'no' is not a field of an experiment"),
        ("flags create fresh --field key=other --yes", "KEY and --field key contradict each other"),
        ("experiments create A --flag-key a --field name=B --yes", "NAME and --field name contradict each"),
        ("flags edit 1 --field name=x --field name=y --yes", "--field name is given twice with different"),
        ("flags tag 1 --add x --remove x --yes", "x is both added and removed"),
        ("--project 1 flags list --project 2", "--project is given twice with different values"),
        ("--project 1 --project 2 flags list", "--project is given twice with different values"),
        ("-o json flags list -otsv", "--output is given twice with different values"),
        ("--mirror flags list", "--mirror is for the app, which opens without a command"),
        ("--linear --mirror", "--linear and --mirror contradict each other"),
        ("--flag web demo flags list", "--flag is for the app"),
        ("check --rules archived --require web", "--require needs the rule missing-required"),
        ("flags list is:on OR tag:web", "a query has no operators and no parentheses: 'OR'"),
        ("flags list (is:on)", "a query has no operators and no parentheses: '(is:on)'"),
    ],
)
def test_contradiction_exits_with_2(line: str, reason: str, online: Run) -> None:
    done = online(*line.split())
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


def test_quoted_operator_is_a_search_word(online: Run) -> None:
    assert online("flags", "list", '"OR"').code == 0
