"""One value set on this machine in place of a flag's own: how it is written and checked."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from flagtui.models.json_value import JSON, format_number

LONGEST_KEY: Final = 400
_WORDS: Final[Mapping[str, bool]] = {"true": True, "on": True, "false": False, "off": False}
_JSON_SIGNS: Final = ("{", "[", '"')
"""What begins a value in JSON rather than a word."""
_HELP: Final = "write KEY=on, KEY=off, KEY=variant, KEY=20%, or KEY=JSON, with @PERSON for one person"


class InvalidOverride(ValueError):
    """The text is no override; the message is the reason and the form to use."""


class Share(msgspec.Struct, frozen=True):
    """A share of everyone, chosen by the flag's own bucketing."""

    percentage: float
    """From 0 to 100."""

    def __str__(self) -> str:
        return f"{format_number(self.percentage)}%"


class Override(msgspec.Struct, frozen=True):
    """One value of one flag, for everyone or for one person."""

    key: str
    value: Any
    """True, false, a variant, a share, or another JSON value that the flag serves."""
    person: str | None = None
    """The distinct id; None for everyone."""

    @property
    def value_text(self) -> str:
        """Return the value as it is written in an override."""
        if isinstance(self.value, Share):
            return str(self.value)
        if isinstance(self.value, bool):
            return "on" if self.value else "off"
        is_plain = (
            isinstance(self.value, str)
            and self.value
            and "@" not in self.value
            and not self.value.startswith(_JSON_SIGNS)
            and read_value(self.value) == self.value
        )
        return self.value if is_plain else json.dumps(self.value, ensure_ascii=False)

    @property
    def words(self) -> str:
        """Return the value as screens show it. Raw."""
        if isinstance(self.value, Share):
            return f"{format_number(self.value.percentage)} %"
        return self.value_text

    def __str__(self) -> str:
        return f"{self.key}={self.value_text}" + (f"@{self.person}" if self.person is not None else "")


def read_overrides(texts: Iterable[str]) -> list[Override]:
    """Parse several. Raises InvalidOverride, also where one place has two values."""
    overrides: dict[tuple[str, str | None], Override] = {}
    for override in map(read_override, texts):
        if overrides.setdefault((override.key, override.person), override) != override:
            whose = "" if override.person is None else f" for {override.person}"
            raise InvalidOverride(f"{override.key} has two values{whose}; give only one of them")
    return [*overrides.values()]


def read_override(text: str) -> Override:
    """Parse `KEY=VALUE[@PERSON]`. Raises InvalidOverride."""
    key, has_value, rest = text.partition("=")
    if not has_value:
        raise InvalidOverride(f"{text!r} has no value; {_HELP}")
    if rest.lstrip().startswith(_JSON_SIGNS):
        value, rest = _read_json_start(rest.lstrip())
        if rest and not rest.startswith("@"):
            raise InvalidOverride(f"{rest!r} follows the JSON value; {_HELP}")
        person = rest[1:] if rest else None
    else:
        word, has_person, name = rest.partition("@")
        value, person = read_value(word), name if has_person else None
    return make_override(key.strip(), value, person)


def make_override(key: str, value: Any, person: str | None = None) -> Override:
    """Return a checked override. Raises InvalidOverride."""
    if not key or len(key) > LONGEST_KEY:
        raise InvalidOverride(f"an override names a flag of 1 to {LONGEST_KEY} characters; {_HELP}")
    if "=" in key or key != key.strip():
        raise InvalidOverride(
            f"{key!r} is no key of a flag, which has no = and no space at its ends; {_HELP}"
        )
    if person == "":
        raise InvalidOverride(f"{key} names no person after @; {_HELP}")
    if isinstance(value, Share) and person is not None:
        raise InvalidOverride(f"{key}={value}: a share is for everyone, not for one person")
    if isinstance(value, Share) and not 0 <= value.percentage <= 100:
        raise InvalidOverride(f"{key}={value}: a share is from 0 to 100 %")
    if value is None or value == "" or isinstance(value, list):
        raise InvalidOverride(f"{key} needs a value that a flag can serve; {_HELP}")
    if not isinstance(value, Share) and not _is_json(value):
        raise InvalidOverride(f"{key} has a value that JSON cannot hold")
    return Override(key, value, person)


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def read_value(text: str) -> Any:
    """Return the value of a word: on, off, a share such as `20%`, a JSON number, or a variant."""
    word = text.strip()
    if word.casefold() in _WORDS:
        return _WORDS[word.casefold()]
    if word.endswith("%"):
        try:
            return Share(float(word[:-1]))
        except ValueError:
            return word
    try:
        number = json.loads(word)
    except (ValueError, RecursionError):
        return word
    return number if isinstance(number, int | float) else word


def _read_json_start(text: str) -> tuple[JSON, str]:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        raise InvalidOverride(f"{text!r} is no JSON value; {_HELP}") from None
    return value, text[end:]
