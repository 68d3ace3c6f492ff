"""The app on an embedded service, in one process; and the folder of its files."""

from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from flagtui.app.shell.preload import CLIENT, load_in_background
from flagtui.app.terminal.background import asked_background
from flagtui.cli.plumbing.demo_places import DEMO_PROFILE, sample_name, state_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.global_options import log_path
from flagtui.cli.plumbing.offline_copies import current_folder
from flagtui.cli.plumbing.profile_choice import settings_in
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.locations import KEY_VARIABLE, FolderUnusable, find_locations, make_folder, take_variable
from flagtui.config.profiles import Profile

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.cli.launch.demo_service import DemoService


class Demonstration(msgspec.Struct, frozen=True):
    """The options of the command line."""

    fresh: bool = False
    nasty: bool = False
    flags: int | None = None
    read_only: bool = False
    mouse: bool = True
    flag: str = ""
    """Key of the flag to open first."""
    project: str = ""
    """The project of commands; empty for the first one."""

    @property
    def name(self) -> str:
        """The file name of the sample."""
        return sample_name(self.flags, is_nasty=self.nasty)

    @property
    def words(self) -> str:
        """The words that open the same sample: `demo --nasty`."""
        count = "" if self.flags is None else f" --flags {self.flags}"
        return f"demo{' --nasty' * self.nasty}{count}"


def open_demo(options: Demonstration) -> int:
    """Run the app until it is left; the exit code."""
    folder = demo_folder()
    log_path()
    # The demo needs no key, and what it starts must not inherit one.
    take_variable(KEY_VARIABLE)
    with asked_background():
        from flagtui.app.state.app_state import Reread, Session
        from flagtui.cli.launch.app_session import checked_keymap, preferences_of, run_session
        from flagtui.cli.launch.code_scanner import CodeScanner

        places = find_locations()
        settings = settings_in(places)
        keymap = checked_keymap(settings)
        name = options.name
        state = state_of(folder, name)
        if options.fresh:
            start_over(folder, name)
    opened: list[DemoService] = []

    def reread() -> Reread | str:
        try:
            settings = settings_in(places)
            renewed = preferences_of(settings, places.settings_file, folder / f"{name}-tastes")
            return Reread(replace(session, preferences=renewed), checked_keymap(settings))
        except Trouble as trouble:
            return str(trouble)

    preferences = preferences_of(settings, places.settings_file, folder / f"{name}-tastes")
    session = Session(
        profile=name,
        host="embedded service",
        badge=profile_of(options).word,
        colour=profile_of(options).theme_colour,
        rules=rules_of(options),
        connect=lambda: _connect(folder / f"{name}.db", options, opened),
        code=CodeScanner(name, current_folder(), places.cache if settings.snapshots else None),
        journal_folder=state / "journal",
        state_folder=state,
        embedded_in=options.words,
        flag=options.flag,
        offers_tour=not (preferences.remembered.toured or options.read_only or options.nasty),
        preferences=preferences,
        reread=reread,
    )
    try:
        return run_session(session, keymap, mouse=options.mouse and settings.mouse)
    finally:
        for service in opened:
            service.close()


def demo_folder() -> Path:
    try:
        return make_folder(find_locations().data, "the demo's data")
    except FolderUnusable as fault:
        raise Trouble(str(fault)) from None


def profile_of(options: Demonstration) -> Profile:
    return (
        Profile(DEMO_PROFILE, badge="NASTY", colour="yellow")
        if options.nasty
        else Profile(DEMO_PROFILE, colour="green")
    )


def rules_of(options: Demonstration) -> GuardRules:
    """Return the guard rules of the demo; a question names the same badge as the header."""
    level = Level.READ_ONLY if options.read_only else Level.GUARDED
    return GuardRules(level, place=profile_of(options).word)


def start_over(folder: Path, name: str) -> None:
    try:
        for ending in (".db", ".db-wal", ".db-shm", ".db.key"):
            (folder / f"{name}{ending}").unlink(missing_ok=True)
    except OSError as fault:
        raise Trouble(f"the demo cannot start over: {fault.strerror}: {fault.filename}.") from None
    # What was changed in a database that is gone cannot be undone.
    rmtree(state_of(folder, name), ignore_errors=True)
    # Its searches and moments are about what is gone as well; the tour begins again.
    rmtree(folder / f"{name}-tastes", ignore_errors=True)


async def _connect(path: Path, options: Demonstration, opened: "list[DemoService]") -> "Client":
    await load_in_background(CLIENT)
    from flagtui.cli.launch.demo_service import DemoService

    if not opened:
        opened.append(DemoService(path, options.nasty, options.flags, options.words))
    return await opened[0].connect()
