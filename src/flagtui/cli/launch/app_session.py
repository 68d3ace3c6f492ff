"""The app in a profile: its settings, its session, the key it works with, its run on this terminal.

Loads the app, so it is imported while the terminal reports whether it is light or dark.
"""

import gc
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flagtui.api.errors import BadKey
from flagtui.app.app import FlagTui
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.flags.flag_columns import FLAG_LIST
from flagtui.app.shell.preload import CLIENT, load_in_background
from flagtui.app.shell.themes import CHOICES
from flagtui.app.state.app_state import Neighbour, Reread, Session
from flagtui.app.terminal.background import ANSWERS
from flagtui.cli.launch.code_scanner import CodeScanner
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.offline_copies import code_folder
from flagtui.cli.plumbing.profile_choice import (
    VARIABLE_WINS,
    Opening,
    ProfileRequest,
    choose,
    choose_other,
    login_command,
    no_key_words,
    settings_in,
)
from flagtui.config.credentials import KeyringUnusable, NoCredential, Secret, await_call
from flagtui.config.key_sources import KeyFileRefused
from flagtui.config.keymap import read_keymap
from flagtui.config.preferences import Preferences
from flagtui.config.profiles import CURRENT_PROJECT
from flagtui.config.settings import Settings, SettingsError
from flagtui.safe_text import safe_text
from flagtui.store.snapshots import snapshots_in

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.app.state.mirror_watch import MirrorWatch


def checked_keymap(settings: Settings) -> dict[str, str]:
    """Check theme, columns and keys; return the keys by command id. Raises Trouble."""
    try:
        settings.check_theme(tuple(CHOICES))
        settings.check_columns("flags", FLAG_LIST.column_names)
        return read_keymap(settings, COMMANDS)
    except SettingsError as wrong:
        raise Trouble(str(wrong), code="usage") from None


def preferences_of(settings: Settings, settings_file: Path | None, memory: Path) -> Preferences:
    """Return the settings of the lists, and their state remembered in that folder."""
    return Preferences(
        settings_file=settings_file,
        memory=memory,
        columns=settings.columns,
        queries=settings.queries,
        preview=settings.preview,
        theme=settings.theme or Preferences.theme,
        resumes=settings.resume,
        is_light=ANSWERS.is_light,
    )


def make_session(opening: Opening, *, read_only: bool, preferences: Preferences | None = None) -> Session:
    """Return the session of the app in this profile; preferences are kept for the next. Raises Trouble."""
    if opening.project_name:
        what = f"the app opens a project by its id, not by its name: {opening.project_name}."
        raise Trouble(what, f"See the ids: {next_command('projects')}", code="usage")
    profile, state = opening.profile, opening.state_to_open(read_only=read_only)
    key, cache = KeyInUse(opening), opening.cache
    shared = preferences or preferences_of(opening.settings, opening.environment.places.settings_file, state)

    def switch(name: str) -> Session | str:
        try:
            return make_session(choose_other(opening, name), read_only=read_only, preferences=shared)
        except Trouble as trouble:
            return str(trouble)

    return Session(
        profile=profile.name,
        code=CodeScanner(profile.name, code_folder(opening), cache, opening),
        host=opening.host.address,
        origin=opening.host.origin,
        badge=profile.word,
        colour=profile.theme_colour,
        is_stand_in=profile.is_stand_in,
        rules=opening.rules(read_only=read_only),
        connect=key.connect,
        journal_folder=state / "journal",
        state_folder=state,
        project=int(profile.project) if profile.project.isdigit() else CURRENT_PROJECT,
        snapshots=snapshots_in(cache),
        refresh=float(profile.refresh),
        unlock=profile.unlock * 60.0,
        preferences=shared,
        mirror=_mirror_of(opening),
        overridden=" ".join(opening.chosen.overridden),
        redact=key.redact,
        with_key=key.client_with,
        # The next start asks its key_command again, whatever is stored.
        keep_key=None if profile.key_command else key.keep,
        neighbours=tuple(
            Neighbour(each.name, f"{each.host}  {each.level.replace('_', '-')}")
            for each in opening.settings.profiles.values()
        ),
        switch=switch,
        reread=partial(_read_again, opening, read_only=read_only),
    )


