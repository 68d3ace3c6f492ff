"""Store a key: in the system's keyring, or where the user chooses without one."""

from contextlib import suppress
from typing import Literal, NoReturn, get_args

from msgspec.structs import replace

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.lines import print_line
from flagtui.cli.plumbing.prompts import Prompts
from flagtui.config.credentials import KeyPlaces, KeyringUnusable, Owner, Secret
from flagtui.config.key_sources import KeyFileRefused

Keep = Literal["keyring", "file", "nowhere"]
PLACES: tuple[Keep, ...] = get_args(Keep)


def keep_key(keys: KeyPlaces, owner: Owner, key: Secret, place: Keep | None, person: Prompts) -> list[str]:
    """Store the key there; without a place, in the keyring, or where the user chooses. Raises Trouble.

    The sentences to print are returned: where nothing reads them, the profile is written first.
    """
    if place == "nowhere":
        return _keep_nowhere(keys, owner)
    if place == "file":
        return _keep_in_file(keys, owner, key)
    try:
        keys.keep_in_keyring(owner, key)
    except KeyringUnusable as unusable:
        return _keep_elsewhere(keys, owner, key, str(unusable), person)
    return ["The key is in the system's keyring."]


def _keep_elsewhere(keys: KeyPlaces, owner: Owner, key: Secret, why: str, person: Prompts) -> list[str]:
    if not person.is_there:
        _refuse(why)
    print_line(f"{why} The key can be kept in other ways:")
    choices = (
        "in a file only you can read; anyone with access to your account on this machine can read it too",
        "in a password manager that prints it: sign in again with --key-command 'pass show flagtui'",
        "not at all: set FLAGTUI_API_KEY where flagtui is started",
    )
    match person.choose("How", choices):
        case 0:
            return _keep_in_file(keys, owner, key)
        case 1:
            raise Trouble(
                "nothing was stored.",
                "Sign in again with: flagtui auth login --key-command COMMAND",
                code="usage",
            )
        case _:
            return _keep_nowhere(keys, owner)


def forget_earlier(keys: KeyPlaces, owner: Owner) -> list[str]:
    """Remove a key that was stored before: it would stay on this machine, and be used."""
    removed: list[str] = []
    for place in (replace(keys, keyring=None), replace(keys, folder=None)):
        with suppress(KeyringUnusable, KeyFileRefused):
            sources = place.forget(owner)
            removed += [f"The key that was stored before was removed ({source})." for source in sources]
    return removed


def _keep_nowhere(keys: KeyPlaces, owner: Owner) -> list[str]:
    words = "The key is not stored. Set FLAGTUI_API_KEY where flagtui is started, or name a key_command."
    return [words, *forget_earlier(keys, owner)]


def _keep_in_file(keys: KeyPlaces, owner: Owner, key: Secret) -> list[str]:
    try:
        path = keys.keep_in_file(owner, key)
    except KeyFileRefused as refused:
        raise Trouble(str(refused)) from None
    if keys.keyring is not None:
        # An older key there would be found first.
        with suppress(KeyringUnusable):
            keys.keyring.forget(owner)
    return [f"The key is in {path}, which only you can read."]


def _refuse(why: str) -> NoReturn:
    raise Trouble(
        f"{why} Nothing was stored. Choose a place: --keep file (a file only you can read), "
        "--key-command COMMAND, or --keep nowhere with FLAGTUI_API_KEY set.",
        code="usage",
    )
