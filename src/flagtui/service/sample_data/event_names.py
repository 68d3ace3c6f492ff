"""What the events of the product are called: by several teams, over several years."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final

from flagtui.service.sample_data.vocabulary import words

CORE: Final = words(
    "$pageview $pageleave $autocapture $identify $set $groupidentify $create_alias $feature_flag_called "
    "$feature_view $feature_interaction $feature_enrollment_update $rageclick $dead_click $copy_autocapture "
    "$exception $web_vitals $screen $opt_in $heatmap $snapshot $experiment_started $merge_dangerously "
    "$survey_shown $survey_sent $survey_dismissed $ai_generation $ai_trace $ai_span $ai_feedback $ai_metric "
    "$cohort_calculated $session_started $product_tour_shown $product_tour_step $product_tour_done "
    "$csp_violation"
)
"""The product's own: each starts with a dollar sign."""

_THINGS: Final = (
    "account, address, alert, annotation, api key, avatar, basket, card, chart, checkout, cohort, "
    "comment, company, "
    "coupon, dashboard, device, digest, domain, editor, email, export, feedback, filter, folder, funnel, "
    "goal, group, "
    "guide, import, inbox, insight, integration, invite, invoice, label, language, license, link, login, "
    "menu, "
    "message, note, notification, onboarding step, page, password, payment method, plan, policy, price, "
    "profile, "
    "project, query, queue, quota, refund, region, reminder, report, request, role, rule, search, seat, "
    "segment, "
    "session, setting, share link, sidebar, signup, snippet, source, subscription, survey answer, tab, "
    "table, tag, "
    "team, template, ticket, token, tour, trial, upload, user, variant, video, view, webhook, widget, "
    "workspace"
)
_DEEDS: Final = (
    "created, updated, deleted, viewed, opened, closed, completed, failed, started, cancelled, shared, "
    "exported, "
    "clicked, renamed, duplicated, restored, archived, selected, searched, verified, expired, accepted, "
    "declined"
)
THINGS: Final = tuple(thing.strip() for thing in _THINGS.split(","))
DEEDS: Final = tuple(deed.strip() for deed in _DEEDS.split(","))


def plain_names(random: Random) -> list[str]:
    """Every thing with every deed, mixed: `checkout completed`."""
    names = [f"{thing} {deed}" for thing, deed in product(THINGS, DEEDS)]
    random.shuffle(names)
    return names


def look_alikes(name: str) -> tuple[str, ...]:
    """The same event as other teams wrote it."""
    parts = name.split(" ")
    return (
        "_".join(parts),
        " ".join(part.title() for part in parts),
        parts[0] + "".join(part.title() for part in parts[1:]),
        ".".join(parts),
        f"{'_'.join(parts)}_v2",
        f"[{parts[0].title()}] {' '.join(parts[1:])}",
    )


def leftovers(random: Random) -> Iterator[str]:
    """Names left over from trials."""
    for number in range(1, 41):
        yield f"btn_click_{number}"
    for number in range(1, 21):
        yield f"test_event_{number}"
    for thing in random.sample(THINGS, 30):
        yield f"tmp_debug_{thing.replace(' ', '_')}"
    for thing in random.sample(THINGS, 20):
        yield f"{thing.replace(' ', '-')}-TEST-do-not-use"
