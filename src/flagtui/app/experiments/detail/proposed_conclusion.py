"""The conclusion that the results of an experiment allow, for the question that ends it."""

from typing import Final

from msgspec import Struct

from flagtui.app.experiments.detail.exposures import analysed_count
from flagtui.app.experiments.detail.sections import sizing_of
from flagtui.details.metric_findings import Findings
from flagtui.text.judgement import leading_of


class ProposedConclusion(Struct, frozen=True):
    """A conclusion, empty for none yet, and why a winner cannot be concluded."""

    conclusion: str = ""
    objection: str = ""
    winner: str = ""
    """The key of the variant that won; empty for any other conclusion."""


NO_PROPOSAL: Final = ProposedConclusion()


def propose_conclusion(findings: Findings) -> ProposedConclusion:
    """Return the conclusion of the first metric; none with too few people or without a clear result."""
    leading, sizing, experiment = leading_of(findings), sizing_of(findings), findings.experiment
    if leading is None or experiment is None:
        return ProposedConclusion(objection="no results are loaded")
    seen = analysed_count(findings)
    if sizing is not None and seen < sizing.needed:
        people = f"{seen:,.0f} of {sizing.needed:,.0f} {experiment.unit}"
        return ProposedConclusion(objection=f"too few so far: {people}")
    clear = {"good": "won", "bad": "lost"}.get(leading.look, "")
    winner = leading.variant if clear == "won" else ""
    return ProposedConclusion(clear, "" if clear else "no clear result so far", winner)
