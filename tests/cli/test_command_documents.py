"""The help, the table of commands and the man pages are those of the program.

`make generate` brings commands.tsv, commands.jsonl, help.txt, docs/command-line.md and docs/man up to date.
"""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any, Final

import click
import pytest
from tests.cli.conftest import Run
from tests.doubles.command_tree import all_commands, describe, index_text
from tests.doubles.man_pages import man_pages
from tests.doubles.request_counts import request_table
from tests.doubles.slices import one_in

from flagtui import cli
from flagtui.api.operations import OPERATIONS
from flagtui.changes.sets.change_set import FAULTS
from flagtui.cli.main import program
from flagtui.cli.plumbing.command_tree import FILE, DescribedCommand, descriptions
from flagtui.cli.plumbing.errors import EXIT_CODES, EXIT_WORDS
from flagtui.cli.plumbing.registry import FILE as INDEX
from flagtui.cli.plumbing.registry import command_index
from flagtui.cli.plumbing.staging import FAULT_CODES
from flagtui.store.activity_listing import ACTIVITY
from flagtui.store.event_listing import EVENT_LISTING
from flagtui.store.experiment_listing import EXPERIMENT_LISTING
from flagtui.store.flag_listing import FLAG_LISTING
from flagtui.store.query.language import read_line
from flagtui.store.query.vocabulary import Vocabulary

ROOT: Final = Path(__file__).parents[2]
HELP: Final = ROOT / "src" / "flagtui" / "cli" / cli.HELP_FILE
PAGE: Final = ROOT / "docs" / "command-line.md"
SETS_PAGE: Final = ROOT / "docs" / "change-sets.md"
MAN: Final = ROOT / "docs" / "man"
IS_WRITTEN: Final = os.environ.get("FLAGTUI_GOLDEN") == "write"
INSTEAD: Final = {
    "flags.hard_delete": "never sent: `flags delete` is soft",
    "experiments.hard_delete": "never sent: `experiments delete` is soft",
    "flags.enable": "`flags enable` sends `flags.update`, which a conflict stops",
    "flags.disable": "`flags disable`, the same way",
    "flags.archive": "`flags archive`, the same way",
    "flags.unarchive": "`flags unarchive`, the same way",
    "flags.bulk_delete": "`flags delete`, one by one: this one leaves the version as it is",
    "change_requests.get": "`undo`, and changes with `--wait`, follow one that waits for approval",
    "properties.list": "the app's forms complete with them",
    "properties.person_values": "the app's forms complete with them",
    "properties.group_values": "the app's forms complete with them",
    "flags.matching_ids": "`flags list QUERY --fields id`",
    "flags.my_flags": "`flags evaluate --for YOU`",
    "flags.set_rollout": "`flags rollout`, through the app's own way of writing",
    "flags.roll_out_to_everyone": "`flags rollout --to 100`",
    "schedule.update": "`flags schedule --drop`, then `flags schedule` again",
    "event_definitions.metrics": "closed to keys; the app reports that",
    "event_definitions.primary_properties": "`events list --fields name,primary_property`",
}
"""Operations that no command asks, and what there is instead."""


def command_table() -> str:
    lines = ["| command | what it does | prints |", "|---|---|---|"]
    for name, description in descriptions().items():
        schema = (
            f"[`{description['output']}`](schemas/{description['output']}.json)"
            if description["output"]
            else "text"
        )
        lines.append(f"| `{name}` | {description['summary']} | {schema} |")
    return "\n".join(lines)


def operation_table() -> str:
    commands: dict[str, list[str]] = {name: [] for name in OPERATIONS}
    for name, command in all_commands().items():
        for operation in command.operations:
            commands[operation].append(f"`{name}`")
    lines = ["| operation | command |", "|---|---|"]
    for operation, names in commands.items():
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        lines.append(f"| `{operation}` | {shown or INSTEAD[operation]} |")
    return "\n".join(lines)


def code_table() -> str:
    rows = [f"| {code} | {words} |" for code, words in EXIT_WORDS.items()]
    return "\n".join(["| code | means |", "|---|---|", *rows])


def fault_table() -> str:
    rows = [f"| {EXIT_CODES[FAULT_CODES[name]]} | {words} |" for name, words in FAULTS.items()]
    return "\n".join(["| code | reason |", "|---|---|", *sorted(rows)])


TABLES: Final = {
    "commands": command_table,
    "operations": operation_table,
    "codes": code_table,
    "requests": request_table,
}


def test_the_index_has_every_command_that_is_declared() -> None:
    text = index_text()
    if IS_WRITTEN:
        INDEX.write_text(text, encoding="utf-8")
        command_index.cache_clear()
        all_commands.cache_clear()
    assert INDEX.read_text(encoding="utf-8") == text


def test_the_descriptions_of_commands_are_those_of_the_program() -> None:
    commands = [describe(name, command) for name, command in all_commands().items()]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in commands)
    if IS_WRITTEN:
        FILE.write_text(text, encoding="utf-8")
        descriptions.cache_clear()
    assert FILE.read_text(encoding="utf-8") == text


def test_every_operation_has_a_command_or_a_reason() -> None:
    operations = {operation for each in all_commands().values() for operation in each.operations}
    assert operations <= OPERATIONS.keys()
    assert OPERATIONS.keys() - operations == INSTEAD.keys()


