"""Tables fit the terminal; programs get every value as it is."""

import json
import sys
from dataclasses import dataclass

import click
import pytest
from rich.cells import cell_len

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.lines import print_line, wrap_line
from flagtui.cli.plumbing.output.printer import Format, OutputOptions, Printer, choose_printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.output.table import Narrowing, cell_width, fit_widths, table_lines
from flagtui.safe_text import safe_text

NASTY = "\x1b]0;owned\x07\u202egnp.exe\n\x9b31m\tx"


@dataclass
class Row:
    key: str
    size: int | None = None


KIND: RecordSchema[Row] = RecordSchema(
    "row",
    "A row.",
    (
        RecordField("key", "text", "Its key.", lambda row: row.key, True),
        RecordField("size", "whole?", "Its size.", lambda row: row.size),
    ),
)


def test_the_widest_columns_give_way_first() -> None:
    assert fit_widths([4, 60, 20], 60) == [4, 32, 20]
    assert fit_widths([4, 60, 20], 40) == [4, 16, 16]
    assert fit_widths([4, 60, 20], 5) == [4, 6, 6]
    assert fit_widths([30, 30, 30], 60) == [30, 13, 13]
    assert fit_widths([30, 30, 30], 40) == [24, 6, 6]
    assert fit_widths([4, 6], 80) == [4, 6]


def test_numbers_and_ages_are_aligned_at_the_right() -> None:
    rows = [["new-nav", "7", "100 %", "2m", "12"], ["chat", "1,204", "", "12mo", "v2"]]
    assert list(table_lines(["KEY", "USES", "SHARE", "AGE", "NOTE"], rows, 80)) == [
        "KEY       USES  SHARE   AGE  NOTE",
        "new-nav      7  100 %    2m  12",
        "chat     1,204         12mo  v2",
    ]


def test_long_names_leave_a_few_other_columns_readable() -> None:
    row = ["tests/app/terminal/test_output_filter.py:48:19", "test", "notifications-weekly-report"]
    lines = list(table_lines(["PLACE", "KIND", "KEY"], [row], 60))
    assert [line.strip() for line in lines[1:]] == [row[0], "test  notifications-weekly-report"]


@pytest.mark.parametrize("width", [20, 40, 79])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    rows = [["checkout-v2", "日本語" * 9], ["chat", NASTY], ["new-nav", "é" * 60]]
    for line in table_lines(["KEY", "NAME"], rows, width):
        assert cell_width(line) <= width
        assert line.isprintable()


@pytest.mark.parametrize("width", [10, 20, 60])
def test_key_is_never_cut(width: int) -> None:
    key = "checkout-v2" * 5
    lines = list(table_lines(["KEY", "NAME", "TYPE"], [["chat", "Chat", "boolean"], [key, "", "x"]], width))
    assert [line.strip() for line in lines[-2:]] == [key, "x"]
    assert max(map(cell_width, (lines[1], lines[-1]))) <= max(width, 22)


def test_name_that_fits_no_line_leaves_the_others_their_columns() -> None:
    rows = [["new-nav", "1000045", "multivariant"], ["chat", "1000046", "boolean"]]
    lines = list(table_lines(["KEY", "ID", "TYPE"], [*rows, ["x" * 90, "1000047", "boolean"]], 40))
    assert lines[:3] == list(table_lines(["KEY", "ID", "TYPE"], rows, 40))
    # Its own values are below their headings, one line down.
    assert lines[3:] == ["x" * 90, lines[2].replace("chat", "    ").replace("1000046", "1000047")]


@pytest.mark.parametrize("length", range(1, 90))
def test_rows_beside_any_name_fit_the_terminal(length: int) -> None:
    rows = [["k" * length, "860", "on", "100 %", "boolean", "growth", "12d", "Three plans side by side"]]
    lines = list(
        table_lines(["KEY", "ID", "ACTIVE", "ROLLOUT", "TYPE", "TAGS", "UPDATED AT", "NAME"], rows, 80)
    )
    assert [line.strip() for line in lines if cell_width(line) > 80] == ["k" * length] * (length > 80)
    assert "".join(lines).count("k" * length) == 1


@pytest.mark.parametrize(
    "text",
    ["ทดสอบที่นี่", "हिन्दी", "👨‍👩‍👧‍👦 x", "👍🏽", "🏴‍☠️", "❤️", "🇩🇪 🇫🇷", "한국어", "e\u0301te\u0301", "ｆｕｌｌ"],
)
def test_columns_count_cells_as_the_app_does(text: str) -> None:
    assert cell_width(safe_text(text)) == cell_len(safe_text(text))


def test_tables_need_no_headings_and_empty_lists_are_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    options = OutputOptions(output_format="table", no_headers=True, no_trunc=True)
    choose_printer(KIND, options).records(KIND, [Row("a" * 300)])
    assert capsys.readouterr().out == f"{'a' * 300}\n"
    for form in ("tsv", "table", "json"):
        Printer(form).records(KIND, [], "Nothing is there.")
    words, _, as_json = capsys.readouterr().out.partition("\n")
    assert (words, json.loads(as_json)["records"]) == ("Nothing is there.", [])


@pytest.mark.parametrize("form", ["json", "ndjson", "tsv", "table"])
def test_output_option_chooses_the_format(form: Format) -> None:
    assert choose_printer(KIND, OutputOptions(output_format=form)).format == form


