"""Every command of the app, declared once: one row each.

Derived from this table: the bindings, the line of keys, the palette, the help screen, the check of a
user's keymap, the key table of the documents and the equivalent command lines. A key has one meaning:
wherever it works, it does the same.
"""

from collections.abc import Container, Mapping, Sequence
from functools import cache
from typing import Final

from textual.binding import BindingType

from flagtui.app.commands.command import (
    CHANGES,
    EVERYWHERE,
    FORM,
    LISTS,
    PAGES,
    RECORD_SCOPE,
    RECORDS,
    SIGNS,
    Command,
)
from flagtui.app.commands.record_commands import LOG_COMMANDS
from flagtui.store.kinds import KINDS, load

__all__ = ["BY_ID", "COMMANDS", "Command", "bindings_of", "command_of", "commands_of", "signs_of"]

SCREEN_COMMANDS: Final = (
    Command("lists.search", "slash", "Go to the search line", LISTS, shown=True, turns_keys=True,
            synonyms="find filter query"),
    Command("lists.state", "f", "Filter by state: next value", LISTS, handler="cycle", argument="state",
            shown=True,
            synonyms="filter status on off running archived deleted stale draft clean cleanup unused"),
    Command("lists.type", "t", "Filter by type or kind: next value", LISTS, handler="cycle", argument="type",
            synonyms="filter"),
    Command("lists.mine", "b", "Show only mine, or everyone's", LISTS, title="by me", handler="cycle",
            argument="mine", synonyms="filter own creator owner"),
    Command("lists.mark", "x", "Mark or unmark what is under the cursor", LISTS, handler="rows",
            argument="mark", shown=True, synonyms="select tick"),
    Command("lists.mark_range", "X", "Mark from the last mark to the cursor", LISTS, title="mark range",
            handler="rows", argument="mark_range", synonyms="select"),
    Command("lists.mark_shown", "ctrl+a", "Mark everything shown, or nothing", LISTS, title="mark shown",
            synonyms="select all none unmark"),
    Command("lists.sort", "s", "Sort by the next column", LISTS, shown=True, synonyms="order"),
    Command("lists.reverse", "S", "Reverse the order", LISTS, synonyms="order sort"),
    Command("lists.columns", "c", "Choose columns and their order", LISTS, synonyms="fields layout"),
    Command("lists.preview", "v", "Show or hide the preview beside or below the list", LISTS,
            synonyms="pane split details side"),
    Command("lists.copy_key", "y", "Copy the keys or names to the terminal's clipboard", LISTS, title="copy",
            shown=True, synonyms="yank clipboard name", applies_to="many"),
    Command("lists.save_query", "Q", "Give this search a name and a tab", LISTS, title="save search",
            synonyms="bookmark name favourite view"),
    Command("lists.query_5", "5", "Go to the saved search with the key 5", LISTS, title="search 5",
            handler="query", argument=5),
    Command("lists.query_6", "6", "Go to the saved search with the key 6", LISTS, title="search 6",
            handler="query", argument=6),
    Command("lists.query_7", "7", "Go to the saved search with the key 7", LISTS, title="search 7",
            handler="query", argument=7),
    Command("lists.query_8", "8", "Go to the saved search with the key 8", LISTS, title="search 8",
            handler="query", argument=8),
    Command("lists.query_9", "9", "Go to the saved search with the key 9", LISTS, title="search 9",
            handler="query", argument=9),
    Command("lists.copy_menu", "Y", "Copy key, id, link, JSON, curl or command", ("lists", *PAGES),
            title="copy as", asks=True, synonyms="yank clipboard url json curl command id", applies_to="one"),
    Command("lists.link", "o", "Open it in the browser, or show its link", ("lists", *PAGES), title="browser",
            asks=True, synonyms="url web open", applies_to="cursor"),
    Command("lists.links", "l", "Go to related records: its flag, experiments, dependents", RECORDS,
            asks=True, synonyms="related dependents used jump", applies_to="cursor"),
    Command("lists.down", "down,j", "One line down", LISTS, handler="rows", argument="cursor_down"),
    Command("lists.up", "up,k", "One line up", LISTS, handler="rows", argument="cursor_up"),
    Command("lists.page_down", "pagedown", "One page down", LISTS, title="page down", handler="rows",
            argument="page_down"),
    Command("lists.page_up", "pageup", "One page up", LISTS, title="page up", handler="rows",
            argument="page_up"),
    Command("lists.half_down", "ctrl+d", "Half a page down", LISTS, title="half page down", handler="rows",
            argument="half_page_down"),
    Command("lists.half_up", "ctrl+u", "Half a page up", LISTS, title="half page up", handler="rows",
            argument="half_page_up"),
    Command("lists.first", "home,g", "To the first line", LISTS, handler="rows", argument="first",
            synonyms="top"),
    Command("lists.last", "end,G", "To the last line", LISTS, handler="rows", argument="last",
            synonyms="bottom end"),
    Command("page.search", "slash", "Go to the search line of the list", PAGES, handler="search_list",
            turns_keys=True, synonyms="find query filter"),
    Command("page.down", "down,j", "One line down", (*PAGES, "days"), handler="scroll", argument="down"),
    Command("page.up", "up,k", "One line up", (*PAGES, "days"), handler="scroll", argument="up"),
    Command("page.page_down", "pagedown,ctrl+d", "One page down", (*PAGES, "days"), title="page down",
            handler="scroll", argument="page_down"),
    Command("page.page_up", "pageup,ctrl+u", "One page up", (*PAGES, "days"), title="page up",
            handler="scroll", argument="page_up"),
    Command("page.first", "home,g", "To the top", (*PAGES, "days"), handler="scroll", argument="first"),
    Command("page.last", "end,G", "To the end", (*PAGES, "days"), handler="scroll", argument="last"),
    Command("form.save", "ctrl+s", "Show what would change, and save it", FORM, shown=True,
            scope=RECORD_SCOPE, synonyms="write apply"),
    Command("form.edit", "enter", "Edit, add or choose what the line is about", FORM, shown=True,
            turns_keys=True, synonyms="open change add"),
    Command("form.share", "percent_sign", "Set the share of a condition or variant; digits do too", FORM,
            shown=True, synonyms="rollout percent"),
    Command("form.remove", "d,delete", "Remove the condition, property, variant or payload; undo restores it",
            FORM, shown=True, synonyms="delete"),
    Command("form.undo", "u", "Undo the last edit in the form", FORM, shown=True,
            synonyms="restore back"),
    Command("form.up", "less_than_sign,ctrl+up", "Move the condition up", FORM, handler="move", argument=-1,
            shown=True),
    Command("form.down", "greater_than_sign,ctrl+down", "Move the condition down", FORM, handler="move",
            argument=1, shown=True),
    Command("form.distribute", "equals_sign", "Give every variant the same share", FORM, title="even shares",
            shown=True, synonyms="equal split"),
    Command("form.back", "escape", "Leave the form; asks first if anything changed", FORM,
            title="leave", shown=True, synonyms="close cancel"),
    Command("app.redo", "U", "Redo the last undone change", CHANGES, scope=RECORD_SCOPE,
            in_mirror="redo", needs_record=False, synonyms="again forward", cli="redo"),
    Command("app.stage", "plus", "Stage changes instead of sending them, or stop staging",
            (*RECORDS, *FORM),
            needs_record=False, scope=RECORD_SCOPE, cli="flags disable FLAGS --stage",
            synonyms="change set collect plan batch later draft"),
    Command("app.staged", "ampersand", "Show the staged changes: review, drop or apply them",
            EVERYWHERE, handler="show", argument="staged", by_app=True,
            synonyms="change set plan apply review proposal", cli="staged list"),
    *(
        Command(f"app.{kind.plural}", kind.tab, f"Go to the {kind.words}", EVERYWHERE, handler="tab",
                argument=kind.tab, by_app=True, synonyms=f"list tab {kind.synonyms}",
                cli=f"{kind.plural} list")
        for kind in KINDS.values()
    ),
    Command("app.activity", "4", "Go to the activity of the project", EVERYWHERE, handler="tab", argument="4",
            by_app=True, synonyms="log audit timeline list tab who blame", cli="activity"),
    Command("app.project", "p", "Switch to another project", EVERYWHERE, by_app=True, shown=True, asks=True,
            needs_record=False, synonyms="team environment change", cli="projects"),
    Command("app.profile", "P", "Switch to another profile", EVERYWHERE, by_app=True,
            synonyms="account host server region instance environment", cli="profiles"),
    Command("app.journal", "J", "Journal: search and undo your changes from this machine",
            EVERYWHERE, handler="show", argument="journal", by_app=True, synonyms="log history mine",
            cli="journal"),
    Command("app.code", "f6", "Keys in code that have no record: unknown and deleted ones", EVERYWHERE,
            title="keys in code", handler="show", argument="code", by_app=True, needs_record=False,
            synonyms="source references refs missing unknown typo", cli="check"),
    Command("app.since", "equals_sign", "Show what changed here since a time, such as yesterday 18:00",
            EVERYWHERE, by_app=True, asks=True, needs_record=False,
            synonyms="compare diff changed changes yesterday recent incident"),
    Command("app.theme", "f2", "Choose a theme: light, dark, high contrast", EVERYWHERE, by_app=True,
            synonyms="colour color night appearance"),
    Command("app.settings", "f4", "Read the settings file again: theme, keys, columns, profile", EVERYWHERE,
            by_app=True, synonyms="config configuration preferences options"),
    Command("app.tour", "f3", "Start or end the one-minute tour", EVERYWHERE, by_app=True,
            synonyms="tutorial introduction learn"),
    Command("app.refresh", "f5", "Reload everything from the server", EVERYWHERE, handler="refresh_now",
            by_app=True, synonyms="reload update sync fetch retry offline"),
    Command("app.sign_in", "ctrl+l", "Sign in with another key", EVERYWHERE, title="sign in", by_app=True,
            synonyms="login logout out auth token password", cli="auth login"),
    Command("app.suspend", "ctrl+z", "Suspend to the shell; fg resumes flagtui", ("everywhere", "form"),
            by_app=True, synonyms="stop shell background"),
    Command("app.quit", "q,ctrl+q", "Quit flagtui after pending changes are saved", EVERYWHERE,
            by_app=True, synonyms="exit close leave q!"),
    Command("app.palette", "colon,ctrl+p", "Find a command, or any record or project by name",
            ("everywhere", "form"), title="commands", handler="command_palette", by_app=True, shown=True,
            synonyms="menu go jump", cli="commands"),
    Command("app.help", "question_mark,f1", "Help: the keys and words of this screen", ("everywhere", "form"),
            by_app=True, shown=True, synonyms="keys shortcuts bindings manual legend"),
    Command("app.back", "escape", "Go back one step: leave the search line, search, marks or page",
            EVERYWHERE, shown=True, synonyms="close cancel clear leave"),
)  # fmt: skip
"""The commands of every list, page and form, and of the app as a whole."""

