"""The pane beside the list: the experiment under the cursor in short."""

from collections.abc import Iterator

from textual.content import Content
from textual.widget import Widget

from flagtui.app.experiments.detail.judgement import verdicts
from flagtui.app.experiments.detail.lifecycle import lifecycle_lines
from flagtui.app.experiments.detail.metric_findings import Findings
from flagtui.app.experiments.detail.metric_table import COLOURS
from flagtui.app.experiments.detail.sections import (
    conclusion_lines,
    hint_lines,
    results_line,
    sizing_of,
    variant_lines,
)
from flagtui.app.widgets.line import joined
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.formats import ago
from flagtui.text.styled import Piece, with_link


class ExperimentPane(Widget):
    """Draws `Findings`; never asks for a layout, so a held arrow key costs nothing here."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="preview")
        self._findings: Findings | None = None
        self._now = 0.0
        self._link = ""

    def show(self, findings: Findings | None, now: float, link: str = "") -> None:
        """Show this experiment, with ages as of `now`; its name leads to `link`."""
        if findings != self._findings or int(now) // 60 != int(self._now) // 60 or link != self._link:
            self._findings, self._now, self._link = findings, now, link
            self.refresh()

    def render(self) -> Content:
        if self._findings is None:
            return Content("")
        width = self.content_size.width
        return joined(with_link(pane_lines(self._findings, self._now, width), self._link), width)


def pane_lines(findings: Findings, now: float, width: int) -> Iterator[list[Piece]]:
    """The whole pane, line by line."""
    row = findings.row
    yield [(safe_text(row.name, max(8, width - 8)), "bold"), (f"  #{row.id}", "$text-muted")]
    for line in safe_lines(row.description, 400, 3) if row.description else []:
        yield [(line, "$text-muted")]
    yield [("flag ", "$text-muted"), (safe_text(row.key, width), "$primary")]
    yield []
    sizing = sizing_of(findings)
    yield from lifecycle_lines(row, now, sizing.days if sizing else None, width)
    yield []
    if findings.trouble:
        yield [(safe_text(findings.trouble, 200), "$warning")]
        return
    if findings.experiment is None:
        yield [("loading…", "$text-muted")]
        return
    yield from conclusion_lines(findings.experiment)
    yield from hint_lines(findings)
    yield from variant_lines(findings, width)
    yield from _results(findings, width)
    yield results_line(findings, now)
    yield []
    made = row.creator or "nobody known"
    yield [(f"made by {safe_text(made, 40)}, {ago(row.created_at, now)}", "$faint")]


def _results(findings: Findings, width: int) -> Iterator[list[Piece]]:
    for reading in findings.readings:
        mark = "" if reading.metric.role == "primary" else "  secondary"
        yield [(safe_text(reading.metric.name, max(10, width - 12)), ""), (mark, "$faint")]
        found = list(verdicts(reading))
        for one in found:
            colour = COLOURS.get(one.look, "")
            yield [
                (f"  {safe_text(one.variant, 14):<15}", "$text-muted"),
                (f"{one.delta:>9}  {one.odds}", colour),
            ]
        if not found:
            words = "being calculated…" if reading.is_awaited else reading.trouble or "no numbers yet"
            yield [(f"  {safe_text(words, 80)}", "$faint")]
    if findings.readings:
        yield []