def _read_again(opening: Opening, *, read_only: bool) -> Reread | str:
    """Return the profile as the settings file has it now, or the error in the file."""
    before, profile = opening.environment, opening.profile
    try:
        environment = replace(before, settings=settings_in(before.places))
        keymap = checked_keymap(environment.settings)
        name = profile.name if profile.name in environment.settings.profiles else None
        if name is None and profile.name in before.settings.profiles:
            # Another profile is less careful, or of another server.
            file = before.places.settings_file
            return f"{file} has no profile {profile.name} any more. Restore it, or leave."
        renewed = choose(environment, ProfileRequest(profile=name))
        if renewed.host.origin != opening.host.origin:
            # FLAGTUI_API_KEY goes to no other host.
            renewed = choose(replace(environment, key=""), ProfileRequest(profile=name))
        renewed = renewed.mirrored if profile.mirror else renewed
        return Reread(make_session(renewed, read_only=read_only), keymap)
    except Trouble as trouble:
        return str(trouble)


def _mirror_of(opening: Opening) -> "MirrorWatch | None":
    """Return the running mirror of a profile that opens one. Raises Trouble."""
    if not opening.profile.mirror:
        return None
    from flagtui.cli.launch.profile_mirror import watch_mirror

    return watch_mirror(opening)


@dataclass
class KeyInUse:
    """The key of a session. The modules that send requests load after the first rows."""

    opening: Opening
    _known: list[Secret] = field(default_factory=list, repr=False)
    """Every key that was used, so that none of them gets into a report."""

    async def connect(self) -> "Client":
        """Find the key and create the client. Raises ApiError."""
        is_loaded = CLIENT[-1] in sys.modules
        await load_in_background(CLIENT)
        from flagtui.cli.plumbing.client import make_client

        if not is_loaded:
            # As in `run_app`: otherwise a collection looks at them while the first rows arrive.
            gc.freeze()
        opening = self.opening
        # A keyring or a command that hangs must not keep the program from ending.
        answer = await await_call(lambda: opening.keys.find(opening.owner))
        if isinstance(answer, NoCredential):
            what, next = no_key_words(opening, answer)
            raise BadKey(what, next=next)
        self._known.append(answer.key)
        return make_client(opening.profile, opening.host, answer.key, read_only=opening.profile.mirror)

    def client_with(self, text: str) -> "Client":
        """Return a client with a key that was typed. Raises ApiError."""
        from flagtui.cli.plumbing.client import make_client, typed_key

        key = typed_key(text)
        self._known.append(key)
        profile = self.opening.profile
        return make_client(profile, self.opening.host, key, read_only=profile.mirror)

    def keep(self, text: str) -> str:
        """Store a typed key for the next start, and return where, or why it is not stored."""
        opening = self.opening
        kept = self._keep(Secret(text))
        return f"{kept} {VARIABLE_WINS}" if opening.environment.key else kept

    def _keep(self, key: Secret) -> str:
        keys, owner = self.opening.keys, self.opening.owner
        try:
            keys.keep_in_keyring(owner, key)
        except KeyringUnusable as unusable:
            if keys.has_file(owner):
                return self._replace_file(key)
            how = f"{login_command(self.opening)} --keep file"
            return f"{unusable} The key is used until you leave; to keep it: {how}."
        return "The key is kept in the system's keyring."

    def _replace_file(self, key: Secret) -> str:
        try:
            path = self.opening.keys.keep_in_file(self.opening.owner, key)
        except KeyFileRefused as refused:
            return f"{refused} The key is used until you leave."
        return f"The key is kept in {path}, which only you can read."

    def redact(self, text: str) -> str:
        """Return the text without any key that was used."""
        for key in self._known:
            text = key.redact(text)
        return text


def run_session(session: Session, keymap: dict[str, str], *, mouse: bool) -> int:
    """Run the app until it is left; the exit code."""
    app = FlagTui(session)
    app.set_keymap(keymap)
    return run_app(app, mouse=mouse)


def run_app(app: FlagTui, *, mouse: bool = True) -> int:
    """Return the exit code. Faults of the program leave one sentence and the path of a report."""
    # What is loaded stays until the end: a collection that looks at all of it delays the first rows.
    gc.freeze()
    app.run(mouse=mouse)
    app.has_left = True
    if app.last_words:
        print(f"flagtui: {safe_text(app.last_words, 1_000)}", file=sys.stderr)
    return app.return_code or 0