COMMANDS: Final[Sequence[Command]] = (
    *(command for kind in KINDS.values() for command in load(kind.commands_at)),
    *LOG_COMMANDS,
    *SCREEN_COMMANDS,
)
"""In the order of the last line, the palette and the documents."""
BY_ID: Final = {command.id: command for command in COMMANDS}


@cache
def commands_of(*places: str) -> Sequence[Command]:
    """Return the commands that work in these places, in the order of the table."""
    return tuple(command for command in COMMANDS if any(place in places for place in command.places))


@cache
def command_of(place: str, handler: str, argument: object = None) -> Command | None:
    """Return the command of a place, or of every list, that a screen carries out with this handler."""
    commands = (command for command in commands_of(place, "lists") if not command.by_app)
    return next((each for each in commands if (each.handler, each.argument) == (handler, argument)), None)


def signs_of(keymap: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of a keymap as users read them; of a command without one, its place in the palette."""
    palette, chosen = BY_ID["app.palette"].sign, dict[str, str]()
    for id, keys in keymap.items():
        key = keys.partition(",")[0]
        chosen[id] = SIGNS.get(key, key) or f"{palette} {BY_ID[id].title}"
    return chosen


def bindings_of(*places: str, without: Container[str] = ()) -> list[BindingType]:
    """Return Textual's bindings for these places, without some commands by id."""
    return [command.binding() for command in commands_of(*places) if command.id not in without]
