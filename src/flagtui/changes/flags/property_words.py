"""What one property of a condition asks for, as words with the part each of them plays. Raw."""

from typing import Final, Literal

from flagtui.evaluate.operator_words import COHORT_WORDS, property_name
from flagtui.evaluate.value_words import asked_words, listed
from flagtui.models.filters import Property
from flagtui.models.names import NO_NAMES, Names

Role = Literal["name", "verb", "value", "variant", "odd", "note"]
"""What is asked, how, for which value or variant; what servers make nothing of; what else is to be known."""
Word = tuple[Role, str]
NAMES_ROOM: Final = 60
"""Characters of a variant's key, or of a cohort that is known by its number."""


def property_words(item: Property, names: Names = NO_NAMES) -> tuple[Word, ...]:
    """`email ends with @acme.com`, `is in Paying customers`, `flag checkout is on`: joined, a clause."""
    if item.type == "cohort":
        return _cohort(item, names)
    if item.type == "flag":
        return _dependency(item, names)
    verb, values = asked_words(item.operator, item.value, names.matching_version)
    words: list[Word] = [("name", property_name(item.key, item.type) or '""')]
    words.append(("verb", f" {verb}") if verb else ("odd", f" {item.operator}"))
    if values:
        words.append(("value", f" {values}"))
    if item.is_negated:
        # Servers and libraries look at the mark only inside the definition of a cohort.
        words.append(("note", " (marked as negated, which counts in cohorts only)"))
    return tuple(words)


def property_in_short(item: Property, names: Names = NO_NAMES) -> str:
    """The same as one text."""
    return "".join(text for _, text in property_words(item, names))


def _cohort(item: Property, names: Names) -> tuple[Word, ...]:
    verb = COHORT_WORDS.get(item.operator)
    known = item.label or names.cohorts.get(item.cohort_id or 0)
    name = known or f"cohort {listed(item.value, room=NAMES_ROOM)}"
    first: Word = ("verb", f"{verb} ") if verb else ("odd", f"{item.operator} ")
    return first, ("name", name)


def _dependency(item: Property, names: Names) -> tuple[Word, ...]:
    name = names.flags.get(item.flag_id or 0) or item.label or item.key
    if not name:
        return ("verb", "a flag "), ("odd", "that is not named: matches nobody")
    named: tuple[Word, ...] = (("verb", "flag "), ("name", name))
    if item.operator != "flag_evaluates_to" or item.value is None:
        return (*named, ("odd", f" {item.operator}: matches nobody"))
    match item.value:
        case bool():
            said: tuple[Word, ...] = (("verb", " is "), ("value", "on" if item.value else "off"))
        case "true" | "false":
            # A variant of that name is meant, which the value of a flag is not.
            said = (("verb", " gives "), ("variant", f'"{item.value}"'))
        case str():
            said = (("verb", " gives "), ("variant", listed(item.value, room=NAMES_ROOM)))
        case _:
            return (*named, ("odd", f" gives {listed(item.value, room=NAMES_ROOM)}: matches nobody"))
    why = names.undecided.get(item.flag_id or 0)
    note: tuple[Word, ...] = (("odd", f" ({why})"),) if why else ()
    return (*named, *said, *note)
