"""Actions that create flags, copy them, and restore deleted ones."""

from collections.abc import Sequence
from typing import Final, Literal

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.flags.deleted_screen import DeletedScreen
from flagtui.app.flags.flag_copies import FlagCopies
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.shell.place_choices import project_choices
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.screens import Saved
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.new_flags import boolean_flag, multivariate_flag, remote_configuration
from flagtui.config.guard_rules import Level
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.text.styled import Notice

Kind = Literal["boolean", "multivariate", "config", "copy"]

KINDS: Final[tuple[Choice[Kind], ...]] = (
    Choice("boolean", "on or off", "a boolean flag"),
    Choice("multivariate", "several variants", "control and test to begin with"),
    Choice("config", "remote configuration", "a value for programs to read"),
)
HERE: Final = 0


class FlagCreation:
    """Begins what ends in a flag more."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self._changing = changing
        self._copying = FlagCopies(app_state, changing)

    def new(self, rows: Sequence[FlagRow]) -> None:
        """A new flag; the one under the cursor can be its model."""
        if self._may_write():
            self._changing.run(self._new(rows[:1]))

    async def _new(self, rows: Sequence[FlagRow]) -> None:
        copies: list[Choice[Kind]] = [Choice("copy", f"like {row.key}", "a copy of it, off") for row in rows]
        kind = await self._changing.ask(PickerScreen("New flag", [*KINDS, *copies]))
        if kind is None:
            return
        key = await self._key(f"{rows[0].key}-copy" if kind == "copy" else "")
        if key is None:
            return
        match kind:
            case "boolean":
                self._fill_in(boolean_flag(key))
            case "multivariate":
                self._fill_in(multivariate_flag(key, ("control", "test")))
            case "config":
                self._fill_in(remote_configuration(key, "{}"))
            case "copy":
                await self._copying.here(rows[0], key)

    def _fill_in(self, fields: dict[str, JSON]) -> None:
        self._changing.app.push_screen(FormScreen(self._app_state, self._changing, WorkingCopy.new(fields)))

    async def _key(self, usual: str) -> str | None:
        rows = self._app_state.workspace.flags.rows if self._app_state.workspace else ()
        taken = {row.key for row in rows}

        def read(line: str) -> PromptReading:
            if not is_plain_key(line):
                return PromptReading(problem="letters, digits, - and _, up to 400 of them")
            return PromptReading(problem=f"there is already a flag {line}" if line in taken else "")

        prompt = Prompt(
            "Key of the new flag", "code asks for it; it can hardly be changed later", usual, read=read
        )
        return await self._changing.ask(PromptScreen(prompt))

    def copy_to(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """One flag here under another key, or any number in another project under the same ones."""
        if rows and self._may_write():
            self._changing.run(self._copy_to(rows, saved))

    async def _copy_to(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        try:
            projects = await project_choices(self._app_state)
        except ApiError:
            # A key that may not list projects can still copy within its own.
            projects = []
        row, is_one = rows[0], len(rows) == 1
        here = [Choice(HERE, "here", "under another key")] if is_one else []
        others = [Choice(one.value, one.name, one.about) for one in projects if not one.current]
        if not here and not others:
            self._changing.tell(Notice("This key opens no other project.", "warning"))
            return
        title = f"Copy {row.key} to" if is_one else f"Copy {len(rows)} flags to"
        chosen = await self._changing.ask(PickerScreen(title, [*here, *others]))
        if chosen == HERE:
            key = await self._key(f"{row.key}-copy")
            if key is not None:
                await self._copying.here(row, key)
        elif chosen is not None:
            name = next(one.name for one in others if one.value == chosen)
            await self._copying.away(rows, chosen, name, saved)

    def deleted(self) -> None:
        """What was deleted lately, to bring back."""
        self._changing.app.push_screen(DeletedScreen(self._app_state, self._changing))

    def _may_write(self) -> bool:
        """False, and said, where the path would end in a refusal after all the typing."""
        if self._app_state.session.rules.level is Level.READ_ONLY:
            self._changing.tell(Notice("This profile is read-only.", "warning", "not allowed here"))
            return False
        return self._app_state.workspace is not None
