"""Options that several commands share; those of the place may stand before or after a command."""

import math
from dataclasses import dataclass
from typing import Any

import click

from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_kind import RecordKind


class NumberRange(click.FloatRange):
    """A number between two others; `nan` is none, although it is below and above nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            is_number = not math.isnan(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            self.fail(f"{value!r} is no number.", param, ctx)
        return super().convert(value, param, ctx)


WAIT_SECONDS = NumberRange(0, 86_400)
"""Of `--wait`: a day at most."""
PROFILE = click.option("--profile", default="", metavar="NAME", help="The profile of the settings file.")


@dataclass(frozen=True)
class WorkPlace:
    """Where a command works, as it was asked for."""

    profile: str = ""
    project: str = ""
    read_only: bool = False


@dataclass(frozen=True)
class Agreement:
    """What the options of a writing command agree to beforehand."""

    yes: bool = False
    typed: str = ""
    reason: str = ""
    overwrite: bool = False
    without_journal: bool = False
    dry_run: bool = False
    wait: float | None = None


@dataclass(frozen=True)
class WriteTerms:
    """All that a writing command was told beside what to change."""

    place: WorkPlace
    agreement: Agreement
    printer: Printer


def named_profile(given: str) -> str:
    """The profile named after the command, else the one named before it."""
    return given or click.get_current_context().find_root().params.get("profile") or ""


def named_project(given: str) -> str:
    """The same for a project."""
    return given or click.get_current_context().find_root().params.get("project") or ""


def is_read_only() -> bool:
    """Whether `--read-only` stands before the command."""
    return click.get_current_context().find_root().params.get("read_only") is True


def output_options(kind: RecordKind[Any]) -> list[click.Parameter]:
    """How such records are printed."""
    some = ",".join(kind.names[:2])
    return [
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document."),
        click.Option(["--ndjson", "as_ndjson"], is_flag=True, help="Print one JSON object a line."),
        click.Option(
            ["--fields"],
            default="",
            metavar="NAMES",
            help=f"Only these, such as {some}; ? tells all their names.",
        ),
    ]


def place_options() -> list[click.Parameter]:
    """Which profile and project a command works in."""
    return [
        click.Option(["--profile"], default="", metavar="NAME", help="The profile of the settings file."),
        click.Option(["--project"], default="", metavar="ID", help="Another project than the profile's."),
    ]


def agreement_options() -> list[click.Parameter]:
    """What answers the question before a change."""
    return [
        click.Option(["-y", "--yes"], is_flag=True, help="Agree without being asked."),
        click.Option(["--type", "typed"], default="", metavar="TEXT", help="The key, for strict profiles."),
        click.Option(["--reason"], default="", metavar="WHY", help="Why, for the journal."),
        click.Option(
            ["--overwrite"], is_flag=True, help="Overwrite what was changed there since you looked."
        ),
        click.Option(
            ["--without-journal"], is_flag=True, help="Go on when the journal cannot be written: no undo."
        ),
        click.Option(["--dry-run"], is_flag=True, help="Show what would change and send nothing."),
        click.Option(
            ["--wait"],
            type=WAIT_SECONDS,
            metavar="SECONDS",
            help="Wait so long for a missing answer (60 s unless said), a pause, an approval, a schedule.",
        ),
    ]
