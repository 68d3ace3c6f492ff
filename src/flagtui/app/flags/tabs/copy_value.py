"""The value a flag hands out, to the terminal's clipboard."""

import json
from typing import Any

from textual.app import App

from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.flags.tabs.variants_tab import payload_value
from flagtui.app.shell.toasts import copied_notice
from flagtui.models.json_value import JSON
from flagtui.text.styled import Notice


def copied_value(app: App[Any], study: Study) -> Notice:
    """Copies the remote configuration's value, or the payloads; says what was copied, never the value."""
    flag = study.details.flag
    if flag is None or not flag.targeting.payloads:
        return Notice("There is no payload to copy.")
    if flag.has_encrypted_payloads and not study.is_unmasked:
        return Notice("It is encrypted: m shows it first.", "warning")
    value: JSON = {key: payload_value(stored) for key, stored in flag.targeting.payloads.items()}
    what = f"{len(value)} payloads"
    if flag.is_remote_configuration and study.asked_value is not None:
        value, what = study.asked_value, "the value"
    elif len(value) == 1:
        value, what = next(iter(value.values())), "the payload"
    return copied_notice(app, json.dumps(value, ensure_ascii=True), f"{what} of {flag.key}")
