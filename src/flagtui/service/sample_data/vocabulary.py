"""What the company builds: areas of the product and the features that have flags there."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Area:
    name: str
    tag: str
    runtime: str
    """Where most of its flags are evaluated."""
    things: tuple[str, ...]


def area(name: str, tag: str, runtime: str, things: str) -> Area:
    return Area(name, tag, runtime, tuple(thing.strip() for thing in things.split(",")))


AREAS: Final = (
    area(
        "billing",
        "billing",
        "server",
        "invoice pdf, mid-cycle proration, tax ids, annual plans, seat limits, credit notes, "
        "dunning mails, usage export, coupon codes, card retries",
    ),
    area(
        "checkout",
        "checkout",
        "all",
        "express pay, saved cards, address lookup, order notes, gift codes, "
        "guest accounts, vat preview, basket recovery",
    ),
    area(
        "search",
        "search",
        "server",
        "typo tolerance, synonyms, vector ranking, recent queries, facets, "
        "saved searches, query rewrite, index shards",
    ),
    area(
        "editor",
        "data",
        "client",
        "autocomplete, inline errors, query history, shared snippets, diff view, "
        "vim keys, format on save, result charts, explain plan",
    ),
    area(
        "dashboards",
        "web",
        "client",
        "grid layout, full screen, pinned filters, text tiles, duplicate tile, "
        "scheduled refresh, public links, colour themes, tile alerts",
    ),
    area(
        "insights",
        "data",
        "all",
        "funnel steps, path analysis, retention table, lifecycle view, formula mode, "
        "compare periods, sampling, breakdown limits, trend lines",
    ),
    area(
        "exports",
        "exports",
        "server",
        "csv streaming, sheets sync, s3 target, column picker, row limits, "
        "warehouse push, resumable files, gzip",
    ),
    area(
        "onboarding",
        "onboarding",
        "client",
        "checklist, sample data, role question, import wizard, invite step, "
        "video intro, skip button, progress mails",
    ),
    area(
        "auth",
        "security",
        "server",
        "passkeys, sso enforcement, session length, device list, magic links, "
        "login alerts, recovery codes, scim sync, ip allow list",
    ),
    area(
        "teams",
        "teams",
        "all",
        "roles, guest access, activity digest, ownership transfer, avatars, nested groups, audit export, "
        "bulk invites",
    ),
    area(
        "notifications",
        "growth",
        "server",
        "digest mails, slack threads, quiet hours, push tokens, mention alerts, "
        "channel routing, mute rules, weekly report",
    ),
    area(
        "webhooks",
        "infra",
        "server",
        "signed payloads, batching, dead letters, replay button, ip pinning, "
        "custom headers, timeouts, schema v2",
    ),
    area(
        "ingest",
        "infra",
        "server",
        "kafka lanes, late events, dedupe window, property types, person merge, "
        "historical import, overflow guard, backpressure",
    ),
    area(
        "cache",
        "infra",
        "server",
        "query results, warm start, stale reads, tenant quotas, compression, edge keys, negative lookups",
    ),
    area(
        "api",
        "infra",
        "server",
        "cursor paging, rate headers, bulk writes, field masks, etag reads, key rotation, graph endpoint, "
        "error ids",
    ),
    area(
        "replay",
        "replay",
        "client",
        "network tab, console logs, privacy masks, speed control, heatmaps, clip sharing, idle skip, "
        "mobile frames",
    ),
    area(
        "ai",
        "ai",
        "server",
        "chart captions, query drafts, anomaly notes, title hints, chat panel, "
        "event matching, cost guard, answer sources",
    ),
    area(
        "growth",
        "growth",
        "client",
        "referral page, upgrade banner, trial extension, plan compare, pricing faq, "
        "exit survey, win-back mail, partner badge",
    ),
    area(
        "mobile",
        "mobile",
        "client",
        "offline mode, biometric lock, push prompt, share sheet, tablet layout, home widget, haptics, "
        "small screens",
    ),
    area(
        "settings",
        "web",
        "client",
        "search box, danger zone, theme picker, keyboard map, language menu, usage page, token list, "
        "project icons",
    ),
    area(
        "cohorts",
        "data",
        "server",
        "static upload, nested rules, size estimate, nightly rebuild, csv columns, behaviour rules, copy "
        "rules",
    ),
    area(
        "support",
        "web",
        "client",
        "help panel, ticket form, status banner, article search, screen capture, reply inline, office hours",
    ),
    area(
        "surveys",
        "surveys",
        "client",
        "branching, star rating, emoji scale, wait period, translations, thank you page, link surveys",
    ),
    area(
        "warehouse",
        "data",
        "server",
        "stripe source, postgres source, incremental sync, view cache, join hints, sync alerts, column types",
    ),
)

ENDINGS: Final = ("", "", "", "-v2", "", "-beta", "", "-rollout", "", "-next")
"""What keys end in now and then, the way keys do."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def slug(phrase: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in phrase.lower())


def sentence(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]