def test_narrow_tables_drop_empty_columns_then_move_long_ones_below() -> None:
    headings = ["KEY", "NOTE", "WORDS", "BY"]
    rows = [["checkout-redesign", "", "rollout 50 % → 100 %, turned on", "Mo"], ["new-nav", "", "", "Al"]]
    assert next(table_lines(headings, rows, 80, narrow=Narrowing(long=[2]))).split() == headings
    without_note = list(table_lines(headings, rows, 55, narrow=Narrowing(long=[2])))
    assert (without_note[0].split(), len(without_note)) == (["KEY", "WORDS", "BY"], 3)
    assert list(table_lines(headings, rows, 30, narrow=Narrowing(long=[2]))) == [
        "KEY                BY",
        "checkout-redesign  Mo",
        "  rollout 50 % → 100 %, turned",
        "  on",
        "new-nav            Al",
    ]


def test_spare_column_gives_way_in_a_narrow_table() -> None:
    headings, row = ["KEY", "TYPE", "NAME"], ["checkout-redesign", "multivariant", "New checkout flow"]
    for width, shown in ((80, 3), (50, 3), (47, 3), (46, 2), (33, 2)):
        lines = list(table_lines(headings, [row], width, narrow=Narrowing(spare=[2])))
        assert (lines[0].split(), "multivariant" in lines[1]) == (headings[:shown], True)


def test_terminal_links_names_to_pages_without_widening_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Row("new-nav", 1), Row("x" * 90, 2), Row("", 3)]
    opened, closed = "\x1b]8;;https://a.example/p\x1b\\", "\x1b]8;;\x1b\\"
    Printer("table", ("key", "size"), 40).records(KIND, rows)
    plain = capsys.readouterr().out
    printer = Printer("table", ("key", "size"), 40, has_links=True)
    printer.records(KIND, rows, page=lambda _: "https://a.example/p")
    shown = capsys.readouterr().out
    assert f"{opened}new-nav{closed}  " in shown
    assert shown.count(opened) == shown.count(closed) == 2
    assert shown.replace(opened, "").replace(closed, "") == plain
    Printer("table", has_links=True).details(KIND, rows[:1], page=lambda _: "https://a.example/p")
    assert capsys.readouterr().out == f"key  {opened}new-nav{closed}\n"


@pytest.mark.parametrize(
    ("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "linux"), ("", "")], ids=str
)
def test_only_a_terminal_that_has_links_gets_them(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: bool(name), raising=False)
    for variable, usual in (("TERM", "xterm-256color"), ("NO_COLOR", ""), (name or "LANG", value)):
        monkeypatch.setenv(variable, usual)
    assert not choose_printer(KIND, OutputOptions()).has_links
    if name:
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert choose_printer(KIND, OutputOptions()).has_links


def test_a_pipe_gets_one_line_a_record_and_no_headings(capsys: pytest.CaptureFixture[str]) -> None:
    Printer("tsv").records(KIND, [Row("a", 1), Row(NASTY)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0] == "a"
    assert lines[1].isprintable()
    Printer("tsv", ("size", "key")).records(KIND, [Row("a", 1), Row("b")])
    assert capsys.readouterr().out == "1\ta\n\tb\n"


def test_programs_get_hostile_text_exactly_and_terminals_nothing_to_obey(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Printer("json").records(KIND, [Row(NASTY)])
    out = capsys.readouterr().out
    assert out.isascii()
    envelope = {"schema_version": 1, "schema": "row"}
    assert json.loads(out) == envelope | {"records": [{"key": NASTY, "size": None}]}
    Printer("ndjson", ("key",)).records(KIND, [Row(NASTY), Row("b")])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [envelope | {"key": NASTY}, envelope | {"key": "b"}]


def test_width_and_colour_are_for_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose() -> Printer:
        return choose_printer(KIND, OutputOptions())

    monkeypatch.setenv("COLUMNS", "77")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert choose() == Printer("tsv")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert choose() == Printer("table", width=77, has_colour=True, has_links=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert choose() == Printer("table", width=77)


def test_fields_are_listed_or_named_before_any_request(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.exceptions.Exit) as end:
        choose_printer(KIND, OutputOptions(fields="?"))
    assert (end.value.exit_code, capsys.readouterr().out) == (0, "key\nsize\n")
    with pytest.raises(Trouble, match="no field sise") as wrong:
        choose_printer(KIND, OutputOptions(fields="key,sise"), ("project",))
    assert (wrong.value.exit_code, wrong.value.fix) == (2, "Fields: key, size, project.")


def test_lines_break_between_words_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    line = f"  {'word ' * 10}/a/path/that/is/longer/than/the/line/is"
    print_line(line)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_line(line)
    whole, *broken = capsys.readouterr().out.splitlines()
    assert whole == line
    assert [*map(len, broken)] == [26, 26, 41]
    assert " ".join(broken).split() == line.split()
    assert all(each.startswith("  ") for each in broken)


@pytest.mark.parametrize("width", [20, 30, 60, 80])
def test_no_line_breaks_within_a_command_to_paste(width: int) -> None:
    commands = ("flagtui staged list", "flagtui apply staged --profile prod", "flagtui flags get 'a b'")
    line = f"The staged set has 1 change: {commands[0]}; {commands[1]}. To see it: {commands[2]}"
    lines = wrap_line(line, width).splitlines()
    assert " ".join(lines) == line
    assert [sum(command in each for each in lines) for command in commands] == [1, 1, 1]
