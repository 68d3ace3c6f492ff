"""Who is signed in where, and signing out."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from flagtui.api.hosts import Host
from flagtui.app.terminal.first_frame import frames_folder
from flagtui.cli.errors import Trouble
from flagtui.cli.output.lines import say
from flagtui.cli.output.printer import Printer
from flagtui.cli.profile_choice import Opening
from flagtui.cli.records.account_records import SIGN_IN, SignedIn
from flagtui.cli.signed_in import ask, find_key, open_profile
from flagtui.config.credentials import KeyringUnusable, Source
from flagtui.config.key_sources import KeyFileRefused
from flagtui.store.key_info import Introduction, abilities, introduce
from flagtui.store.snapshots import Snapshots


def tell_status(profile: str, printer: Printer) -> None:
    """Which key, whose it is, what it may do. Raises Trouble when it does not work."""
    opening = open_profile(profile)
    found = find_key(opening)
    introduction = ask(opening, found, introduce)
    if printer.is_for_programs or printer.fields:
        printer.records(SIGN_IN, [SignedIn(opening, found, introduction)])
    else:
        say(f"{opening.words}. The key: {found.key.mask} from {found.source}.")
        tell_introduction(opening.host, introduction)


def sign_out(profile: str) -> None:
    """Forgets what is kept of this key and seen with it on this machine. Raises Trouble."""
    opening = open_profile(profile)
    name = opening.profile.name
    _forget_rows(opening)
    gone = _forget_key(opening)
    if gone:
        say(f"The key of {name} for {opening.host.origin} is forgotten ({', '.join(gone)}).")
    else:
        say(f"No key was kept for {name} at {opening.host.origin}.")
    if opening.environment.key:
        say("FLAGTUI_API_KEY still has one here.")
    if opening.profile.key_command:
        say("The profile still gets one from its key_command.")
    say("It stays valid until it is deleted in the account settings of the server.")


def _forget_key(opening: Opening) -> list[Source]:
    """Where one was."""
    gone: list[Source] = []
    try:
        gone += replace(opening.keys, keyring=None).forget(opening.owner)
    except KeyFileRefused as refused:
        raise Trouble(str(refused)) from None
    try:
        gone += replace(opening.keys, folder=None).forget(opening.owner)
    except KeyringUnusable as unusable:
        say(f"{unusable} If a key is in one, it still is.")
    return gone


def _forget_rows(opening: Opening) -> None:
    cache = opening.environment.places.cache
    if cache is not None:
        Snapshots(cache / "rows").forget_all(opening.profile.name, opening.host.origin)
    with suppress(OSError):
        for frame in Path(frames_folder()).glob("frame-*"):
            frame.unlink(missing_ok=True)


def tell_introduction(host: Host, found: Introduction) -> None:
    """Whose key it is, and what will and won't work with it."""
    say(f"Signed in to {host.name}{f' as {found.person}' if found.person else ''}.")
    known = abilities(found.key)
    if not known:
        say("The server does not tell what the key may do; what it refuses is said when it happens.")
    for ability in known:
        if ability.works:
            say(f"  ✓ {ability.words}")
        else:
            say(f"  ✗ {ability.words}: the key lacks {ability.scope}")


def project_line(found: Introduction, place: int) -> str:
    project = found.projects[place]
    organization = found.organization_of(project)
    return f"{f'{organization} › ' if organization else ''}{project.label}  #{project.id}"
