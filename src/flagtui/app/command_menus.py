"""The palette and the help over the present screen: which commands work there, and which elsewhere."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import structs
from msgspec.structs import replace
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from flagtui.app.commands.cli_equivalents import Subject, cli_equivalent, place_options
from flagtui.app.commands.command import SIGNS, Command, display_key
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.dialogs.help import HelpScreen
from flagtui.app.dialogs.palette import Offer, PaletteScreen
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.lists.record_search import RecordSearch
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import copy_text, show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import TABS, GoTo, RecordLink
from flagtui.app.state.permissions import why_dimmed
from flagtui.config.guard_rules import Level
from flagtui.text.styled import Notice


def palette(app: App[Any], app_state: AppState, open_project: Callable[[int], object]) -> PaletteScreen:
    """Return the palette for the screen in front; to go to a record would close a form with its draft."""
    shown, copy = [*offers(app, app_state)], partial(copy_text, app)
    if not isinstance(app.screen, FramedScreen):
        return PaletteScreen(shown, copy)

    def go_to(link: RecordLink) -> None:
        app.post_message(GoTo(link.kind, link.id))

    records = RecordSearch(app_state, go_to, open_project)
    return PaletteScreen(shown, copy, records.places, records.ask)


def offers(app: App[Any], app_state: AppState) -> Iterator[Offer]:
    """Yield the commands of the screen in front, then those of other tabs, which lead there."""
    screen = app.screen
    place = getattr(screen, "place", "")
    active = {each.binding.id: each for each in reversed(screen.active_bindings.values())}
    own = {binding.id for binding in screen.BINDINGS if isinstance(binding, Binding)}
    elsewhere: list[Offer] = []
    subject = _subject(screen, app_state)
    single = subject
    if isinstance(screen, RecordKeys) and len(rows := screen.chosen()) == 1:
        single = replace(subject, record=screen.link_to(rows[0]))
    for command in _commands(place, app_state):
        here = active.get(command.id)
        if here is not None:
            run = partial(app.run_action, here.binding.action, here.node) if here.enabled else None
            key = display_key(app, here.binding)
            about = "" if here.enabled else why_dimmed(app_state, command, screen, key)
            line = cli_equivalent(command, single if command.applies_to == "one" else subject)
            yield Offer(command, key, run, about, cli=line)
        elif command.id in own and app._keymap.get(command.id) == "":
            run = partial(app.run_action, command.action, screen)
            yield Offer(command, "", run, "your [keys] use its key", cli=cli_equivalent(command, subject))
        elif command.id in own and isinstance(screen, RecordKeys) and (why := screen.refusal_of(command)):
            key = app._keymap.get(command.id, command.keys).partition(",")[0]
            reason = why.partition(";")[0]
            yield Offer(command, SIGNS.get(key, key), None, reason, cli=cli_equivalent(command, subject))
        elif "app.flags" in active and _leads_elsewhere(command, place, app_state):
            tab = command.places[0]
            key = display_key(app, command.binding())
            go = partial(_go, app, command, key)
            line = cli_equivalent(command, replace(subject, kind="", record=None, many=()))
            elsewhere.append(Offer(command, f"{tab} {key}", go, is_here=False, cli=line))
    yield from elsewhere


def _commands(place: str, app_state: AppState) -> Iterator[Command]:
    """Yield all commands as they work there: `flagtui pick` chooses a flag, and a mirror has overrides."""
    session = app_state.session
    for command in COMMANDS:
        if command.id == "lists.open" and place == "flags" and session.pick is not None:
            help = "Choose the flag under the cursor, and print its key"
            command = structs.replace(command, help=help, cli="")
        yield command.over_mirror() if session.mirror is not None else command


def _subject(screen: Screen[Any], app_state: AppState) -> Subject:
    """Return the records that keys of the screen are about, in the profile and project that are open."""
    session, workspace = app_state.session, app_state.workspace
    project = workspace.client.project if workspace is not None else None
    where = place_options(session.named_profile, project)
    mirror = session.mirror.address if session.mirror is not None else ""
    place = Subject(where=where, embedded_in=session.embedded_in, mirror=mirror)
    if not isinstance(screen, RecordKeys) or (target := screen.target()) is None:
        return place
    return replace(place, kind=target.kind, record=target, many=screen.chosen() or (target,))


def _leads_elsewhere(command: Command, place: str, app_state: AppState) -> bool:
    tab = command.places[0]
    if tab not in TABS or tab == place:
        return False
    return not (command.writes and app_state.session.rules.level is Level.READ_ONLY)


async def _go(app: App[Any], command: Command, key: str) -> None:
    """Go to the tab of a command, and run it if it needs no record."""
    await app.run_action(f"app.tab('{TABS[command.places[0]]}')")
    if not command.needs_record:
        app.screen.call_after_refresh(app.screen.run_action, command.action)
    else:
        show_toast(app, Notice(f"choose a row, then {key}: {command.help}"))


def help_screen(app: App[Any], app_state: AppState) -> HelpScreen:
    """Return the help for the screen in front."""
    screen, words = app.screen, list[tuple[str, str]]()
    if isinstance(screen, BrowseScreen):
        qualifiers = screen.description.listing.vocabulary.qualifiers.values()
        words = [
            (f"{qualifier.name}:", f"{qualifier.meaning}: {qualifier.allowed}") for qualifier in qualifiers
        ]
    here = [offer for offer in offers(app, app_state) if offer.is_here]
    return HelpScreen(here, getattr(screen, "place", ""), words)
