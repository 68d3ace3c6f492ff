"""The questions that make one property of a condition: what is asked about, how, and with which value."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.api.property_names import Owner
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading
from flagtui.app.forms.completion import Completion, ask_completed
from flagtui.app.forms.form_lines import ask_line
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.flags.property_rules import (
    FLAG_OPERATOR,
    NOT_STORED,
    needs_value,
    typed_value,
    value_line,
    value_problem,
)
from flagtui.details.flag_inspector import Inspector
from flagtui.details.local_definitions import ProjectCohorts
from flagtui.evaluate.operator_words import OPERATOR_WORDS, RANGES
from flagtui.models.filters import Property
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.flag_responses import Cohort
from flagtui.models.json_value import JSON, as_id, as_text
from flagtui.models.rows import FlagRow
from flagtui.text.outcomes import explain_error
from flagtui.text.property_sentences import property_pieces
from flagtui.text.styled import Notice

Item = dict[str, JSON]

_ALIASES: Final = ("min", "max")
"""Older names of two operators; servers rewrite them."""
_MANY: Final = {"exact": "is, or is any of", "is_not": "is not, or is none of"}
_KINDS: Final = (
    Choice("person", "a person's property", "email, country, plan"),
    Choice("cohort", "a cohort", "a named group of users"),
    Choice("flag", "another flag", "on, off, or one of its variants"),
)


class PropertyContext(msgspec.Struct, frozen=True):
    """The property types that a condition may use."""

    group_type: int | None
    """The group type of its condition; None for people."""
    flag_id: int
    rows: Sequence[FlagRow]
    """Flags it could ask for."""
    inspector: Inspector | None = None
    names: Names = NO_NAMES
    estimate: Callable[[Item], Awaitable[str]] | None = None
    """Returns in words the reach of the condition with this property."""

    @property
    def cohorts(self) -> ProjectCohorts | None:
        """The cohorts that it could name."""
        return self.inspector.cohorts if self.inspector else None

    def complete_names(self, kind: str) -> Completion | None:
        """Return names of properties of the condition as suggestions."""
        if self.inspector is None or kind not in ("person", "group"):
            return None
        owner: Owner = "group" if kind == "group" else "person"
        return Completion(partial(self.inspector.suggestions.names, owner, group_type=self.group_type))

    def complete_values(self, item: Item) -> Completion | None:
        """Return values of the property as suggestions; none for a pattern, a date or another type."""
        operator = as_text(item.get("operator"))
        if self.inspector is None or item.get("type") not in ("person", "group") or operator in NOT_STORED:
            return None
        suggest = self.inspector.suggestions.values
        key, group_type = as_text(item.get("key")), self.group_type
        return Completion(
            lambda typed: suggest(key, typed, group_type=group_type), has_parts=operator in _MANY
        )


async def ask_property(runner: ChangeRunner, old: Item, context: PropertyContext) -> Item | None:
    """Return a property as wanted, keys of the old one that were not named kept; None to leave it."""
    if context.group_type is not None:
        return await _ask_of_kind(runner, "group", old, context)
    if old:
        return await _ask_of_kind(runner, as_text(old.get("type")) or "person", old, context)
    kind = await runner.ask(PickerScreen("Which property", _KINDS))
    return None if kind is None else await _ask_of_kind(runner, kind, old, context)


async def _ask_of_kind(runner: ChangeRunner, kind: str, old: Item, context: PropertyContext) -> Item | None:
    if kind == "flag":
        return await _flag(runner, old, context)
    if kind == "cohort":
        return await _cohort(runner, old, context)
    return await _property(runner, {**old, "type": kind}, context)


async def _property(runner: ChangeRunner, item: Item, context: PropertyContext) -> Item | None:
    if context.group_type is not None:
        item["group_type_index"] = context.group_type
    about = "its name, such as email"
    if context.group_type is not None:
        about = "its name, such as plan; $group_key is the key of the group itself"
    completion = context.complete_names(as_text(item.get("type")))
    key = await _line(runner, "Property", about, as_text(item.get("key")), completion)
    if key is None:
        return None
    operators = _operators(as_text(item.get("operator")))
    operator = await runner.ask(PickerScreen(f"{key} …", operators))
    if operator is None:
        return None
    edited = {**item, "key": key, "operator": operator}
    if not needs_value(operator):
        return {**edited, "value": operator}
    return await _value(runner, edited, context, "several with commas" if operator in _MANY else "")


async def _value(runner: ChangeRunner, item: Item, context: PropertyContext, about: str) -> Item | None:
    kind, operator = as_text(item.get("type")), as_text(item.get("operator"))

    def with_value(line: str) -> Item:
        typed = typed_value(line, kind, operator)
        # An unchanged line keeps the value in the form in which it is stored.
        return item if "value" in item and line == value_line(item["value"]) else {**item, "value": typed}

    def read(line: str) -> PromptReading:
        edited = with_value(line)
        problem = value_problem(edited, context.group_type, context.flag_id)
        return PromptReading(property_pieces(Property.of(edited), context.names, context.group_type), problem)

    key = as_text(item.get("key"))
    title = f"{key} {OPERATOR_WORDS.get(operator, operator)} …"
    prompt = Prompt(title, about, value_line(item.get("value")), read=read, subject=key)
    completion = context.complete_values(item)
    estimate = context.estimate
    if completion is not None and estimate is not None:
        completion = replace(completion, estimate=lambda line: estimate(with_value(line)))
    line = await ask_completed(runner, prompt, completion)
    return None if line is None else with_value(line)


async def _cohort(runner: ChangeRunner, old: Item, context: PropertyContext) -> Item | None:
    negative = old.get("operator") == "not_in"
    choices = [
        Choice("in", "is in a cohort", current=bool(old) and not negative),
        Choice("not_in", "is not in a cohort", current=negative),
    ]

    operator = await runner.ask(PickerScreen("The user …", choices))
    return None if operator is None else await _which_cohort(runner, old, operator, context)


async def _which_cohort(
    runner: ChangeRunner, old: Item, operator: str, context: PropertyContext
) -> Item | None:
    kept = {key: value for key, value in old.items() if key != "negation"}
    edited: Item = {**kept, "key": "id", "type": "cohort", "operator": operator}
    try:
        cohorts = await context.cohorts.all() if context.cohorts else ()
    except ApiError as error:
        runner.show_toast(explain_error(error, "cohorts cannot be listed; type the number"))
        return await _value(runner, edited, context, "the cohort's number")
    if not cohorts:
        runner.show_toast(Notice("This project has no cohort that a condition could ask for.", "warning"))
        return None
    chosen = await runner.ask(PickerScreen("Which cohort", _cohort_choices(cohorts, as_id(old.get("value")))))
    if chosen is None:
        return None
    if chosen != as_id(old.get("value")):
        # A label kept from the other cohort would be shown for this one.
        edited.pop("label", None)
        edited["value"] = chosen
    return edited


def _cohort_choices(cohorts: Sequence[Cohort], current: int | None) -> list[Choice[int]]:
    by_name = sorted(cohorts, key=lambda cohort: (cohort.name.casefold(), cohort.id))
    return [
        Choice(cohort.id, cohort.name or "without a name", _size(cohort), cohort.id == current)
        for cohort in by_name
    ]


def _size(cohort: Cohort) -> str:
    """Describe a cohort as `#31 · 412 users · a fixed list`."""
    users = "" if cohort.count is None else f" · {cohort.count:,} users"
    return f"#{cohort.id}{users}{' · a fixed list' if cohort.is_static else ''}"


async def _flag(runner: ChangeRunner, old: Item, context: PropertyContext) -> Item | None:
    """Ask for a flag to depend on; the server refuses flags that are off."""
    others = [row for row in context.rows if row.active and row.id != context.flag_id]
    choices = [
        Choice(row.id, row.key, row.name, current=str(row.id) == str(old.get("key"))) for row in others
    ]
    states: list[Choice[bool | str]] = [
        Choice(True, "is on", "any value"),
        Choice(False, "is off"),
        Choice("", "has the variant …"),
    ]

    chosen = await runner.ask(PickerScreen("Which flag", choices))
    value = None if chosen is None else await runner.ask(PickerScreen("It …", states))
    if value == "":
        value = await _line(runner, "Variant", "the variant's key, exactly", as_text(old.get("value")))
    if value is None:
        return None
    label = next(row.key for row in others if row.id == chosen)
    return {
        **old,
        "key": str(chosen),
        "type": "flag",
        "operator": FLAG_OPERATOR,
        "value": value,
        "label": label,
    }


async def _line(
    runner: ChangeRunner, title: str, about: str, value: str, completion: Completion | None = None
) -> str | None:
    def problem(line: str) -> str:
        return "" if line.strip() else "type something"

    line = await ask_line(runner, title, about, value, problem, completion)
    return None if line is None else line.strip()


def _operators(current: str) -> list[Choice[str]]:
    return [
        Choice(name, _MANY.get(name, words), name, current=name == (current or "exact"))
        for name, words in OPERATOR_WORDS.items()
        if name not in _ALIASES and (name not in RANGES or name == current)
    ]
