"""Variants and payloads, or the value of a remote configuration; secrets only on request."""

import json
from collections.abc import Iterator
from math import fsum
from typing import Any

from textual.app import App

from flagtui.app.flags.flag_preview_lines import VARIANT_STYLES, variant_bar
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.shell.toasts import copied_notice
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, read_json_text
from flagtui.safe_text import MASK, safe_text
from flagtui.text.differences import json_lines
from flagtui.text.empty_states import unread_line
from flagtui.text.flag_sentences import rest_words, unread_configuration
from flagtui.text.formats import percent
from flagtui.text.key_signs import key_sign
from flagtui.text.long_lists import shorten
from flagtui.text.rule_sentences import rule_values
from flagtui.text.styled import Notice, Piece

PAYLOAD_LINES = 400
"""Lines of one payload that are shown."""


def variant_pages(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield each variant with its share and payload."""
    flag = study.details.flag
    if flag is None:
        yield unread_line(study.details.trouble)
        return
    if flag.targeting.has_rules:
        yield from rule_values(flag.targeting)
        return
    if not flag.targeting.is_editable:
        yield [unread_configuration(flag.targeting)]
        return
    variants = flag.targeting.variants
    if variants:
        total = round(fsum(variant.rollout for variant in variants), 6)
        rest = rest_words(variants)
        words = f"total {percent(total)}" + (", which is not 100 %" if rest else "")
        yield [("VARIANTS  ", "$text-muted"), (words, "$warning" if rest else "$faint")]
        yield [*variant_bar(variants, max(10, width - 2))]
        if rest:
            yield [(rest, "$warning")]
        yield []
    blocks = (_page(study, flag, place) for place in range(len(variants)))
    yield from shorten(blocks, len(variants), "variants")
    yield from _others(study, flag)


def _page(study: Study, flag: Flag, place: int) -> Iterator[list[Piece]]:
    """Yield one variant with its payload, and an empty line."""
    variant, style = flag.targeting.variants[place], VARIANT_STYLES[place % len(VARIANT_STYLES)]
    name = f"  {safe_text(variant.name, 80)}" if variant.name else ""
    yield [
        (safe_text(variant.key, 60), f"bold {style}"),
        (f"  {percent(variant.rollout)}", "bold"),
        (name, "$text-muted"),
    ]
    yield from _payload(study, flag, variant.key)
    yield []


def _others(study: Study, flag: Flag) -> Iterator[list[Piece]]:
    """Yield payloads without a variant: that of an on/off flag, and any without a purpose."""
    variant_keys = flag.targeting.variant_keys
    keys = [key for key in flag.targeting.payloads if key not in variant_keys]
    if flag.is_remote_configuration and not variant_keys:
        yield [("VALUE  ", "$text-muted"), ("remote configuration", "$warning")]
        if study.asked_value is not None and study.is_unmasked:
            yield from _value_lines(study.asked_value)
            return
    elif not variant_keys and not keys:
        yield [("On or off, without variants and without a payload.", "$text-muted")]
    yield from shorten((_unused_payload(study, flag, key) for key in keys), len(keys), "payloads")


def _unused_payload(study: Study, flag: Flag, key: str) -> Iterator[list[Piece]]:
    """Yield a payload that no variant has, and an empty line."""
    variant_keys = flag.targeting.variant_keys
    title = "PAYLOAD" if key == "true" and not variant_keys else f"PAYLOAD OF {safe_text(key, 60)}"
    unused = "  no variant has this name" if variant_keys or key not in ("true", "false") else ""
    yield [(title, "$text-muted"), (unused, "$warning")]
    yield from _payload(study, flag, key)
    yield []


def _payload(study: Study, flag: Flag, key: str) -> Iterator[list[Piece]]:
    if key not in flag.targeting.payloads:
        yield [("  no payload", "$faint")]
    elif flag.has_encrypted_payloads and not study.is_unmasked:
        yield [(f"  {MASK}", ""), (f"  encrypted; {key_sign('flag.unmask')} shows it", "$faint")]
    else:
        yield from _value_lines(read_json_text(flag.targeting.payloads[key]))


def _value_lines(value: JSON) -> Iterator[list[Piece]]:
    for number, line in enumerate(json_lines(value)):
        if number == PAYLOAD_LINES:
            yield [(f"  … more than is shown; {key_sign('flag.copy_value')} copies all of it", "$faint")]
            return
        yield [("  ", ""), *line]


def copied_value(app: App[Any], study: Study) -> Notice:
    """Copy the remote configuration's value, or the payloads; name the copy, never show the value."""
    flag = study.details.flag
    if flag is None or not flag.targeting.payloads:
        return Notice("There is no payload to copy.")
    if flag.has_encrypted_payloads and not study.is_unmasked:
        return Notice(f"It is encrypted: {key_sign('flag.unmask')} shows it first.", "warning")
    value: JSON = {key: read_json_text(stored) for key, stored in flag.targeting.payloads.items()}
    what = f"{len(value):,} payloads"
    if flag.is_remote_configuration and study.asked_value is not None:
        value, what = study.asked_value, "the value"
    elif len(value) == 1:
        value, what = next(iter(value.values())), "the payload"
    return copied_notice(app, json.dumps(value, ensure_ascii=True), f"{what} of {flag.key}")
