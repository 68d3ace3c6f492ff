"""Exposures of each variant, the planned shares, and signs of a suspect split."""

from collections.abc import Iterator
from typing import Final

from flagtui.app.widgets.line import fill
from flagtui.details.metric_findings import Findings
from flagtui.models.experiment import Experiment
from flagtui.safe_text import safe_text
from flagtui.text.formats import measured_percent, percent_in
from flagtui.text.judgement import HELD_OUT, MISMATCH_BELOW, ratio_mismatch
from flagtui.text.long_lists import shorten
from flagtui.text.styled import Piece

Lines = Iterator[list[Piece]]
MOST_VARIANTS: Final = 100
LONG_NOTE: Final = 600
"""Characters of the note on a variant, in as many lines as they take."""
SEVERAL: Final = "$multiple"
"""In place of a variant: users who saw several."""
OWN_ALARMS: Final = ("srm", "bias_risk_multiple_excluded")
"""Health findings of servers that are drawn from the exposures."""


def variant_lines(findings: Findings, width: int) -> Lines:
    """Yield each variant with its share, exposures and note, and whether the split is as intended."""
    experiment = findings.experiment
    if experiment is None:
        return
    shares = {variant.key: variant.rollout for variant in experiment.variants}
    total = sum(findings.exposed.get(key, 0.0) for key in shares)
    excluded = set(experiment.excluded_variants)
    name = max(9, min(24, width - 29))
    yield [(f"{'VARIANTS':<{name}}{'SHARE':>8}{'EXPOSED':>12}", "$text-muted")]

    def lines(key: str, share: float) -> Lines:
        seen = findings.exposed.get(key)
        part = measured_percent(seen / total * 100) if seen is not None and total else ""
        yield [
            (f"{fill(safe_text(key), name - 1)} ", "bold"),
            (f"{percent_in(share, 8):>8}", ""),
            (f"{seen:>12,.0f}" if seen is not None else f"{'':>12}", ""),
            (f"{part:>9}", "$text-muted"),
            ("  excluded from the results" if key in excluded else "", "$warning"),
        ]
        if note := experiment.notes.get(key):
            yield [(f"  {safe_text(note, LONG_NOTE)}", "$text-muted")]

    blocks = ([*lines(*item)] for item in shares.items())
    yield from shorten(blocks, len(shares), "variants", MOST_VARIANTS)
    for key, seen in findings.exposed.items():
        if shares and key not in shares:
            yield [
                (f"{fill(safe_text(key), name - 1)} ", "$text-muted"),
                (f"{seen:>20,.0f}", "$text-muted"),
                (f"  {_why_apart(key)}not analysed", "$faint"),
            ]
    yield from _mismatch_lines(findings, shares_of(experiment))
    yield []


def _why_apart(key: str) -> str:
    if key == SEVERAL:
        return "saw several variants, "
    return "held out, " if key.startswith(HELD_OUT) else ""


def shares_of(experiment: Experiment) -> dict[str, float]:
    """Return the intended split, without variants that are excluded from the results."""
    excluded = set(experiment.excluded_variants)
    return {variant.key: variant.rollout for variant in experiment.variants if variant.key not in excluded}


def analysed_count(findings: Findings) -> float:
    """Return how many are analysed: not those with several variants, held out, or excluded."""
    shares = shares_of(findings.experiment) if findings.experiment is not None else {}
    return sum(
        seen
        for key, seen in findings.exposed.items()
        if key in shares or not (shares or key == SEVERAL or key.startswith(HELD_OUT))
    )


def alarm_lines(findings: Findings) -> Lines:
    """Warn above the numbers of problems that make them worthless, and of those that the server reports."""
    if findings.experiment is None:
        return
    p_value = ratio_mismatch(findings.exposed, shares_of(findings.experiment))
    if p_value is not None and p_value < MISMATCH_BELOW:
        yield [(f"! uneven split (p = {p_value:.1g}): do not trust these results", "bold $error")]
    if findings.bias_percentage is not None:
        share, unit = measured_percent(findings.bias_percentage), findings.experiment.unit
        yield [(f"! risk of bias: {share} of {unit} saw several variants and are excluded", "bold $warning")]
    for fault in findings.health:
        if fault.code in OWN_ALARMS:
            continue
        style = "$error" if fault.severity in ("error", "critical", "danger") else "$warning"
        title = safe_text(fault.title or fault.code.replace("_", " "), 200)
        detail = f": {safe_text(fault.detail, 300)}" if fault.detail else ""
        yield [(f"! {title}", f"bold {style}"), (detail, style)]


def _mismatch_lines(findings: Findings, shares: dict[str, float]) -> Lines:
    unit = findings.experiment.unit if findings.experiment is not None else "users"
    if findings.exposure_trouble:
        by = f"{unit} of the first metric; " if findings.exposed else ""
        yield [(f"{by}exposures are not known: {safe_text(findings.exposure_trouble, 120)}", "$warning")]
        return
    p_value = ratio_mismatch(findings.exposed, shares)
    if p_value is None:
        return
    if p_value >= MISMATCH_BELOW:
        yield [(f"traffic split ok (χ² test, p = {p_value:.3g})", "$faint")]
        return
    words = f"! traffic split uneven, not as intended (χ² test, p = {p_value:.1g})."
    yield [(words, "bold $error"), (f" Something loses {unit}; do not trust the results.", "$error")]
