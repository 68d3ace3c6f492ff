"""The sample's flags: as drawn, of every kind, and with logs that lead back to the beginning."""

from datetime import UTC, datetime
from typing import Any

import pytest

from flagtui.service.sample_data.flag import SampleFlag
from flagtui.service.sample_data.flags import LISTED, mobile_flags
from flagtui.service.sample_data.flags import web_flags as web_parts

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DRAWN = [
    "billing-usage-alerts", "checkout-redesign", "new-nav", "kill-search-v2", "pricing-page-test",
    "ai-summaries", "rate-limit-tier", "dark-mode-default", "export-parquet", "mobile-deep-links",
    "team-invites-v3", "webhook-retries", "survey-nps-q4", "sql-editor-tabs", "replay-canvas", "hogql-joins",
    "geo-pricing", "checkout-v2-banner",
]  # fmt: skip


def web_flags(now: datetime, listed: int = LISTED) -> list[SampleFlag]:
    """The usual ones and the others."""
    usual, others = web_parts(now, listed)
    return [*usual, *others]


@pytest.fixture(scope="module")
def flags() -> list[SampleFlag]:
    return web_flags(NOW)


@pytest.fixture(scope="module")
def by_key(flags: list[SampleFlag]) -> dict[str, SampleFlag]:
    return {flag.key: flag for flag in flags}


def changes_of(flag: SampleFlag) -> list[dict[str, Any]]:
    return [change for entry in flag.log for change in entry.changes]


def listed_flags(flags: list[SampleFlag]) -> list[SampleFlag]:
    return [flag for flag in flags if not flag.state["deleted"] and not flag.state["archived"]]


def test_drawn_flags_are_listed_and_ordered_by_change(flags: list[SampleFlag]) -> None:
    assert len(listed_flags(flags)) == 248
    dated = [flag for flag in listed_flags(flags) if flag.updated_at]
    latest = sorted(dated, key=lambda flag: flag.updated_at or NOW, reverse=True)
    assert [flag.key for flag in latest[: len(DRAWN)]] == DRAWN


def test_the_famous_flag_is_as_drawn(by_key: dict[str, SampleFlag]) -> None:
    flag = by_key["checkout-redesign"]
    first, second = flag.filters["groups"]
    assert (flag.id, flag.state["version"], flag.state["name"]) == (812, 13, "New checkout flow for web")
    assert [item["operator"] for item in first["properties"]] == ["ends_with", "exact"]
    assert (first["rollout_percentage"], second["rollout_percentage"]) == (50, 10)
    assert [entry.author for entry in flag.log[-4:]] == [1, 2, 3, 1]
    assert flag.log[-4].changes[0] | {"type": ""} == {
        "type": "", "action": "changed", "field": "active", "before": False, "after": True,
    }  # fmt: skip


def test_the_banner_asks_for_the_famous_flag_by_id(by_key: dict[str, SampleFlag]) -> None:
    (group,) = by_key["checkout-v2-banner"].filters["groups"]
    assert group["properties"][0]["key"] == "812"


def test_every_dependency_is_on_a_flag_that_exists(flags: list[SampleFlag]) -> None:
    ids = {str(flag.id) for flag in flags}
    keys = [
        item["key"]
        for flag in flags
        for group in flag.filters["groups"]
        for item in group["properties"]
        if item["type"] == "flag"
    ]
    assert len(keys) > 5
    assert set(keys) <= ids


@pytest.mark.parametrize("make", [web_flags, mobile_flags])
def test_every_log_leads_back_to_version_one(make: Any) -> None:
    for flag in make(NOW):
        columns = dict(flag.state)
        for change in reversed(changes_of(flag)):
            assert columns[change["field"]] == change["after"], (flag.key, change)
            columns[change["field"]] = change["before"]
        assert columns["version"] in (1, None)
        assert len(flag.log) == (flag.state["version"] or 0)


@pytest.mark.parametrize("make", [web_flags, mobile_flags])
def test_no_log_runs_backwards_or_ahead_of_now(make: Any) -> None:
    for flag in make(NOW):
        times = [entry.at for entry in flag.log] + [NOW]
        assert times == sorted(times), flag.key


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("multivariate", 40), ("is_remote_configuration", 5), ("has_encrypted_payloads", 1), ("archived", 10),
        ("deleted", 5), ("feature_enrollment", 2), ("holdout", 1), ("off", 30), ("never versioned", 1),
    ],
)  # fmt: skip
def test_every_kind_is_there(flags: list[SampleFlag], kind: str, least: int) -> None:
    facts: dict[str, Any] = {
        "off": lambda flag: not flag.state["active"],
        "never versioned": lambda flag: flag.state["version"] is None,
    }
    has = facts.get(kind, lambda flag: bool(flag.filters.get(kind) or flag.state.get(kind)))
    assert sum(map(has, flags)) >= least


def test_conditions_ask_for_people_cohorts_companies_and_flags(flags: list[SampleFlag]) -> None:
    kinds = {
        item["type"] for flag in flags for group in flag.filters["groups"] for item in group["properties"]
    }
    assert kinds == {"person", "cohort", "group", "flag"}


def test_samples_of_any_size_keep_the_same_flags(flags: list[SampleFlag]) -> None:
    assert list(web_flags(NOW)) == list(web_flags(NOW))
    many = list(web_flags(NOW, 2_000))
    assert len(listed_flags(many)) == 2_000
    assert many[: len(flags)] == flags
    assert len({flag.key for flag in many if not flag.state["deleted"]}) == len(many) - 6
    few = list(web_flags(NOW, 1))
    assert {flag.key for flag in few} >= set(DRAWN)
    assert len(listed_flags(few)) < 60
