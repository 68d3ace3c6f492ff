"""What the person chose in the settings file, as the app takes it."""

from pathlib import Path
from typing import TYPE_CHECKING

from flagtui.app.terminal.background import ANSWERS
from flagtui.cli.errors import Trouble
from flagtui.config.settings import Settings, SettingsError

if TYPE_CHECKING:
    from flagtui.config.preferences import Preferences


def checked_keymap(settings: Settings) -> dict[str, str]:
    """Command id to keys, once theme, columns and keys are known ones. Raises Trouble."""
    from flagtui.app.commands.command_table import COMMANDS, OLD_NAMES
    from flagtui.app.flags.flag_columns import FLAG_LIST
    from flagtui.app.shell.themes import CHOICES
    from flagtui.config.keymap import read_keymap

    try:
        settings.check_theme(tuple(CHOICES))
        settings.check_columns("flags", FLAG_LIST.column_names)
        return read_keymap(settings, COMMANDS, OLD_NAMES)
    except SettingsError as wrong:
        raise Trouble(str(wrong), code="usage") from None


def preferences_of(settings: Settings, settings_file: Path | None, memory: Path) -> "Preferences":
    """What the settings say of the lists, and what is remembered of them in that folder."""
    from flagtui.config.preferences import Preferences

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
