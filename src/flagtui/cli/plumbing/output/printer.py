"""Print records: a table on a terminal, TSV in a pipe, JSON on request."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

import click
import msgspec

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.option_rules import RuledOption
from flagtui.cli.plumbing.output.lines import VOICE, print_line, progress, wrap_line
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema, Shown, plain
from flagtui.cli.plumbing.value_types import FieldNames
from flagtui.models.json_value import with_finite_numbers
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.styled import link_text, shows_links

Format = Literal["table", "tsv", "json", "ndjson"]
FORMATS: Final[Sequence[Format]] = ("json", "ndjson", "tsv", "table")
NARROWEST: Final = 20
"""Cells that a value keeps beside its name, however narrow the terminal is."""
_UNBOUND: Final = 1_000_000
Page = Callable[[Shown], str]
"""The address of a record's page; empty where it has none."""


def no_page(_record: object) -> str:
    """Return an empty address: nothing links anywhere."""
    return ""


class Printer(msgspec.Struct, frozen=True):
    """Formats records for `--json`, `--ndjson`, `--fields` and the terminal."""

    format: Format
    fields: tuple[str, ...] = ()
    """Names of the chosen fields; empty takes all, and in a table those that are usually shown."""
    width: int | None = None
    """Cells of the terminal; None without a terminal."""
    has_colour: bool = False
    has_links: bool = False
    """Whether what a record is called leads to its page."""
    has_headings: bool = True
    """False for records that come one by one."""
    shows_headings: bool = True
    """Whether a table begins with the names of its columns."""
    jq: Callable[[str], Iterable[Any]] | None = None
    """Filters the JSON document; None prints it whole."""
    has_chosen_form: bool = False
    """Whether an option names the format or the fields: then nothing else than records is printed."""

    def names_of(self, kind: RecordSchema[Any]) -> tuple[str, ...]:
        """Return the names of the printed fields."""
        names = self.fields or tuple(field.name for field in self._usual(kind))
        return tuple(name for name in names if name in kind.names)

    @property
    def is_for_programs(self) -> bool:
        """Whether only the document may be on standard output."""
        return self.format in ("json", "ndjson")

    def records(
        self,
        kind: RecordSchema[Shown],
        records: Iterable[Shown],
        empty: str = "",
        page: Page[Shown] = no_page,
    ) -> None:
        """Print all records; people are shown `empty` instead of an empty table.

        On a terminal the first field, the record's name, leads to `page`.
        """
        fields = kind.fields_named(self.fields) if self.fields else self._usual(kind)
        if self.format == "json":
            objects = [_object(fields, record) for record in records]
            chosen = {"fields": list(self.fields)} if self.fields else {}
            self._print_document(_envelope(kind, {**chosen, "records": objects}), indent=2)
        elif self.format == "ndjson":
            for record in records:
                self._print_document(_envelope(kind, _object(fields, record)))
        elif self.format == "tsv":
            for record in records:
                print("\t".join(safe_text(plain(field.read(record)), 100_000) for field in fields))
        else:
            leads = self.has_links and fields[0] is kind.fields[0]
            self._table(fields, records, empty, page if leads else no_page)
        sys.stdout.flush()

    def _print_document(self, document: dict[str, Any], indent: int | None = None) -> None:
        """Print a document as JSON, or the results of `--jq` for it, a line each."""
        text = _dump(document, indent)
        for line in (text,) if self.jq is None else map(filtered_line, self.jq(text)):
            print(line)

    def details(
        self, kind: RecordSchema[Shown], records: Iterable[Shown], page: Page[Shown] = no_page
    ) -> None:
        """Print a few records with many fields: on a terminal a line for each field."""
        if self.format != "table" or self.fields:
            self.records(kind, records, page=page)
            return
        wide = max(len(_label(field.name)) for field in kind.shown)
        room = max(NARROWEST, (self.width or _UNBOUND) - wide - 2)
        for place, record in enumerate(records):
            if place:
                print()
            for field in kind.shown:
                cell_lines = safe_lines(field.cell(field.read(record))) or [""]
                lines = [each for line in cell_lines for each in wrap_line(line, room).split("\n")]
                for number, line in enumerate(lines):
                    label = _label(field.name) if number == 0 else ""
                    is_name = field is kind.fields[0] and number == 0 and self.has_links
                    shown = link_text(line, page(record)) if is_name else line
                    print(f"{label:<{wide}}  {shown}".rstrip())
        sys.stdout.flush()

    def text(self, text: str) -> None:
        """Print a whole file: unchanged into a pipe, made safe to draw on a terminal."""
        lines = text.splitlines() if self.format == "tsv" else safe_lines(text, len(text) + 1, 1_000_000)
        for line in lines:
            print(line)
        sys.stdout.flush()

    def _usual(self, kind: RecordSchema[Shown]) -> tuple[RecordField[Shown], ...]:
        return kind.standard if self.is_for_programs else kind.shown

    def _table(
        self, fields: tuple[RecordField[Shown], ...], records: Iterable[Shown], empty: str, page: Page[Shown]
    ) -> None:
        printed = list(records)
        rows = [[field.cell(field.read(record)) for field in fields] for record in printed]
        if not rows:
            if empty:
                print_line(empty)
            return
        headings = [_label(field.name).upper() for field in fields]
        if VOICE.is_linear:
            for row in (*([headings] if self.shows_headings and self.has_headings else []), *rows):
                print_line("; ".join(row))
            return
        if not self.has_headings:
            for row in rows:
                print("  ".join(safe_text(cell, 400) for cell in row))
            return
        # Other formats need no tables.
        from flagtui.cli.plumbing.output.table import Narrowing, table_lines

        long = [place for place, field in enumerate(fields) if field.is_long]
        spare = [place for place, field in enumerate(fields) if field.is_spare and not self.fields]
        links, narrow = [page(record) for record in printed], Narrowing(long, spare)
        colour = self.has_colour
        lines = table_lines(headings, rows, self.width, has_colour=colour, links=links, narrow=narrow)
        for number, line in enumerate(lines):
            if number or self.shows_headings:
                print(line)

    def print_line(self, line: str) -> None:
        """Print a line for people: on standard error when programs read the data."""
        if self.format == "table":
            print_line(line)
        else:
            progress(line)


