"""The questions of a flag form, one for each line."""

from collections.abc import Sequence
from functools import partial

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.flags.form.flag_form_lines import counted_noun
from flagtui.app.flags.form.live_reach import LiveReach
from flagtui.app.flags.form.payload import PayloadScreen
from flagtui.app.flags.form.properties import PropertyContext, ask_property
from flagtui.app.forms.completion import complete_flag_tags
from flagtui.app.forms.form_lines import (
    FormLine,
    Typed,
    ask_field,
    ask_item_share,
    ask_line,
    ask_shared_line,
    no_problem,
)
from flagtui.app.forms.shortened_lines import explain_elsewhere
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.models.json_value import as_dict, as_text
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow
from flagtui.safe_text import MASK
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice

PEOPLE = -1
"""Value for people among the types of groups, which count from 0."""


class FieldQuestions:
    """Prompts for values and puts them into the working copy."""

    def __init__(
        self, copy: WorkingCopy, runner: ChangeRunner, app_state: AppState, reach: LiveReach
    ) -> None:
        self._copy = copy
        self._reach = reach
        self._runner = runner
        self._app_state = app_state

    @property
    def _rows(self) -> Sequence[FlagRow]:
        return self._app_state.workspace.flags.rows if self._app_state.workspace else ()

    async def open(self, line: FormLine) -> None:
        """Ask the question of one line."""
        match line.part:
            case "field":
                await self._field(line.name)
            case "counted":
                await self._ask_group_type(None)
            case "condition":
                await self._condition(line.place)
            case "property":
                await self._property(line.place, line.within)
            case "add property":
                await self._property(line.place, None)
            case "add condition":
                self._copy.add_condition()
            case "payload":
                await self._payload(line.name)
            case _:
                await ask_shared_line(self._runner, self._copy, line)

    async def share(self, line: FormLine, typed: Typed = str) -> None:
        """Ask for the share of a variant, or of the condition that the line belongs to."""
        copy = self._copy
        path = copy.variants_path if line.part == "variant" else ("filters", "groups")
        await ask_item_share(self._runner, copy, *path, line.place, typed=typed)

    # Fields

    async def _field(self, name: str) -> None:
        problem = self._key_problem if name == "key" else no_problem
        completion = complete_flag_tags(self._app_state) if name == "tags" else None
        answer = await ask_field(
            self._runner,
            FLAG_FIELDS[name],
            self._copy.values[name],
            problem=problem,
            completion=completion,
        )
        if answer is not None:
            self._copy.set(name, answer.value)

    def _key_problem(self, line: str) -> str:
        return f"there is already a flag {line}" if any(row.key == line for row in self._rows) else ""

    # Conditions

    async def _condition(self, place: int) -> None:
        copy, group = self._copy, as_dict(self._copy.groups[place])
        can_choose = bool(self._app_state.names.groups) or copy.group_type(place) is not None
        about = counted_noun(copy.group_type(place), self._app_state.names)
        choices = [
            Choice("share", "share", "how many of them, in percent"),
            Choice("property", "add a property", "narrow who is asked"),
            Choice("counted", "about …", f"{about} now") if can_choose else None,
            Choice("variant", "always as …", "force one variant") if copy.variants else None,
            Choice("description", "note", "for people to read"),
            Choice("remove", "remove this condition", f"{key_sign('form.remove')} does it too"),
        ]
        chosen = await self._runner.ask(
            PickerScreen(f"Condition {place + 1}", [choice for choice in choices if choice])
        )
        match chosen:
            case "share":
                await self.share(FormLine("condition", (), place=place))
            case "property":
                await self._property(place, None)
            case "counted":
                await self._ask_group_type(place)
            case "variant":
                await self._ask_variant(place)
            case "description":
                line = await ask_line(self._runner, "Note", "", as_text(group.get("description")))
                if line is not None:
                    copy.change_group(place)["description"] = line
            case "remove":
                copy.remove_condition(place)

    async def _ask_group_type(self, place: int | None) -> None:
        """Ask whether a condition, or every one, applies to users or to a group type of the project."""
        copy, names = self._copy, self._app_state.names
        flag = copy.flag
        if flag.features or flag.targeting.feature_enrollment:
            text = "early access is for users, so no condition can be about groups"
            self._runner.show_toast(Notice(f"{flag.key}: {text}", "warning", "not possible now"))
            return
        now = set(copy.group_types if place is None else [copy.group_type(place)])
        kinds = [None, *sorted({*names.groups, *(kind for kind in copy.group_types if kind is not None)})]
        choices = [
            Choice(
                PEOPLE if kind is None else kind,
                counted_noun(kind, names),
                self._describe_loss(kind, place),
                now == {kind},
            )
            for kind in kinds
        ]
        title = "The conditions are about" if place is None else f"Condition {place + 1} is about"
        chosen = await self._runner.ask(PickerScreen(title, choices))
        if chosen is not None:
            copy.set_group_type(None if chosen == PEOPLE else chosen, place)

    def _describe_loss(self, kind: int | None, place: int | None) -> str:
        """Return what choosing this group type would remove."""
        copy = self._copy
        places = [each for each in range(len(copy.groups)) if place in (None, each)]
        lost = sum(len(copy.properties(each)) for each in places if copy.group_type(each) != kind)
        if not lost:
            return ""
        return f"takes {lost} {'property' if lost == 1 else 'properties'} away, which ask about others"

    async def _ask_variant(self, place: int) -> None:
        group = as_dict(self._copy.groups[place])
        now = as_text(group.get("variant"))
        keys = self._copy.payload_keys
        choices = [Choice("", "by the shares", current=not now)]
        choices += [Choice(key, key, current=key == now) for key in keys]
        chosen = await self._runner.ask(PickerScreen("Always as", choices))
        if chosen is not None and chosen != now:
            self._copy.change_group(place)["variant"] = chosen or None

    async def _property(self, place: int, within: int | None) -> None:
        copy = self._copy
        old = {} if within is None else dict(as_dict(copy.properties(place)[within]))
        app_state = self._app_state
        context = PropertyContext(
            copy.group_type(place),
            copy.flag.id,
            self._rows,
            app_state.inspector,
            app_state.names,
            partial(self._reach.estimate, place, within),
        )
        item = await ask_property(self._runner, old, context)
        if item is not None:
            copy.set_property(place, within, item)

    # Payloads

    async def _payload(self, key: str) -> None:
        copy = self._copy
        text, payload = copy.payload_text(key), copy.payloads.get(key)
        if payload is not None and not isinstance(payload, str):
            note = f"stored in another form than text{explain_elsewhere(copy)}"
        elif payload == MASK:
            note = "it is encrypted; what you type here replaces it"
        else:
            note = ""
        line = await self._runner.ask(PayloadScreen(f"Payload of {key}", text, note))
        if line is not None and line != text:
            copy.set_payload(key, line or None)
