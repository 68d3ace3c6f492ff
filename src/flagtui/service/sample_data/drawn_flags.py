"""The flags at the top of the list, written by hand: each with an activity log of its own."""

from collections.abc import Iterator
from typing import Final

from flagtui.service.sample_data.filters import (
    cohort,
    filters,
    flag,
    group,
    person,
    split,
    with_rollout,
)
from flagtui.service.sample_data.flag import SampleFlag, state
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE, MO, PRIYA, SAM
from flagtui.service.sample_data.ramps import Ramp, ramped

CONTROL_AND_TEST: Final = split(("control", 50), ("test", 50), names=("Control Group", "Test Variant"))
BETA_TESTERS: Final = 1
"""The id of the cohort of that name."""
EUROPE: Final = ["DE", "FR", "NL"]

INVITES: Final = (("link", 40), ("email", 40), ("both", 20))
PRICES: Final = (("usd", 34), ("eur", 33), ("local", 33))

RAMPS: Final = (
    Ramp(
        "billing-usage-alerts",
        "Mail at 80 % and 100 % of the plan's usage",
        "server",
        "billing",
        MO,
        ((40, 10), (21, 50), (1 / 1440, 100)),
    ),
    Ramp(
        "new-nav",
        "Navigation with a collapsible sidebar",
        "client",
        "web nav",
        PRIYA,
        ((35, 5), (9, 10), (2, 25)),
    ),
    Ramp(
        "export-parquet",
        "Export query results as Parquet",
        "server",
        "exports",
        PRIYA,
        ((48, 10), (19, 50), (4, 75)),
    ),
    Ramp(
        "mobile-deep-links", "Open app links in the mobile app", "client", "mobile", SAM, ((90, 20), (6, 100))
    ),
    Ramp(
        "team-invites-v3",
        "Invite by link, by mail, or both",
        "all",
        "teams",
        MO,
        ((30, 20), (8, 60)),
        INVITES,
    ),
    Ramp(
        "webhook-retries",
        "Retry failed webhooks for a day, backing off",
        "server",
        "infra",
        SAM,
        ((60, 25), (9, 100)),
    ),
    Ramp(
        "sql-editor-tabs",
        "More than one query open at a time",
        "client",
        "data",
        PRIYA,
        ((44, 5), (15, 30)),
    ),
    Ramp("replay-canvas", "Record canvas elements in replays", "client", "replay beta", ALICE, ((18, 5),)),
    Ramp(
        "hogql-joins",
        "Joins to warehouse tables in queries",
        "server",
        "data",
        PRIYA,
        ((120, 10), (51, 50), (21, 100)),
    ),
    Ramp(
        "geo-pricing",
        "Prices in the visitor's own currency",
        "server",
        "growth billing",
        MO,
        ((70, 10), (25, 100)),
        PRICES,
    ),
    Ramp(
        "onboarding-tour",
        "Guided tour for new workspaces",
        "client",
        "onboarding",
        MO,
        ((250, 20), (200, 60), (122, 100)),
    ),
    Ramp(
        "old-signup-form",
        "Long signup form, kept for partner links",
        "all",
        "signup legacy",
        SAM,
        ((520, 50), (276, 100)),
    ),
)


def drawn_flags(moments: Moments) -> Iterator[SampleFlag]:
    yield checkout_redesign(moments)
    yield kill_search(moments)
    yield pricing_page_test(moments)
    yield ai_summaries(moments)
    yield rate_limit_tier(moments)
    yield checkout_banner(moments)
    yield switched_off(moments, "dark-mode-default", "Dark theme for people who chose none", "web", 3)
    yield switched_off(moments, "survey-nps-q4", "Ask for a score in the fourth quarter", "surveys", 12)
    ramps = {ramp.key: ramped(moments, ramp) for ramp in RAMPS}
    ramps["new-nav"].edit(moments.ago(hours=1), PRIYA)
    forget_callers(moments, ramps)
    yield from ramps.values()


def forget_callers(moments: Moments, made: dict[str, SampleFlag]) -> None:
    """Both ways to go stale: fully rolled out and never asked for, and not asked for in a long time."""
    made["onboarding-tour"].called_at = None
    made["old-signup-form"].called_at = moments.ago(95)


