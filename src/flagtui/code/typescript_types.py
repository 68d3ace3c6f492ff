"""A TypeScript module: the keys of flags, the values and payloads of each."""

from collections.abc import Iterator, Sequence

from flagtui.code.flag_types import FlagType, TypeFile, header_lines, identifiers_of
from flagtui.code.identifiers import Identifiers, camel_case, comment, comment_sentences
from flagtui.code.identifiers import quote_in_utf16 as quote
from flagtui.models.value_shapes import ValueShape


def write_typescript(flags: Sequence[FlagType], command: str) -> TypeFile:
    """Return the module; it needs no other one and compiles under `tsc --strict`."""
    identifiers = Identifiers(camel_case)
    names = identifiers_of(flags, identifiers)
    lines = [f"// {comment(line)}" for line in header_lines(flags, command)]
    lines += ["", "/** The key of each flag, by a name for code. */", "export const Flags = {"]
    for flag in flags:
        lines += [*_doc(flag), f"  {names[flag.key]}: {quote(flag.key)},"]
    lines += ["} as const;", "", "/** The key of any flag. */"]
    lines += ["export type FlagKey = (typeof Flags)[keyof typeof Flags];", ""]
    lines += ["/** The value of each flag, once flags are loaded. */", "export interface FlagValues {"]
    for flag in flags:
        lines += [*_doc(flag), f"  {quote(flag.key)}: {_value(flag)};"]
    lines += ["}", "", "/** The payload of each flag that has one; null for a value without. */"]
    lines.append("export interface FlagPayloads {")
    for flag in flags:
        if flag.payload is not None:
            lines += [*_doc(flag), f"  {quote(flag.key)}: {_nullable(flag.payload)};"]
    return TypeFile("\n".join([*lines, "}", ""]), identifiers.numbered)


def _doc(flag: FlagType) -> Iterator[str]:
    about = comment_sentences(flag.description)
    tag = f"@deprecated {comment_sentences(flag.deprecation)}" if flag.deprecation else ""
    if about or tag:
        yield f"  /** {f'{about} {tag}'.strip()} */"


def _value(flag: FlagType) -> str:
    return " | ".join([*map(quote, flag.variants), "false"]) if flag.variants else "boolean"


def _nullable(shape: ValueShape) -> str:
    words = _type(shape)
    return words if shape.is_any or "null" in shape.scalars else f"{words} | null"


def _type(shape: ValueShape) -> str:
    if shape.is_any:
        return "unknown"
    parts = ["number" if scalar == "integer" else str(scalar) for scalar in shape.scalars]
    if shape.items is not None:
        parts.append(f"Array<{_type(shape.items)}>")
    if shape.is_table:
        parts.append("Record<string, unknown>")
    if shape.members is not None:
        members = (
            f"{quote(member.name)}{'' if member.is_required else '?'}: {_type(member.shape)}"
            for member in shape.members
        )
        parts.append(f"{{ {'; '.join(members)} }}" if shape.members else "Record<string, never>")
    return " | ".join(parts)
