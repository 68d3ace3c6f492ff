"""The command line twin of each command of the app: declared, understood there, safe in a shell."""

import shlex
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.doubles.command_tree import ROOT, all_commands

from flagtui.app.commands.cli_equivalents import Subject, cli_equivalent
from flagtui.app.commands.command_table import COMMANDS
from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow

WHERE = ("--profile", "prod", "--project", "1")
PAIRS: dict[str, tuple[Any, Any]] = {
    "flags": (FlagRow(1, "one"), FlagRow(2, "two")),
    "experiments": (ExperimentRow(1, "One"), ExperimentRow(2, "Two")),
    "events": (EventDefinitionRow("u", "one"), EventDefinitionRow("v", "two")),
}
SUBJECTS = {kind: Subject(kind, rows[0], rows, WHERE) for kind, rows in PAIRS.items()}
BY_ID = {command.id: command for command in COMMANDS}
WITH_TWIN = [command.id for command in COMMANDS if command.cli]
SAID = {"PERCENT": "50", "ID": "1", "VERSION": "1", "CONCLUSION": "won"}
"""What stands for a word in capitals where any text would not do."""

WITHOUT_TWIN: Final[Mapping[str, str]] = {
    id: why
    for why, ids in {
        "flags list, experiments list and events list take the same search": "lists.search lists.state"
        " lists.type lists.mine lists.sort lists.reverse flags.runtime experiments.result inbox.reason"
        " lists.save_query",
        "flags restore takes the key of a deleted flag": "flags.deleted",
        "--reason gives the set one when it is staged": "staged.reason",
        "staging the change of a record again replaces its values": "staged.edit",
        "a version is brought back where both are seen": "history.return",
        "an event has too few fields for a file: each has a command": "events.edit_json"
        " events.describe_in_editor",
        "decisions of the inbox are kept by the app until they are applied": "inbox.apply inbox.undo"
        " inbox.same_as inbox.next",
        "flags edit, experiments edit and flags create take the fields": "form.save",
        "activity tells every change since a moment, not what a list looked like": "app.since",
    }.items()
    for id in ids.split()
}
"""By id of a command that is not about the screen: why it has none."""

_SCREEN: Final = """
page.next_tab page.last_tab flag.copy_value json.fold json.fold_all json.search code.open days.table
inbox.open inbox.down inbox.up inbox.page_down inbox.page_up inbox.first inbox.last
lists.mark lists.mark_range lists.mark_shown
lists.columns lists.preview lists.copy_key lists.query_5 lists.query_6 lists.query_7 lists.query_8
lists.query_9 lists.copy_menu lists.link lists.links lists.down lists.up lists.page_down lists.page_up
lists.half_down lists.half_up lists.first lists.last page.down page.search page.up page.page_down page.page_up
page.first page.last form.edit form.share form.remove form.undo form.up form.down form.distribute form.back
app.theme app.settings app.tour app.refresh app.suspend app.quit app.help app.back
"""
ABOUT_THE_SCREEN: Final = frozenset(_SCREEN.split())
"""Ids of commands that a program without a screen has no use for."""


def test_every_app_command_has_a_cli_equivalent_or_a_reason() -> None:
    declared = [*WITH_TWIN, *WITHOUT_TWIN, *ABOUT_THE_SCREEN]
    assert sorted(declared) == sorted(command.id for command in COMMANDS)
    assert all(WITHOUT_TWIN.values())


@pytest.mark.parametrize("kind", SUBJECTS)
@pytest.mark.parametrize("id", WITH_TWIN)
def test_the_command_line_understands_every_twin(id: str, kind: str) -> None:
    words = [SAID.get(word, word) for word in shlex.split(cli_equivalent(BY_ID[id], SUBJECTS[kind]))[1:]]
    count = 1 if words[0] in all_commands() else 2
    command = all_commands()[" ".join(words[:count])]
    command.make_context(words[count - 1], words[count:], parent=ROOT)


@pytest.mark.parametrize(("id", "kind", "row", "line"), [
    ("flags.toggle", "flags", FlagRow(7, "new-nav", active=True), "flags disable new-nav"),
    ("flags.toggle", "flags", FlagRow(7, "new-nav"), "flags enable new-nav"),
    ("flags.archive", "flags", FlagRow(7, "old", archived=True), "flags unarchive old"),
    ("experiments.switch", "experiments", ExperimentRow(3, "X"), "experiments pause 3"),
    ("experiments.switch", "experiments", ExperimentRow(3, "X", status="paused"), "experiments resume 3"),
    ("events.verify", "events", EventDefinitionRow("u", "a b", verified=True), "events unverify 'a b'"),
    ("events.hide", "events", EventDefinitionRow("u", "paid"), "events hide paid"),
    ("lists.open", "experiments", ExperimentRow(3, "X"), "experiments get 3"),
    ("flags.delete", "flags", FlagRow(7, "a;rm -rf ~"), "flags delete 'a;rm -rf ~'"),
    ("flags.delete", "flags", FlagRow(7, "--yes"), "flags delete 7"),
    ("events.delete", "events", EventDefinitionRow("u", "is:hidden"), "events delete u"),
    ("flags.new", "flags", FlagRow(7, "new-nav"), "flags create KEY"),
    ("app.palette", "flags", FlagRow(7, "new-nav"), "commands"),
])  # fmt: skip
def test_a_twin_is_filled_in_with_the_record(id: str, kind: str, row: object, line: str) -> None:
    assert cli_equivalent(BY_ID[id], Subject(kind, row, (row,))) == f"flagtui {line}"


def test_a_twin_of_the_demo_is_done_in_the_demo() -> None:
    row = FlagRow(7, "new-nav", active=True)
    demo = Subject("flags", row, (row,), ("--project", "1"), "demo --nasty")
    twins = {
        "flags.toggle": "flagtui demo --nasty flags disable new-nav --project 1",
        "app.journal": "flagtui demo --nasty journal",
        "app.profile": "flagtui profiles",
    }
    assert {id: cli_equivalent(BY_ID[id], demo) for id in twins} == twins


def test_twin_over_a_mirror_changes_overrides_only() -> None:
    mirror = replace(SUBJECTS["flags"], mirror="http://127.0.0.1:8020")
    commands = [command.over_mirror() for command in COMMANDS if command.in_mirror]
    assert {command.cli.partition(" ")[0] for command in commands} == {"mirror", ""}
    share = BY_ID["flags.rollout"].over_mirror()
    assert cli_equivalent(share, mirror) == "flagtui mirror set one=PERCENT two=PERCENT --port 8020"
    assert "Override" in share.help
    assert BY_ID["flags.delete"].over_mirror() is BY_ID["flags.delete"]


def test_twin_names_marked_records_or_placeholder_words() -> None:
    link = SimpleNamespace(id=1, key="one")
    for id, subject, line in (
        ("flags.tags", SUBJECTS["flags"], f"flagtui flags tag one two --add TAG {' '.join(WHERE)}"),
        ("flags.edit_json", SUBJECTS["flags"], f"flagtui flags edit one {' '.join(WHERE)}"),
        ("flags.toggle", Subject(), "flagtui flags enable FLAGS"),
        ("events.hide", Subject("flags", link, (link,)), "flagtui events hide EVENTS"),
        ("lists.up", Subject(), ""),
    ):
        assert cli_equivalent(BY_ID[id], subject) == line