def _label(name: str) -> str:
    """Return the name of a field as a heading: `updated` for `updated_at`."""
    return name.replace("_", " ").removesuffix(" at")


class OutputOptions(msgspec.Struct, frozen=True):
    """The options of a command that choose how its records are printed."""

    as_json: bool = False
    as_ndjson: bool = False
    fields: str = ""
    output_format: Format | None = None
    no_headers: bool = False
    no_trunc: bool = False
    jq: str = ""


def output_options(kind: RecordSchema[Any]) -> list[click.Parameter]:
    """Return the options that choose how records are printed."""
    some = ",".join(kind.names[:2])
    return [
        click.Option(
            ["-o", "--output", "output_format"],
            type=click.Choice(FORMATS),
            help="The format; without it a table on a terminal, and tsv in a pipe.",
        ),
        RuledOption(
            ["--jq"],
            default="",
            metavar="EXPR",
            help="Filter the JSON with a jq expression; needs the package jq.",
            excludes=("--ndjson", *_formats_but("json")),
        ),
        click.Option(["--no-headers"], is_flag=True, help="A table without the line of headings."),
        click.Option(["--no-trunc"], is_flag=True, help="A table with all columns and whole values."),
        RuledOption(
            ["--json", "as_json"],
            is_flag=True,
            help="Print one JSON document.",
            excludes=("--ndjson", *_formats_but("json")),
        ),
        RuledOption(
            ["--ndjson", "as_ndjson"],
            is_flag=True,
            help="Print one JSON object a line.",
            excludes=_formats_but("ndjson"),
        ),
        click.Option(
            ["--fields"],
            default="",
            metavar="NAMES",
            type=FieldNames(kind.names),
            help=f"Only these, such as {some}; ? lists all names.",
        ),
    ]


def _formats_but(name: str) -> list[str]:
    """Return the uses of `--output` that contradict this format."""
    return [f"--output {each}" for each in FORMATS if each != name]


def choose_printer(kind: RecordSchema[Any], options: OutputOptions, more: tuple[str, ...] = ()) -> Printer:
    """Return the printer for these options; `more` are fields beyond those of the kind.

    Raises Trouble for unknown fields, and Exit once the names are printed for `?`.
    """
    fields = options.fields
    names = tuple(name.strip() for name in fields.split(",") if name.strip())
    if names == ("?",):
        print("\n".join((*kind.names, *more)))
        raise click.exceptions.Exit(0)
    unknown = [name for name in names if name not in (*kind.names, *more)]
    if unknown or (fields and not names):
        raise Trouble(
            f"there is no field {', '.join(unknown) or 'without a name'}.",
            f"Fields: {', '.join((*kind.names, *more))}.",
            code="usage",
        )
    is_json = options.as_json or bool(options.jq)
    chosen: Format | None = "json" if is_json else "ndjson" if options.as_ndjson else options.output_format
    form, is_chosen = chosen or ("table" if sys.stdout.isatty() else "tsv"), bool(chosen or names)
    if form != "table":
        return Printer(form, names, jq=_filter_of(options.jq), has_chosen_form=is_chosen)
    if not sys.stdout.isatty():
        return Printer("table", names, shows_headings=not options.no_headers, has_chosen_form=is_chosen)
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("", "dumb")
    return Printer(
        "table",
        names,
        None if options.no_trunc else shutil.get_terminal_size().columns,
        has_colour=not is_plain,
        has_links=shows_links(os.environ),
        shows_headings=not options.no_headers,
        has_chosen_form=is_chosen,
    )


def _filter_of(expression: str) -> Callable[[str], Iterable[Any]] | None:
    if not expression:
        return None
    from flagtui.cli.plumbing.output.jq_filter import compile_filter

    return compile_filter(expression)


def filtered_line(value: Any) -> str:
    """Return a result of `--jq`: a text without quotes, on a terminal made safe to draw; else JSON."""
    if not isinstance(value, str):
        return _dump(value)
    return safe_text(value, 100_000) if sys.stdout.isatty() else value


def json_line(kind: RecordSchema[Shown], record: Shown) -> str:
    """Format a record with all of its standard fields as one line of JSON."""
    return _dump(_envelope(kind, _object(kind.standard, record)))


def _object(fields: tuple[RecordField[Shown], ...], record: Shown) -> dict[str, Any]:
    return {field.name: field.read(record) for field in fields}


def _envelope(kind: RecordSchema[Any], members: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": kind.version, "schema": kind.name, **members}


def _dump(value: Any, indent: int | None = None) -> str:
    """Format as plain ASCII, so that a terminal has nothing to obey, and every text is exact."""
    try:
        return json.dumps(value, ensure_ascii=True, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(with_finite_numbers(value), ensure_ascii=True, indent=indent)
