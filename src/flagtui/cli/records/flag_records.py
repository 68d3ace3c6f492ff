"""Flags as they are printed: a row of the list, and one with its targeting."""

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.records.field_words import age_words, commas, on_or_off, percent_words
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.rows import FlagRow
from flagtui.text.formats import percent

if TYPE_CHECKING:
    from flagtui.models.filters import Filters

JSON = Any


class WholeFlag(msgspec.Struct, frozen=True, dict=True):
    """A flag, and who sees it in words."""

    raw: Mapping[str, JSON]
    """As the server sent it."""
    row: FlagRow
    filters: Mapping[str, JSON]
    """Encrypted payloads are masked unless they were asked for."""
    names: Names = NO_NAMES
    """Of group types."""

    @property
    def id(self) -> int:
        return self.row.id

    @cached_property
    def targeting(self) -> "Filters":
        """The same as a typed record, which takes long to load."""
        from flagtui.models.filters import Filters

        return Filters.of(self.raw.get("filters"))


FLAG: Final[RecordSchema[FlagRow]] = RecordSchema(
    "flag",
    "A flag as the list has it.",
    (
        RecordField("key", "text", "Its key.", is_shown=True),
        RecordField("id", "whole", "Its id.", is_shown=True),
        RecordField("active", "truth", "Whether it is on.", is_shown=True, words=on_or_off),
        RecordField(
            "rollout",
            "number?",
            "The highest rollout of its conditions.",
            is_shown=True,
            words=percent_words,
        ),
        RecordField("type", "text", "boolean, multivariant, experiment, config, rules.", is_shown=True),
        RecordField("tags", "texts", "Its tags.", is_shown=True, words=commas),
        RecordField("updated_at", "time?", "When it was last changed.", is_shown=True, words=age_words),
        RecordField("name", "text", "Its description.", is_shown=True, is_spare=True),
        RecordField("archived", "truth", "Whether it is archived."),
        RecordField("deleted", "truth", "Whether it is deleted."),
        RecordField("conditional", "truth", "Whether every condition at that rollout requires a property."),
        RecordField("runtime", "text", "server, client or all."),
        RecordField("status", "text", "ACTIVE, STALE, …; never on or off."),
        RecordField("stale", "truth", "Whether it is on and seems unused.", lambda row: row.is_stale),
        RecordField("created_at", "time?", "When it was created.", words=age_words),
        RecordField("called_at", "time?", "When it was last called.", words=age_words),
        RecordField("creator", "text", "Who created it."),
        RecordField("version", "whole?", "Increases with every change."),
        RecordField("experiments", "any", "Ids of experiments on it."),
        RecordField("depends_on", "any", "Ids of flags that it depends on."),
        RecordField("can_edit", "truth", "Whether the key's owner may change it."),
    ),
)


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str) else None


def _contexts(raw: Mapping[str, JSON]) -> list[str]:
    """Return evaluation contexts under either name of the server; empty can also mean hidden."""
    contexts = raw.get("evaluation_contexts") or raw.get("evaluation_tags")
    return [each for each in contexts if isinstance(each, str)] if isinstance(contexts, list) else []


def _conditions(whole: WholeFlag) -> list[str]:
    """Return a sentence for each condition, after the state of the flag."""
    from flagtui.text.flag_sentences import manner_lines, plain, state_lines, who_sees_it

    filters = whole.targeting
    words_shown = [*state_lines(whole.row), *who_sees_it(filters, whole.names), *manner_lines(whole.raw)]
    sentences = list[str]()
    for line in plain(words_shown).split("\n"):
        words = line.strip()
        if sentences and line.startswith("  "):
            is_open = sentences[-1].endswith(" where") or words.startswith("and ")
            sentences[-1] += f"{'' if is_open else ';'} {words}"
        else:
            sentences.append(words.removeprefix("·").lstrip())
    return sentences


def _serves(whole: WholeFlag) -> list[str]:
    """Return what matching users are served: variants with their shares, a value, or true."""
    from flagtui.text.flag_sentences import plain, rest_words
    from flagtui.text.rule_sentences import rule_values

    filters = whole.targeting
    if filters.has_rules:
        return plain(rule_values(filters)).split("\n")
    if not filters.is_editable:
        return []
    if whole.raw.get("is_remote_configuration") is True:
        return ["a value, which flagtui flags payload prints"]
    served = [(variant.key, f"{variant.key} {percent(variant.rollout)}") for variant in filters.variants]
    served = served or [("true", "true")]
    lines = [words + ", with a payload" * (key in filters.payloads) for key, words in served]
    rest = rest_words(filters.variants)
    return [*lines, rest] if rest else lines


STORED_NAMES: Final[Mapping[str, str]] = {
    "continuity": "ensure_experience_continuity",
    "remote_configuration": "is_remote_configuration",
    "encrypted_payloads": "has_encrypted_payloads",
    "bucketing": "bucketing_identifier",
}
"""Printed fields whose names differ from those of the API, and those names."""


def _switch(name: str, about: str) -> RecordField[WholeFlag]:
    """Return a field that is true where the server sent true."""
    return RecordField(name, "truth", about, lambda flag: flag.raw.get(STORED_NAMES[name]) is True)


WHOLE_FLAG: Final[RecordSchema[WholeFlag]] = RecordSchema(
    "whole-flag",
    "A flag with its targeting.",
    (
        *FLAG.within(attrgetter("row")),
        RecordField(
            "conditions",
            "texts",
            "Its conditions in words; only where --fields names it.",
            _conditions,
            True,
            "\n".join,
            is_extra=True,
        ),
        RecordField(
            "serves",
            "texts",
            "What matching users are served, in words; only where --fields names it.",
            _serves,
            True,
            "\n".join,
            is_extra=True,
        ),
        RecordField("filters", "object", "The targeting as it is stored.", lambda flag: dict(flag.filters)),
        RecordField(
            "evaluation_contexts", "texts", "The contexts that evaluate it.", lambda flag: _contexts(flag.raw)
        ),
        _switch("continuity", "Whether the value persists across sign-in."),
        _switch("remote_configuration", "Whether it is a remote configuration."),
        _switch("encrypted_payloads", "Whether its payloads are encrypted."),
        RecordField(
            "bucketing",
            "text?",
            "The identifier by which users are bucketed.",
            lambda flag: _text(flag.raw.get(STORED_NAMES["bucketing"])),
        ),
    ),
    version=2,
)
