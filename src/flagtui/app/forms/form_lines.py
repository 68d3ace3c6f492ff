"""Lines of a form and their common questions."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, Literal

import msgspec

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading
from flagtui.app.forms.completion import Completion, ask_completed
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.draft import Draft
from flagtui.changes.tag_line import SHOWN, Retagging, first_tags, read_tags
from flagtui.evaluate import wire
from flagtui.models.editable_fields import EditableField, is_plain_key
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text, format_number
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import share_of
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

Part = Literal[
    "field",
    "heading",
    "counted",
    "condition",
    "property",
    "add property",
    "add condition",
    "variant",
    "add variant",
    "sum",
    "payload",
    "metric",
    "add metric",
]
LineId = tuple[Part, str, int, int]
LABEL: Final = 14
MOST: Final = 100
"""Conditions, variants, payloads or metrics that have lines."""


class FormLine(msgspec.Struct, frozen=True):
    """One line. `name` is a field or the key of a payload; places count from 0."""

    part: Part
    pieces: tuple[Piece, ...]
    name: str = ""
    place: int = -1
    within: int = -1
    """The place of a property in its condition."""

    @property
    def id(self) -> LineId:
        """The identity that keeps the cursor while lines come and go."""
        return self.part, self.name, self.place, self.within


def heading_line(word: str, about: str) -> FormLine:
    """Return the name of a part; the cursor passes it by."""
    return FormLine("heading", (("\n ", ""), (word, "$text-muted"), (f"   {about}", "$faint")))


def label_piece(label: str) -> Piece:
    """Return the label of a line, in the column of labels."""
    return f" {label:<{LABEL}}", "$text-muted"


def field_line(field: EditableField, value: JSON) -> FormLine:
    """Return a field as the form shows it."""
    return FormLine("field", (label_piece(field.label), *field_pieces(field, value)), field.name)


def field_pieces(field: EditableField, value: JSON) -> list[Piece]:
    """Return a value as pieces: `#web #checkout`, `on`, `server and client`, `none`."""
    if field.takes.input_kind == "texts":
        texts = as_list(value)
        named: list[Piece] = [(f"#{safe_text(as_text(item), 40)}  ", "$primary") for item in texts[:MOST]]
        if len(texts) > MOST:
            named.append((f"and {len(texts) - MOST:,} more", "$faint"))
        return named or [("none", "$faint")]
    option = field.option(value)
    if option is not None:
        style = "$text-muted" if option.value is False else "$success" if field.is_self_explanatory else ""
        return [(option.about or option.words, style)]
    text = safe_text(as_text(value), 200)
    return [(text, "bold" if "title" in field.traits else "")] if text else [("empty", "$faint")]


VariantPart = Literal["share", "key", "name", "remove"]
Check = Callable[[str], str]
"""Why a line cannot be taken; empty when it can."""


Typed = Callable[[], str]
"""Text typed before the question opened."""


def no_problem(_line: str) -> str:
    """Accept any line."""
    return ""


def reading_of(problem: Check) -> Callable[[str], PromptReading]:
    """Return a reading of a line that only has problems."""
    return lambda line: PromptReading(problem=problem(line))


async def ask_line(
    runner: ChangeRunner,
    title: str,
    about: str = "",
    value: str = "",
    problem: Check = no_problem,
    completion: Completion | None = None,
) -> str | None:
    """Ask for a line until it has no problem; None to change nothing."""

    return await ask_completed(runner, Prompt(title, about, value, read=reading_of(problem)), completion)


async def ask_new_key(
    runner: ChangeRunner, rows: Iterable[FlagRow], usual: str, about: str, instead: str = ""
) -> str | None:
    """Ask for a key that no flag has; `instead` is shown for a used key. None when cancelled."""
    taken = {row.key for row in rows}

    def problem(line: str) -> str:
        if not is_plain_key(line):
            return "letters, digits, - and _, up to 400 of them"
        return f"there is already a flag {line}{instead}" if line in taken else ""

    return await ask_line(runner, "Key of the new flag", about, usual, problem)


async def ask_tags(
    runner: ChangeRunner, whose: str, noun: str, tags: Sequence[Sequence[str]], completion: Completion
) -> Retagging | None:
    """Ask which tags to add, to remove or to set; None to keep them. `tags` are those of each record."""
    about = "ops, web adds · -ops removes · = ops, web sets"

    def read(line: str) -> PromptReading:
        return _tags_afterwards(line, noun, tags)

    prompt = Prompt(f"Tags of {whose}", about, hint="ops, -old", read=read)
    line = await ask_completed(runner, prompt, completion)
    retagging = read_tags(line) if line is not None else None
    return None if retagging is None or retagging.is_empty else retagging


def _tags_afterwards(line: str, noun: str, tags: Sequence[Sequence[str]]) -> PromptReading:
    """Return the resulting tags with the new ones marked; of many records, how many change."""
    reading = read_tags(line)
    if reading.problem:
        return PromptReading(problem=reading.problem)
    if len(tags) > 1:
        moved = sum(1 for each in tags if [*reading.of(each)] != [*each])
        return PromptReading([(f"{moved:,} of {len(tags):,} {noun}s would change", "$text-muted")])
    before, after = frozenset(tags[0]), reading.of(tags[0])
    first, more = first_tags(after, before)
    pieces = [(f"{safe_text(tag, 40)}  ", "" if tag in before else "bold $success") for tag in first]
    kept = frozenset(after)
    removed = (tag for tag in tags[0] if tag not in kept)
    gone = [(f"{safe_text(tag, 40)}  ", "strike $error") for tag in islice(removed, SHOWN)]
    return PromptReading(
        [*pieces, (more, "$text-muted"), *gone] if pieces or gone else [("no tags", "$text-muted")]
    )


class FieldAnswer(msgspec.Struct, frozen=True):
    """The new value of a field, as it is stored."""

    value: JSON


async def ask_field(
    runner: ChangeRunner,
    field: EditableField,
    before: JSON,
    title: str = "",
    problem: Check = no_problem,
    completion: Completion | None = None,
) -> FieldAnswer | None:
    """Ask for a value of a field; None where the question was left. A switch needs no question."""
    title = title or f"{field.label[:1].upper()}{field.label[1:]}"
    match field.takes.input_kind:
        case "switch":
            return FieldAnswer(before is not True)
        case "choice":
            return await _choose(runner, field, before, title)
        case "texts":
            line = ", ".join(as_text(item) for item in as_list(before))
            text = await ask_line(
                runner, title, field.about, line, lambda line: read_tags("=" + line).problem, completion
            )
            if text in (None, line):
                return None
            return FieldAnswer(list(read_tags(f"={text}").of(())))
        case "text":
            shown = as_text(before)

            def wrong(line: str) -> str:
                return field.takes.wrong(line) or problem(line)

            text = await ask_line(runner, title, field.about, shown, wrong, completion)
            return None if text is None else FieldAnswer(before if text == shown else text)
    return None


async def _choose(runner: ChangeRunner, field: EditableField, before: JSON, title: str) -> FieldAnswer | None:
    now = field.option(before)
    choices = [
        Choice(option.value, option.words, option.about, option is now) for option in field.takes.options
    ]
    if field.blank is None and not field.takes.wrong(None):
        choices.append(Choice("", "none", "", now is None))
    chosen = await runner.ask(PickerScreen(title, choices))
    if chosen is None:
        return None
    return FieldAnswer(before if now is not None and chosen == now.value else chosen or None)


async def ask_percent(
    runner: ChangeRunner, before: float | None, title: str = "Share in percent", typed: Typed = str
) -> JSON:
    """Ask for a share, whole where it can be; None when it stays."""
    shown = format_number(100 if before is None else before)

    def wrong(line: str) -> str:
        return "" if share_of(line) is not None else "a number from 0 to 100"

    prompt = Prompt(title, "0 to 100", shown, read=reading_of(wrong), typed=typed)
    line = await ask_completed(runner, prompt)
    if line is None or line == shown:
        return None
    return wire.whole_if_equal(float(line))


async def ask_item_share(runner: ChangeRunner, copy: Draft, *path: str | int, typed: Typed = str) -> None:
    """Ask for the share of the condition or variant at a path of the draft, and set it."""
    item: JSON = copy.values
    for step in path:
        item = item[step]
    share = await ask_percent(runner, as_number(wire.share(item)), typed=typed)
    if share is not None:
        copy.change(*path)["rollout_percentage"] = share


async def ask_variant(runner: ChangeRunner, copy: Draft, place: int) -> None:
    """Ask what to change about a variant and put it into the copy."""
    variant = as_dict(copy.variants[place])
    key = as_text(variant.get("key"))
    parts: tuple[Choice[VariantPart], ...] = (
        Choice("share", "share", "in percent; the total is 100"),
        Choice("key", "key", "used by code"),
        Choice("name", "description", "for people to read"),
        Choice("remove", "remove this variant", f"{key_sign('form.remove')} does it too"),
    )
    match await runner.ask(PickerScreen(f"Variant {key}", parts)):
        case "share":
            await ask_item_share(runner, copy, *copy.variants_path, place)
        case "key":
            line = await ask_line(runner, "Key", "", key, lambda line: copy.variant_problem(line, key))
            if line is not None and line != key:
                copy.rename_variant(place, line)
        case "name":
            line = await ask_line(runner, "Description", "", as_text(variant.get("name")))
            if line is not None:
                copy.change_variant(place)["name"] = line
        case "remove":
            copy.remove_variant(place)


async def ask_shared_line(runner: ChangeRunner, copy: Draft, line: FormLine) -> None:
    """Ask the question of a line that drafts of flags and of experiments share."""
    match line.part:
        case "variant":
            await ask_variant(runner, copy, line.place)
        case "add variant":
            await ask_new_variant(runner, copy)
        case "sum":
            copy.distribute()


async def ask_new_variant(runner: ChangeRunner, copy: Draft) -> None:
    """Ask for the key of another variant."""
    key = await ask_line(runner, "Key of the new variant", problem=copy.variant_problem)
    if key is not None:
        copy.add_variant(key)
