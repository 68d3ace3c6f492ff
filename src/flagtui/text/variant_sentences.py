"""The shares of a flag's variants as a sentence."""

from collections.abc import Sequence
from math import fsum
from typing import Final

from flagtui.evaluate.evaluation import VariantDraw
from flagtui.models.filters import Variant
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent

WHOLE: Final = 0.01
"""Percent by which shares may miss 100 and still be called whole."""


def rest_words(variants: Sequence[Variant]) -> str:
    """Who gets what where the shares of the variants are not 100 % together; empty where they are."""
    total = round(fsum(variant.rollout for variant in variants), 6)
    if not variants or abs(total - 100) < WHOLE:
        return ""
    if total < 100:
        who = f"the other {percent(100 - total)} of those let in get" if total else "those let in get"
        return f"{who} plain true, unless a condition says which variant"
    ranges = VariantDraw.among(0.0, [(variant.key, variant.rollout) for variant in variants]).ranges
    drawn = [(key, (min(high, 1.0) - min(low, 1.0)) * 100) for key, low, high in ranges]
    less = [
        f"{safe_text(key, 30)} gets {percent(round(share, 6))}"
        for (key, share), variant in zip(drawn, variants, strict=True)
        if share < variant.rollout - WHOLE
    ]
    return f"beyond 100 % nobody is left: {', '.join(less)}"
