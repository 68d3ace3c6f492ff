"""A flag with its targeting, as it is printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.flag_records import ROW_FIELDS

if TYPE_CHECKING:
    from flagtui.models.rows import FlagRow

JSON = Any


@dataclass(frozen=True)
class WholeFlag:
    """A flag, and who sees it in words."""

    raw: Mapping[str, JSON]
    """As the server sent it."""
    row: "FlagRow"
    filters: Mapping[str, JSON]
    """Encrypted payloads are masked unless they were asked for."""


def _of_row(one: "RecordField[FlagRow]") -> "RecordField[WholeFlag]":
    return RecordField(
        one.name, one.type, one.about, lambda whole: one.value(whole.row), one.is_shown, one.words
    )


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str) else None


def _contexts(raw: Mapping[str, JSON]) -> list[str]:
    """Under whichever name the server knows; empty can also mean hidden."""
    found = raw.get("evaluation_contexts") or raw.get("evaluation_tags")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _who(whole: WholeFlag) -> list[str]:
    """A sentence for each condition, after what is true before any of them."""
    from flagtui.models.filters import Filters
    from flagtui.text.flag_sentences import manner_lines, plain, state_lines, who_sees_it

    filters = Filters.of(whole.raw.get("filters"))
    told = [*state_lines(whole.row), *who_sees_it(filters), *manner_lines(whole.raw)]
    sentences = list[str]()
    for line in plain(told).split("\n"):
        words = line.strip()
        if sentences and line.startswith("  "):
            is_open = sentences[-1].endswith(" where") or words.startswith("and ")
            sentences[-1] += f"{'' if is_open else ';'} {words}"
        else:
            sentences.append(words.removeprefix("·").lstrip())
    return sentences


def _gives(whole: WholeFlag) -> list[str]:
    """What those let in get: variants with their shares, a value, or true; nothing for newer rules."""
    from flagtui.models.filters import Filters
    from flagtui.text.flag_sentences import rest_words
    from flagtui.text.formats import percent

    filters = Filters.of(whole.raw.get("filters"))
    if not filters.is_editable:
        return []
    if whole.raw.get("is_remote_configuration") is True:
        return ["a value, which flagtui flags payload prints"]
    given = {variant.key: f"{variant.key} {percent(variant.rollout)}" for variant in filters.variants}
    given = given or {"true": "true"}
    lines = [words + ", with a payload" * (key in filters.payloads) for key, words in given.items()]
    rest = rest_words(filters.variants)
    return [*lines, rest] if rest else lines


WHOLE_FLAG: Final[RecordKind[WholeFlag]] = RecordKind(
    "whole-flag",
    "A flag with its targeting.",
    (
        *map(_of_row, ROW_FIELDS),
        RecordField(
            "who",
            "texts",
            "Who sees it, in words; only where --fields names it.",
            _who,
            True,
            lambda who: "\n".join(who),
            is_extra=True,
        ),
        RecordField(
            "gives",
            "texts",
            "What those let in get, in words; only where --fields names it.",
            _gives,
            True,
            lambda gives: "\n".join(gives),
            is_extra=True,
        ),
        RecordField("filters", "object", "The targeting as it is stored.", lambda one: dict(one.filters)),
        RecordField("evaluation_contexts", "texts", "Where it is evaluated.", lambda one: _contexts(one.raw)),
        RecordField(
            "continuity",
            "truth",
            "Whether people keep their value.",
            lambda one: one.raw.get("ensure_experience_continuity") is True,
        ),
        RecordField(
            "remote_configuration",
            "truth",
            "Whether it is a value for programs.",
            lambda one: one.raw.get("is_remote_configuration") is True,
        ),
        RecordField(
            "encrypted_payloads",
            "truth",
            "Whether its payloads are secret.",
            lambda one: one.raw.get("has_encrypted_payloads") is True,
        ),
        RecordField(
            "bucketing", "text?", "What shares go by.", lambda one: _text(one.raw.get("bucketing_identifier"))
        ),
    ),
)
