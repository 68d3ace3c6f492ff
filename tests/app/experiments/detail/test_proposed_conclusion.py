"""The conclusion that is proposed when an experiment ends."""

import pytest
from tests.app.experiments.detail.test_metric_table import experiment, findings, sample

from flagtui.app.experiments.detail.proposed_conclusion import ProposedConclusion, propose_conclusion


@pytest.mark.parametrize(
    ("people", "total", "is_clear", "proposed"),
    [
        (3_000, 400, True, ProposedConclusion("won")),
        (3_000, 200, True, ProposedConclusion("lost")),
        (3_000, 310, False, ProposedConclusion(objection="no clear result so far")),
        (200, 27, True, ProposedConclusion(objection="too few so far: 400 of 5,000 people")),
    ],
)
def test_winner_is_proposed_for_a_clear_result_with_enough_people(
    people: int, total: float, is_clear: bool, proposed: ProposedConclusion
) -> None:
    made = experiment("control", "test", parameters={"recommended_sample_size": 5_000})
    result = {
        "baseline": sample("control", people, people / 10),
        "variant_results": [sample("test", people, total, significant=is_clear)],
    }
    assert propose_conclusion(findings(made, result, control=people, test=people)) == proposed


def test_nothing_is_proposed_without_results() -> None:
    made = experiment("control", "test")
    assert propose_conclusion(findings(made, None)) == ProposedConclusion(objection="no results are loaded")