def checkout_redesign(moments: Moments) -> SampleFlag:
    """Twelve versions: tried inside, tested on customers, paused for five hours, widened two minutes ago."""
    ago = moments.ago
    email = person("email", "ends_with", "@acme.com")
    narrow = filters(group(5, email), group(0), variants=CONTROL_AND_TEST)
    quarter = with_rollout(with_rollout(narrow, 25), 10, 1)
    paid = {**quarter, "payloads": {"test": '{"cta": "Buy now"}'}}
    europe_first = group(25, email, person("country", "exact", EUROPE))
    europe = {**paid, "groups": [europe_first, paid["groups"][1]]}
    columns = state("checkout-redesign", narrow, "New checkout", active=False)
    made = SampleFlag(columns, ago(71), ALICE, ("checkout", "web"), ago(hours=1))
    made.edit(ago(64), MO, name="New checkout flow for web")
    made.edit(ago(50), PRIYA, filters=with_rollout(narrow, 10))
    made.edit(ago(41), ALICE, active=True)
    made.edit(ago(33), ALICE, filters=quarter)
    made.edit(ago(20), SAM, active=False)
    made.edit(ago(12, hours=3), ALICE, active=True)
    made.edit(ago(9), MO, filters=paid)
    made.edit(ago(2, hours=5), SAM, active=False)
    made.edit(ago(2), ALICE, active=True)
    made.edit(ago(hours=3), SAM, filters=europe)
    made.edit(ago(minutes=2), ALICE, filters=with_rollout(europe, 50))
    return made


def kill_search(moments: Moments) -> SampleFlag:
    everyone = filters(group(100))
    columns = state("kill-search-v2", everyone, "Off switch for the second search backend")
    made = SampleFlag(columns, moments.ago(160), SAM, ("kill-switch",), moments.ago(hours=3))
    made.edit(moments.ago(hours=3), SAM, active=False, filters=with_rollout(everyone, 0))
    return made


def pricing_page_test(moments: Moments) -> SampleFlag:
    targeting = filters(group(20), variants=CONTROL_AND_TEST)
    columns = state(
        "pricing-page-test", targeting, "Three plans side by side", evaluation_runtime="client", active=False
    )
    made = SampleFlag(columns, moments.ago(45), MO, ("growth",), moments.ago(minutes=9))
    made.edit(moments.ago(30), MO, active=True)
    made.edit(moments.ago(hours=5), PRIYA, filters=with_rollout(targeting, 100))
    return made


def ai_summaries(moments: Moments) -> SampleFlag:
    models = split(("v1", 50), ("v2", 50), names=("Short model", "Long model"))
    first = filters(group(5, cohort(BETA_TESTERS)), variants=models)
    prompts = {**first, "payloads": {"v1": '{"tokens": 200}', "v2": '{"tokens": 800}'}}
    columns = state("ai-summaries", first, "Summaries above long reports", evaluation_runtime="server")
    made = SampleFlag(columns, moments.ago(33), PRIYA, ("ai", "beta"), moments.ago(minutes=20))
    made.edit(moments.ago(8), ALICE, filters=prompts)
    made.edit(moments.ago(1), PRIYA, filters=with_rollout(prompts, 10))
    return made


def rate_limit_tier(moments: Moments) -> SampleFlag:
    limits = '{"free": 60, "pro": 600, "scale": 6000, "burst": 1.5}'
    first = filters(group(100), payloads={"true": '{"free": 60, "pro": 300}'})
    columns = state(
        "rate-limit-tier",
        first,
        "Requests a minute by plan",
        evaluation_runtime="server",
        is_remote_configuration=True,
    )
    made = SampleFlag(columns, moments.ago(140), SAM, ("infra",), moments.ago(minutes=1))
    made.edit(moments.ago(2), SAM, filters={**first, "payloads": {"true": limits}})
    return made


def checkout_banner(moments: Moments) -> SampleFlag:
    needs = filters(group(100, flag("checkout-redesign")))
    columns = state("checkout-v2-banner", needs, "Tells people that the checkout looks different now")
    return SampleFlag(columns, moments.ago(26), ALICE, ("checkout", "web"), moments.ago(hours=1))


def switched_off(moments: Moments, key: str, name: str, tag: str, days: float) -> SampleFlag:
    """A client flag that went from ten percent to off and nothing in one save."""
    targeting = filters(group(10))
    columns = state(key, targeting, name, evaluation_runtime="client")
    made = SampleFlag(columns, moments.ago(days + 30), MO, (tag,), None)
    made.edit(moments.ago(days), MO, active=False, filters=with_rollout(targeting, 0))
    return made
