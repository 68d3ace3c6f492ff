"""A Python module: the keys of flags, the values and payloads of each."""

from collections.abc import Mapping, Sequence

from flagtui.code.flag_types import FlagType, TypeFile, deprecation_words, header_lines, identifiers_of
from flagtui.code.identifiers import Identifiers, comment, comment_sentences, pascal_case, quote, upper_case
from flagtui.models.value_shapes import ValueShape

_OWN = ("FlagKey", "FlagValues", "FlagPayloads", "Any", "Final", "Literal", "NotRequired", "TypedDict")
_SCALARS: Mapping[str, str] = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "string": "str",
    "null": "None",
}


def write_python(flags: Sequence[FlagType], command: str) -> TypeFile:
    """Return the module; it imports `typing` alone and passes `mypy --strict` from Python 3.11 on."""
    constants = Identifiers(upper_case)
    names = identifiers_of(flags, constants)
    lines = ['"""', *map(comment, header_lines(flags, command)), '"""', ""]
    lines += ["from typing import Any, Final, Literal, NotRequired, TypedDict", ""]
    for flag in flags:
        about = comment_sentences(flag.description, deprecation_words(flag))
        lines += [f"# {about}"] if about else []
        lines.append(f"{names[flag.key]}: Final = {quote(flag.key)}")
    keys = ", ".join(quote(flag.key) for flag in flags)
    lines += ["", f"FlagKey = Literal[{keys}]" if flags else "FlagKey = str"]
    lines += ['"""The key of any flag."""', ""]
    payloads = _Payloads()
    members = [
        f"    {quote(flag.key)}: {payloads.type_of(flag.payload, f'{flag.key} payload', is_nullable=True)},"
        for flag in flags
        if flag.payload is not None
    ]
    values = [f"    {quote(flag.key)}: {_value(flag)}," for flag in flags]
    lines += payloads.lines
    for name, rows, doc in (
        ("FlagValues", values, "The value of each flag."),
        ("FlagPayloads", members, "The payload of each flag that has one; None for a value without."),
    ):
        lines += [f'{name} = TypedDict("{name}", {{', *rows, "}, total=False)", f'"""{doc}"""', ""]
    return TypeFile("\n".join(lines), constants.numbered | payloads.identifiers.numbered)


def _value(flag: FlagType) -> str:
    return f"Literal[{', '.join([*map(quote, flag.variants), 'False'])}]" if flag.variants else "bool"


class _Payloads:
    """Types of objects; each is declared before the one that has it as a member."""

    def __init__(self) -> None:
        self.identifiers = Identifiers(pascal_case, set(_OWN))
        self.lines: list[str] = []

    def type_of(self, shape: ValueShape, name: str, *, is_nullable: bool = False) -> str:
        """Return the type, and declare the types that it needs."""
        if shape.is_any:
            return "Any"
        parts = [_SCALARS[scalar] for scalar in shape.scalars]
        if shape.items is not None:
            parts.append(f"list[{self.type_of(shape.items, f'{name} item')}]")
        if shape.is_table:
            parts.append("dict[str, Any]")
        if shape.members is not None:
            members = []
            for member in shape.members:
                inner = self.type_of(member.shape, f"{name} {member.name}")
                kept = inner if member.is_required else f"NotRequired[{inner}]"
                members.append(f"    {quote(member.name)}: {kept},")
            identifier = self.identifiers.take(name)
            self.lines += [f'{identifier} = TypedDict("{identifier}", {{', *members, "})", ""]
            parts.append(identifier)
        return " | ".join([*parts, "None"] if is_nullable and "None" not in parts else parts)
