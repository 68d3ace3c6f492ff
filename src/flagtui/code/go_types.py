"""A Go file of package `flags`: constants of keys and variants, types of payloads."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flagtui.code.flag_types import FlagType, TypeFile, deprecation_words, header_lines, identifiers_of
from flagtui.code.identifiers import Identifiers, comment, comment_sentences, pascal_case, quote
from flagtui.models.value_shapes import Member, ValueShape

_SCALARS: Final = {"boolean": "bool", "integer": "int64", "number": "float64", "string": "string"}
_TAG: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""Names that Go's json package reads from a tag as they are."""


def write_go(flags: Sequence[FlagType], command: str) -> TypeFile:
    """Return the file; it imports nothing and is formatted as gofmt would."""
    identifiers = Identifiers(pascal_case, {"Key"})
    names = identifiers_of(flags, identifiers)
    lines = [f"// {comment(line)}" for line in header_lines(flags, command)]
    lines += ["", "package flags", "", "// Key is the key of a flag.", "type Key string"]
    for flag in flags:
        name = names[flag.key]
        lines += ["", *_doc(flag, name), f"const {name} Key = {quote(flag.key)}"]
        for variant in flag.variants:
            constant = identifiers.take(f"{name} variant {variant}")
            lines += ["", f"// {constant} is a variant of {name}."]
            lines.append(f"const {constant} = {quote(variant)}")
        if flag.payload is not None:
            constant = identifiers.take(f"{name} payload")
            lines += ["", f"// {constant} is the payload of {name}."]
            lines.append(f"type {constant} {_type(flag.payload, 0)}")
    return TypeFile("\n".join([*lines, ""]), identifiers.numbered)


def _doc(flag: FlagType, name: str) -> Iterator[str]:
    yield f"// {name}: {comment_sentences(flag.description or f'the flag {flag.key}')}"
    if flag.deprecation:
        yield "//"
        yield f"// {comment_sentences(deprecation_words(flag))}"


def _type(shape: ValueShape, level: int) -> str:
    """Return the type; `any` for what Go has no type for, such as text or number."""
    if shape.is_any:
        return "any"
    names = [scalar for scalar in shape.scalars if scalar != "null"]
    bare = ValueShape(tuple(names), shape.items, shape.members, shape.is_table)
    if not bare.is_single:
        return "any"
    if names:
        return f"{'*' if len(shape.scalars) > 1 else ''}{_SCALARS[names[0]]}"
    if bare.items is not None:
        return f"[]{_type(bare.items, level)}"
    if bare.is_table or not bare.members or not all(_TAG.fullmatch(each.name) for each in bare.members):
        return "map[string]any"
    return _struct(bare.members, level)


def _struct(members: Sequence[Member], level: int) -> str:
    identifiers, indent = Identifiers(pascal_case), "\t" * (level + 1)
    fields = [
        (
            identifiers.take(member.name),
            _optional(_type(member.shape, level + 1), member),
            f'`json:"{member.name}{"" if member.is_required else ",omitempty"}"`',
        )
        for member in members
    ]
    # gofmt aligns neighbours; a field of several lines ends a run of them.
    lines: list[str] = []
    run: list[tuple[str, str, str]] = []
    for each in [*fields, None]:
        if each is not None and "\n" not in each[1]:
            run.append(each)
            continue
        lines += _align(run, indent)
        run = []
        if each is not None:
            lines.append(f"{indent}{each[0]} {each[1]} {each[2]}")
    return "\n".join(["struct {", *lines, "\t" * level + "}"])


def _optional(type: str, member: Member) -> str:
    is_own_null = type == "any" or type[:1] in "*[" or type.startswith("map[")
    return type if member.is_required or is_own_null else f"*{type}"


def _align(run: Sequence[tuple[str, str, str]], indent: str) -> Iterator[str]:
    first = max((len(name) for name, _, _ in run), default=0)
    second = max((len(type) for _, type, _ in run), default=0)
    for name, type, tag in run:
        yield f"{indent}{name:{first}} {type:{second}} {tag}"
