"""`flagtui demo`: the whole program on a service of its own, in one process."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import click

from flagtui.app.terminal.background import asked_background
from flagtui.cli.app_run import run_app
from flagtui.cli.errors import Trouble, require_terminal
from flagtui.cli.linear import run_linear
from flagtui.cli.options import LINEAR, is_read_only
from flagtui.cli.twin_command import TwinCommand
from flagtui.config.locations import (
    KEY_VARIABLE,
    FolderUnusable,
    find_locations,
    make_folder,
    take_variable,
    use_state,
)

if TYPE_CHECKING:
    from flagtui.api import Client


KEY = "phx_demo_key_of_this_machine"
"""Opens nothing but the demo's own database, which has no address."""
NOWHERE = "http://127.0.0.1:1"


@dataclass(frozen=True)
class Demonstration:
    """What was asked for on the command line."""

    fresh: bool = False
    nasty: bool = False
    flags: int | None = None
    read_only: bool = False
    mouse: bool = True


def open_demo(options: Demonstration) -> int:
    """Run the app until it is left; the exit code."""
    folder = _folder()
    # The demo needs no key, and what it starts must not inherit one.
    take_variable(KEY_VARIABLE)
    with asked_background():
        from flagtui.app.app import FlagTui
        from flagtui.app.state.app_state import Reread, Session
        from flagtui.cli.chosen_settings import checked_keymap, preferences_of
        from flagtui.cli.profile_choice import settings_in
        from flagtui.config.guard_rules import GuardRules, Level

        places = find_locations()
        settings = settings_in(places)
        keymap = checked_keymap(settings)
    name = _name(options)
    if options.fresh:
        _start_over(folder, name)
    opened: list[Any] = []

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
        badge="NASTY" if options.nasty else "DEMO",
        colour="warning" if options.nasty else "success",
        rules=GuardRules(Level.READ_ONLY if options.read_only else Level.GUARDED, place="DEMO"),
        connect=_connector(folder / f"{name}.db", options, opened),
        journal_folder=folder / f"{name}-state" / "journal",
        state_folder=folder,
        offers_tour=not (preferences.remembered.toured or options.read_only or options.nasty),
        preferences=preferences,
        reread=reread,
    )
    try:
        app = FlagTui(session)
        app.set_keymap(keymap)
        return run_app(app, mouse=options.mouse and settings.mouse)
    finally:
        from flagtui.service import close_service

        for service in opened:
            close_service(service)


def open_linear_demo(options: Demonstration) -> int:
    """Ask for commands about the demo until the person leaves; the exit code."""
    from flagtui.cli.client import EMBEDDED
    from flagtui.service import DatabaseUnusable, close_service
    from flagtui.service.sample_data.company import NASTY, WEB

    folder, name = _folder(), _name(options)
    if options.fresh:
        _start_over(folder, name)
    try:
        service = EMBEDDED[NOWHERE] = _open_service(folder / f"{name}.db", options)
    except DatabaseUnusable as fault:
        raise Trouble(str(fault), "Start over with: flagtui demo --fresh --linear") from None
    use_state(folder / f"{name}-state")
    os.environ.pop("FLAGTUI_PROFILE", None)
    project = NASTY if options.nasty else WEB
    os.environ.update({"FLAGTUI_HOST": NOWHERE, KEY_VARIABLE: KEY, "FLAGTUI_PROJECT": str(project)})
    try:
        return run_linear(
            click.get_current_context().find_root().obj, ["--read-only"] if options.read_only else []
        )
    finally:
        close_service(service)


def _folder() -> Path:
    try:
        return make_folder(find_locations().data, "the demo's data")
    except FolderUnusable as fault:
        raise Trouble(str(fault)) from None


def _name(options: Demonstration) -> str:
    """Each kind of sample keeps its own file."""
    kind = "nasty" if options.nasty else "demo"
    return kind if options.flags is None else f"{kind}-{options.flags}"


def _start_over(folder: Path, name: str) -> None:
    for ending in (".db", ".db-wal", ".db-shm", ".db.key"):
        (folder / f"{name}{ending}").unlink(missing_ok=True)
    # What was changed in a database that is gone cannot be undone.
    rmtree(folder / f"{name}-state", ignore_errors=True)
    # Its searches and moments are about what is gone as well; the tour begins again.
    rmtree(folder / f"{name}-tastes", ignore_errors=True)


def _connector(path: Path, options: Demonstration, opened: list[Any]) -> "Callable[[], Awaitable[Client]]":
    async def connect() -> "Client":
        import asyncio

        from flagtui.app.shell.preload import CLIENT, load_in_background

        await load_in_background(CLIENT)
        from flagtui.api import Client
        from flagtui.api.errors import ApiError
        from flagtui.api.http_library import in_process
        from flagtui.service import DatabaseUnusable
        from flagtui.service.sample_data.company import NASTY, WEB

        if not opened:
            try:
                opened.append(await asyncio.to_thread(_open_service, path, options))
            except DatabaseUnusable as fault:
                raise ApiError(str(fault), next="Start over with: flagtui demo --fresh") from None
        project = NASTY if options.nasty else WEB
        return Client(NOWHERE, KEY, project, transport=in_process(opened[0]))

    return connect


def _open_service(path: Path, options: Demonstration) -> Any:
    from flagtui.service import create_service
    from flagtui.service.sample_data import sample

    fill = (
        sample(nasty=options.nasty)
        if options.flags is None
        else sample(nasty=options.nasty, flags=options.flags)
    )
    return create_service(path, key=KEY, sample=fill, max_flags=max(2_000, 2 * (options.flags or 0)))


@click.command("demo", cls=TwinCommand, is_online=False, examples=("demo", "demo --fresh --flags 2000"))
@click.option("--fresh", is_flag=True, help="Start over: throw away what was changed in the demo before.")
@click.option("--nasty", is_flag=True, help="A project whose every text tries to harm the terminal.")
@click.option(
    "--flags", type=click.IntRange(0, 100_000), metavar="N", help="How many flags the sample lists."
)
@click.option("--read-only", is_flag=True, help="Refuse every change.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.option("--linear", is_flag=True, help="Ask for commands and answer in lines, without a screen.")
@click.pass_context
def command(context: click.Context, /, linear: bool, no_mouse: bool, **given: object) -> None:
    """Open the app on its own embedded service: no account, no network.

    What you change is kept between runs, in the user data folder; --fresh starts over.
    """
    is_linear = linear or context.meta[LINEAR]
    if not is_linear:
        require_terminal()
    before = context.find_root().params
    mouse = not (no_mouse or before["no_mouse"])
    # Click has checked the types.
    found = Demonstration(mouse=mouse, **given)  # type: ignore[arg-type]
    options = replace(found, read_only=found.read_only or is_read_only())
    try:
        raise SystemExit((open_linear_demo if is_linear else open_demo)(options))
    except OSError as fault:
        raise Trouble(
            f"the demo's data cannot be kept: {fault.strerror or fault}: {fault.filename or ''}"
        ) from None
