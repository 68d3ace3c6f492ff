"""Options that several commands share, and their values: fields, tags, the text of a file.

Options of host, profile and project can precede or follow a command.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click
import msgspec

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.option_rules import RuledOption, contradiction, ruled_option, twice_given
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.value_types import ProfileName, ProjectId, WrittenFile
from flagtui.models.json_value import JSON, read_json_text

if TYPE_CHECKING:
    from flagtui.changes.tag_line import Retagging
    from flagtui.models.editable_fields import FieldTable

NEXT_PLACE: Final = "flagtui.cli.next_place"
"""In the meta of click's context: profile and project of the commands that messages name."""


class NumberRange(click.FloatRange):
    """A number between two others; `nan` is refused, although it is neither below nor above them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            is_number = not math.isnan(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            self.fail(f"{value!r} is no number.", param, ctx)
        return super().convert(value, param, ctx)


class Percentage(NumberRange):
    """A share in percent, with or without the sign: `40`, `40%`."""

    def __init__(self) -> None:
        super().__init__(0, 100)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(
            value.strip().removesuffix("%").rstrip() if isinstance(value, str) else value, param, ctx
        )


LOOK_EVERY: Final = 2.0
"""Seconds between looks at an awaited state."""
WAIT_SECONDS = NumberRange(0, 86_400)
"""Of `--wait`: a day at most."""
_PROFILE: Final[Mapping[str, Any]] = {
    "default": "", "metavar": "NAME", "type": ProfileName(), "help": "The profile of the settings file.",
}  # fmt: skip
PROFILE = click.option("--profile", **_PROFILE)
OFFLINE = click.option("--offline", is_flag=True, help="Use the flags of the last run; send no request.")
CHANGED_SINCE = click.option(
    "--changed-since",
    default="",
    metavar="REV",
    help="Only files that this branch changed since REV, and uses of their constants.",
)


class WorkPlace(msgspec.Struct, frozen=True):
    """The profile and project of a command, from its options."""

    profile: str = ""
    project: str = ""
    read_only: bool = False
    wait: float | None = None
    """Seconds for which a read waits for a server that is away, fails or asks for a pause; None for the
    default number of attempts."""
    is_repeatable: bool = False
    """Whether the command only reads, so that all of it is tried again for `wait` seconds."""


class Agreement(msgspec.Struct, frozen=True):
    """The confirmations that the options of a writing command give beforehand."""

    yes: bool = False
    typed: str = ""
    reason: str = ""
    overwrite: bool = False
    without_journal: bool = False
    dry_run: bool = False
    wait: float | None = None
    max_changes: int | None = None
    if_version: int | None = None
    """The version that a flag must have; None for commands without the option."""
    out: Path | None = None
    """The file for the change set of a dry run."""
    stage: bool = False
    """Whether changes are added to the staged set instead of sent."""

    @property
    def is_kept(self) -> bool:
        """Whether changes go to a change set instead of the server."""
        return self.out is not None or self.stage


class WriteTerms(msgspec.Struct, frozen=True):
    """The options of a writing command that do not concern the change itself."""

    place: WorkPlace
    agreement: Agreement
    printer: Printer


def choose_name(option: str, given: str) -> str:
    """Return the profile or project named after the command, else the one named before it.

    Raises UsageError for two.
    """
    before = click.get_current_context().find_root().params.get(option) or ""
    if given and before and given != before:
        raise click.UsageError(twice_given(f"--{option}"))
    keep_place(option, given or before)
    return given or before


def keep_place(option: str, value: str) -> None:
    """Repeat the option `profile` or `project` in the commands that messages name; empty omits it."""
    click.get_current_context().meta.setdefault(NEXT_PLACE, {})[option] = value


def is_read_only() -> bool:
    """Return whether `--read-only` precedes the command."""
    return click.get_current_context().find_root().params.get("read_only") is True


def common_words() -> list[str]:
    """Return profile, project and `--read-only` that precede this command, for another one that it runs."""
    before = click.get_current_context().find_root().params
    given = {name: before[name] for name in ("profile", "project") if before[name]}
    places = [word for name, value in given.items() for word in (f"--{name}", value)]
    return [*(["--read-only"] if is_read_only() else []), *places]


def place_options(*, takes_several: bool) -> list[click.Parameter]:
    """Return the options for the profile and the project, or several projects."""
    several = " Several: 1,2." if takes_several else ""
    return [
        click.Option(["--profile"], **_PROFILE),
        click.Option(
            ["--project"],
            default="",
            metavar="PROJECT",
            type=ProjectId(),
            help=f"Its id or name; else the profile's.{several}",
        ),
    ]


def wait_option() -> click.Option:
    """Return the option of a command that reads, which tries again for that long."""
    return click.Option(
        ["--wait"],
        type=WAIT_SECONDS,
        metavar="SECONDS",
        help="How long to try again while the server cannot be reached, fails or asks for a pause.",
    )


def staging_options(*, is_hidden: bool) -> list[click.Parameter]:
    """Return the options that keep changes in a change set; hidden for commands that refuse them."""
    out = "With --dry-run: write the change set to FILE, for flagtui apply."
    stage = "Add the change to the staged set and send nothing; flagtui apply staged sends it."
    # The reason why a command cannot be staged comes before any rule.
    rules: dict[str, Sequence[str]] = {"requires": ["--dry-run"], "excludes": ["--stage"]}
    return [
        RuledOption(
            ["--out"],
            type=WrittenFile(),
            metavar="FILE",
            help=out,
            hidden=is_hidden,
            **({} if is_hidden else rules),
        ),
        RuledOption(
            ["--stage"],
            is_flag=True,
            help=stage,
            hidden=is_hidden,
            excludes=[] if is_hidden else ["--dry-run"],
        ),
    ]


IF_VERSION = click.option(
    "--if-version", type=click.IntRange(1), metavar="N", help="Change the flag only if it has version N."
)


def agreement_options() -> list[click.Parameter]:
    """Return the options that answer the question before a change."""
    return [
        click.Option(["-y", "--yes"], is_flag=True, help="Confirm without a question."),
        click.Option(
            ["--type", "typed"], default="", metavar="TEXT", help="What must be typed: the key, or the count."
        ),
        click.Option(["--reason"], default="", metavar="WHY", help="Why, for the journal."),
        click.Option(
            ["--overwrite"], is_flag=True, help="Overwrite changes made on the server since you looked."
        ),
        click.Option(
            ["--without-journal"], is_flag=True, help="Continue when the journal cannot be written: no undo."
        ),
        click.Option(
            ["--max-changes"],
            type=click.IntRange(1),
            metavar="N",
            help="Refuse the command if it would change more records.",
        ),
        click.Option(["--dry-run"], is_flag=True, help="Show what would change and send nothing."),
        click.Option(
            ["--wait"],
            type=WAIT_SECONDS,
            metavar="SECONDS",
            help="How long to wait for a lost response (60 s by default), a pause, an approval, a schedule.",
        ),
    ]


FIELD = ruled_option(
    "--field",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="JSON, or text as it is.",
    excludes=("--from",),
)
source_option: Final = partial(ruled_option, "--from", "source", metavar="FILE", type=click.Path())
"""Declare `--from FILE`, which `read_text` reads; `help` describes the content."""
PRINT = ruled_option(
    "--print",
    "is_printed",
    is_flag=True,
    help="Print the JSON that can be edited, and change nothing.",
    excludes=(
        *("--field", "--from", "--if-version", "--output", "--jq", "--json", "--ndjson", "--fields"),
        *("--dry-run", "--out", "--stage", "--yes", "--overwrite", "--max-changes"),
    ),
)


class TagOptions(TypedDict):
    """The options as click passes them."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    only: tuple[str, ...]


