"""Toasts: the one place that may call `notify`, always without markup and with safe text."""

from dataclasses import dataclass
from typing import Any, Literal

from textual.app import App

from flagtui.safe_text import safe_text

Tone = Literal["information", "warning", "error"]


@dataclass(frozen=True)
class Notice:
    """What happened, what is true now, what to do next; shown for a few seconds."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0


def tell(app: App[Any], notice: Notice) -> None:
    """Show the notice. Errors stay longer, since they ask for something."""
    lines = [safe_text(line, 400) for line in notice.text.split("\n")]
    seconds = notice.seconds if notice.tone == "information" else max(notice.seconds, 12.0)
    app.notify(
        "\n".join(lines),
        title=safe_text(notice.title, 80),
        severity=notice.tone,
        timeout=seconds,
        markup=False,
    )