@pytest.mark.parametrize("page", [PAGE, SETS_PAGE], ids=lambda page: str(page.stem))
def test_the_tables_of_a_page_are_those_of_the_program(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, table in (TABLES if page == PAGE else {"faults": fault_table}).items():
        begin, end = f"<!-- {name}: made from the commands -->", f"<!-- end of {name} -->"
        if IS_WRITTEN:
            before, _, rest = text.partition(begin)
            text = f"{before}{begin}\n{table()}\n{end}{rest.partition(end)[2]}"
        assert f"{begin}\n{table()}\n{end}" in text, name
    if IS_WRITTEN:
        page.write_text(text, encoding="utf-8")


def test_stored_help_is_that_of_the_program() -> None:
    wide = {**program.context_settings, "terminal_width": 80, "max_content_width": 80}
    context = click.Context(program, info_name="flagtui", **wide)
    text = program.get_help(context) + "\n"
    if IS_WRITTEN:
        HELP.write_text(text, encoding="utf-8")
    assert HELP.read_text(encoding="utf-8") == text


def _not_called() -> click.Command:
    raise AssertionError("the command is loaded")


@pytest.mark.parametrize("width", one_in(2, [40, 80, 100]))
def test_help_from_a_description_is_that_of_the_command(width: int) -> None:
    root = click.Context(program, info_name="flagtui", terminal_width=width, **program.context_settings)
    for name, command in all_commands().items():
        stand_in = DescribedCommand(name.split()[-1], descriptions()[name], _not_called)
        contexts = (click.Context(shape, info_name=name, parent=root) for shape in (stand_in, command))
        text, expected = (context.command.get_help(context) for context in contexts)
        assert text == expected, name


def test_groups_show_whole_summaries(run: Run) -> None:
    shown = " ".join(run("flags", "--help").out.split())
    for words, command in command_index().items():
        if words.startswith("flags "):
            assert command.line in shown


def test_the_man_pages_are_those_of_the_program() -> None:
    made = man_pages(program)
    if IS_WRITTEN:
        MAN.mkdir(exist_ok=True)
        for path in MAN.glob("*.1"):
            path.unlink()
        for name, text in made.items():
            (MAN / name).write_text(text, encoding="utf-8")
    assert {path.name: path.read_text(encoding="utf-8") for path in MAN.glob("*.1")} == made
    assert {"flagtui.1", "flagtui-flags.1", "flagtui-undo.1"} <= made.keys()


def test_man_page_lines_are_never_read_as_macros() -> None:
    for name, text in man_pages(program).items():
        for line in text.splitlines():
            assert not line.startswith("'"), f"{name}: {line}"
            assert not line.startswith(".") or re.match(r"\.(TH|SH|SS|TP|PP|nf|fi|RS|RE|B)\b", line), line


def test_the_commands_are_described_for_programs(run: Run) -> None:
    records = {record["name"]: record for record in run("commands", "--json").records}
    assert records.keys() == all_commands().keys()
    rollout = records["flags rollout"]
    assert rollout["writes"] is True
    assert rollout["output"] == "change-result"
    (argument,) = rollout["arguments"]
    assert argument.items() >= {"name": "flags", "many": True, "required": True}.items()
    options = {name for option in rollout["options"] for name in option["names"]}
    assert {"--to", "--yes", "--dry-run", "--json"} <= options
    assert rollout["exit_codes"].keys() >= {"0", "1", "2", "3", "4", "5", "6"}
    assert records["events types"]["options"][0]["choices"] == ["ts", "python", "go"]
    assert "unchanged" in rollout["enums"]["ending"]
    assert {"--read-only", "--log"} <= {name for each in rollout["program_options"] for name in each["names"]}
    assert {each["name"] for each in records["flags list"]["query"]} == {*FLAG_LISTING.vocabulary.qualifiers}
    assert records["flags list"]["orders"] == [*FLAG_LISTING.orders]
    assert {each["name"] for each in records["watch"]["query"]} == {*ACTIVITY.qualifiers}


@pytest.mark.parametrize(("name", "vocabulary"), [
    ("flags list", FLAG_LISTING.vocabulary),
    ("experiments list", EXPERIMENT_LISTING.vocabulary),
    ("events list", EVENT_LISTING.vocabulary),
    ("activity", ACTIVITY),
    ("watch", ACTIVITY),
])  # fmt: skip
def test_the_help_of_a_list_names_every_qualifier(name: str, vocabulary: Vocabulary[Any]) -> None:
    text = " ".join((all_commands()[name].help or "").split())
    assert f"({', '.join(vocabulary.qualifiers)}): " in text
    example = text.rpartition("): '")[2].partition("'")[0]
    assert example
    assert not read_line(example, vocabulary).problems


def test_every_example_has_words_that_its_command_takes(home: Path) -> None:
    for file in ("flagtui.db", "flags.json"):
        (home / file).touch()
    for name, command in all_commands().items():
        for example in command.examples:
            words = shlex.split(example.partition(" < ")[0])
            # The group `mirror` starts the server without this word.
            own = name.removesuffix(" run").split()
            assert words[: len(own)] == own
            command.make_context(name, words[len(own) :]).close()


def test_every_command_has_two_examples_in_its_help(run: Run) -> None:
    assert [name for name, each in all_commands().items() if len(each.examples) < 2] == []
    for name, each in all_commands().items():
        text = run(*name.split(), "--help").out
        assert all(f"flagtui {example}\n" in text for example in each.examples), name
