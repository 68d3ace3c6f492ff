"""The sample's flags: as drawn, of every kind, and with logs that lead back to the beginning."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.service.sample_data.conftest import NOW

from flagtui.service.sample_data.flag import SampleFlag
from flagtui.service.sample_data.flags import LISTED
from flagtui.service.sample_data.flags import web_flags as web_parts

DRAWN = [
    "billing-usage-alerts", "checkout-redesign", "new-nav", "kill-search-v2", "pricing-page-test",
    "ai-summaries", "rate-limit-tier", "dark-mode-default", "export-parquet", "mobile-deep-links",
    "team-invites-v3", "webhook-retries", "survey-nps-q4", "sql-editor-tabs", "replay-canvas", "hogql-joins",
    "geo-pricing", "checkout-v2-banner",
]  # fmt: skip


def web_flags(listed: int = LISTED) -> list[SampleFlag]:
    """The usual ones and the others."""
    usual, others = web_parts(NOW, listed)
    return [*usual, *others]


@pytest.fixture(scope="module")
def flags() -> list[SampleFlag]:
    return web_flags()


def listed_flags(flags: list[SampleFlag]) -> list[SampleFlag]:
    return [flag for flag in flags if not flag.state["deleted"] and not flag.state["archived"]]


def conditions_of(flags: list[SampleFlag]) -> Iterator[dict[str, Any]]:
    for flag in flags:
        for group in flag.filters["groups"]:
            yield from group["properties"]


def test_drawn_flags_are_listed_and_ordered_by_change(flags: list[SampleFlag]) -> None:
    assert len(listed_flags(flags)) == 248
    dated = [flag for flag in listed_flags(flags) if flag.updated_at]
    latest = sorted(dated, key=lambda flag: flag.updated_at or NOW, reverse=True)
    assert [flag.key for flag in latest[: len(DRAWN)]] == DRAWN


def test_conditions_are_of_every_kind_and_depend_on_existing_flags(flags: list[SampleFlag]) -> None:
    conditions = list(conditions_of(flags))
    assert {item["type"] for item in conditions} == {"person", "cohort", "group", "flag"}
    dependencies = [item["key"] for item in conditions if item["type"] == "flag"]
    assert len(dependencies) > 5
    assert set(dependencies) <= {str(flag.id) for flag in flags}
    banner = [flag for flag in flags if flag.key == "checkout-v2-banner"]
    assert next(conditions_of(banner))["key"] == "812"


LEAST = {
    "multivariate": 40, "is_remote_configuration": 5, "has_encrypted_payloads": 1, "archived": 10,
    "deleted": 5, "feature_enrollment": 2, "holdout": 1,
}  # fmt: skip


def test_every_kind_is_there(flags: list[SampleFlag]) -> None:
    for kind, least in LEAST.items():
        assert sum(bool(flag.filters.get(kind) or flag.state.get(kind)) for flag in flags) >= least, kind
    assert sum(not flag.state["active"] for flag in flags) >= 30
    assert any(flag.state["version"] is None for flag in flags)


def test_samples_of_any_size_keep_the_same_flags(flags: list[SampleFlag]) -> None:
    assert web_flags() == flags
    many = web_flags(2_000)
    assert len(listed_flags(many)) == 2_000
    assert many[: len(flags)] == flags
    assert len({flag.key for flag in many if not flag.state["deleted"]}) == len(many) - 6
    few = web_flags(1)
    assert {flag.key for flag in few} >= set(DRAWN)
    assert len(listed_flags(few)) < 60
