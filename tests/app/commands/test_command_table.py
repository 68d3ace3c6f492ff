"""The table of commands: one meaning for each key, one handler for each command."""

import inspect
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.app import FlagTui
from flagtui.app.commands.command_table import BY_ID, COMMANDS, commands_of, signs_of
from flagtui.app.events.event_list import EventsScreen
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.events.inbox_screen import InboxScreen
from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.flags.deleted_screen import DeletedScreen
from flagtui.app.flags.due_screen import DueScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_lookups import DefinitionsScreen, IdsScreen, MyFlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.tabs.history_tab import HistoryPane
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.records.code_keys_screen import CodeKeysScreen
from flagtui.app.records.code_pane import CodePane
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.state.permissions import STAGING_TITLES, override_titles
from flagtui.app.widgets.row_list import RowList
from flagtui.text.key_signs import DEFAULTS

SCREENS: dict[Any, tuple[str, ...]] = {
    FlagsScreen: ("flags", "lists", "everywhere"),
    FlagScreen: ("flag", "everywhere"),
    ExperimentsScreen: ("experiments", "lists", "everywhere"),
    ExperimentScreen: ("experiment", "everywhere"),
    SeriesScreen: ("days", "everywhere"),
    EventsScreen: ("events", "lists", "everywhere"),
    EventScreen: ("event", "everywhere"),
    InboxScreen: ("inbox", "everywhere"),
    ActivityScreen: ("activity", "lists", "everywhere"),
    JournalScreen: ("journal", "lists", "everywhere"),
    StagedScreen: ("staged", "lists", "everywhere"),
    DeletedScreen: ("deleted", "lists", "everywhere"),
    DueScreen: ("due", "lists", "everywhere"),
    DefinitionsScreen: ("definitions", "everywhere"),
    IdsScreen: ("lists", "everywhere"),
    MyFlagsScreen: ("lists", "everywhere"),
    FormScreen: ("form",),
    ExperimentForm: ("form",),
    JsonPane: ("json",),
    HistoryPane: ("history",),
    CodePane: ("code",),
    CodeKeysScreen: ("code_keys", "lists", "everywhere"),
}
"""By screen, and by tab of a page that has keys of its own: whose commands work there."""
SAME_THING = (
    {"delete", "remove"},
    {"on/off", "pause"},
    {"edit", "describe"},
    {"tags", "type tags"},
    {"copy", "copy value"},
    {"revert", "restore", "unstage", "drop"},
    {"mark", "compare"},
    {"open", "metric", "fold", "edit"},
    {"rollout", "share"},
    {"runtime", "result", "reason"},
    {"save", "to a file"},
    {"back", "leave"},
    {"next", "next tab"},
    {"results", "calculate", "scan"},
    {"refresh", "read again"},
    {"preview", "table"},
    {"schedule", "moment"},
    {"half page down", "page down"},
    {"half page up", "page up"},
)
"""Titles of one kind of thing: what they are called depends on what is under the cursor."""
DIFFERS = {"equals_sign": "even shares", "plus": "stage", "t": "TypeScript"}
"""Keys that mean something else in one place, where the other thing is not to be had."""


def test_a_key_means_one_kind_of_thing_wherever_it_works() -> None:
    titles: dict[str, set[str]] = defaultdict(set)
    for command in COMMANDS:
        for key in command.keys.split(","):
            if DIFFERS.get(key) != command.title:
                titles[key].add(command.title)
    several = [(key, names) for key, names in titles.items() if len(names) > 1]
    assert [each for each in several if not any(each[1] <= meanings for meanings in SAME_THING)] == []


def test_no_two_commands_share_a_key_on_one_screen() -> None:
    for screen in SCREENS:
        keys = Counter(key for binding in bindings(screen) for key in binding.key.split(","))
        assert [key for key, times in keys.items() if times > 1] == [], screen.__name__


@pytest.mark.parametrize("titles", [{}, STAGING_TITLES, override_titles()], ids=["", "staging", "mirror"])
def test_no_two_keys_share_a_title_on_one_screen(titles: Mapping[str, str]) -> None:
    for screen in SCREENS:
        shown = Counter(titles.get(each.id, each.description) for each in bindings(screen))
        assert [title for title, keys in shown.items() if keys > 1] == [], screen.__name__


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: str(screen.__name__))
def test_each_command_has_one_handler_where_it_works(screen: Any) -> None:
    bound = {binding.id for binding in bindings(screen)}
    commands = [command for command in commands_of(*SCREENS[screen]) if command.id in bound]
    left_out = {"lists.copy_key", "lists.mine", "lists.state", "lists.type", "app.refresh"}
    assert {command.id for command in commands_of(*SCREENS[screen])} - bound <= left_out
    own, of_app = (
        {name for base in own_bases(of) for name in own_handlers(base)} for of in (screen, FlagTui)
    )
    without = [each.id for each in commands if each.handler not in (of_app if each.by_app else own)]
    calls = Counter((each.by_app, each.handler, each.argument) for each in commands)
    assert without == []
    assert [call for call, times in calls.items() if times > 1] == []


def test_each_handler_has_a_command_where_it_is_inherited() -> None:
    needed: dict[str, set[str]] = defaultdict(set)
    served: dict[str, set[str]] = defaultdict(set)
    for screen in (*SCREENS, FlagTui):
        commands = [*commands_of(*SCREENS[screen])] if screen in SCREENS else [*COMMANDS]
        here = {each.handler for each in commands if each.by_app == (screen is FlagTui)}
        for base in own_bases(screen):
            # Textual binds ctrl+c to it.
            needed[base.__name__] |= own_handlers(base) - {"help_quit"}
            served[base.__name__] |= here
    assert {name: names - served[name] for name, names in needed.items() if names - served[name]} == {}


def test_places_and_moves_of_commands_exist() -> None:
    places = {place for places in SCREENS.values() for place in places}
    assert {place for command in COMMANDS for place in command.places} == places
    moves = [command.argument for command in COMMANDS if command.handler == "rows"]
    assert [move for move in moves if not hasattr(RowList, f"action_{move}")] == []


def bindings(screen: Any) -> list[Any]:
    return [binding for binding in screen.BINDINGS if binding.id is not None]


def own_bases(screen: Any) -> list[Any]:
    """The classes of this program that a screen is made of."""
    return [base for base in inspect.getmro(screen) if base.__module__.startswith("flagtui.app")]


def own_handlers(base: Any) -> set[str]:
    return {name.removeprefix("action_") for name in vars(base) if name.startswith("action_")}


def test_signs_name_default_keys_or_the_palette() -> None:
    keys = {id: BY_ID[id].keys.split(",") for id in DEFAULTS}
    first = signs_of({id: names[0] for id, names in keys.items()})
    last = signs_of({id: names[-1] for id, names in keys.items()})
    assert {id for id, sign in DEFAULTS.items() if sign not in (first[id], last[id])} == set()
    assert signs_of({"app.undo": "f9,u", "app.redo": ""}) == {"app.undo": "F9", "app.redo": ": redo"}