def read_retagging(added: Sequence[str], removed: Sequence[str], only: Sequence[str]) -> "Retagging":
    """Return the tag changes of the options. Raises Trouble."""
    from flagtui.changes.tag_line import make_retagging

    new, old = (
        [tag for value in values for tag in value.split(",") if tag.strip()]
        for values in (only or added, removed)
    )
    if not (new or old or only):
        raise Trouble("no tag is named.", "Use --add, --remove or --set.", code="usage")
    tags = make_retagging(new, old, replaces=bool(only))
    if tags.problem:
        raise Trouble(f"{tags.problem}.", code="usage")
    return tags


def read_fields(given: Sequence[str]) -> dict[str, JSON]:
    """Parse `name=value` pairs; a value is JSON where it can be parsed, else text. Raises Trouble."""
    fields: dict[str, JSON] = {}
    for pair in given:
        name, is_given, value = pair.partition("=")
        if not is_given or not name.strip():
            raise Trouble(f"{pair!r} sets no field.", "Write name=value.", code="usage")
        read = read_json_text(value)
        if fields.setdefault(name.strip(), read) != read:
            raise click.UsageError(twice_given(f"--field {name.strip()}"))
    return fields


def read_fields_of_new(given: Sequence[str], table: "FieldTable", noun: str, name: str) -> dict[str, JSON]:
    """Parse the fields of a new record, whose field `name` is an argument. Raises Trouble, UsageError."""
    fields = read_fields(given)
    if name in fields:
        raise click.UsageError(contradiction(name.upper(), f"--field {name}"))
    if unknown := [field for field in fields if field not in table.edited]:
        fix = f"Fields: {', '.join(table.edited)}."
        raise Trouble(f"{unknown[0]!r} is not a field of {noun}.", fix, code="usage")
    return fields
