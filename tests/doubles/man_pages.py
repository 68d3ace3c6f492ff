"""Man pages, made from the commands: one for the program and one for each command or group."""

from collections.abc import Iterator

import click
from tests.doubles.expected import require

from flagtui import __version__
from flagtui.cli.plumbing.errors import EXIT_WORDS
from flagtui.cli.plumbing.record_command import RecordCommand

_SEE = "The whole of it: docs/command-line.md in the sources of flagtui"


def man_pages(root: click.Group) -> dict[str, str]:
    """The text of each page by its file name."""
    context = click.Context(root, info_name="flagtui", **root.context_settings)
    pages = {"flagtui.1": _page(root, context)}
    for name, command in _below(root, context):
        pages[f"flagtui-{name}.1"] = _page(command, click.Context(command, info_name=name, parent=context))
    return pages


def _below(command: click.Command, context: click.Context) -> list[tuple[str, click.Command]]:
    """The commands of a group with their names; none of a command."""
    if not isinstance(command, click.Group):
        return []
    return [(name, require(command.get_command(context, name))) for name in command.list_commands(context)]


def _page(command: click.Command, context: click.Context) -> str:
    words, below = context.command_path, _below(command, context)
    title = words.replace(" ", "-")
    lines = [
        f'.TH "{title.upper()}" "1" "" "flagtui {__version__}" "flagtui"',
        ".SH NAME",
        f"{_text(title)} \\- {_text(command.get_short_help_str(200).rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_text(words)}",
        _text(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
        *_options(command, context),
    ]
    if below:
        lines.append(".SH COMMANDS")
    for name, each in below:
        inner = click.Context(each, info_name=name, parent=context)
        usage = " ".join([name, *each.collect_usage_pieces(inner)])
        lines += [f".SS {_text(usage)}", *_paragraphs(each.help or "")]
        if title != "flagtui":
            lines += [*_options(each, inner), *_examples(each)]
    lines += [*_examples(command), ".SH EXIT STATUS"]
    for code, meaning in EXIT_WORDS.items():
        lines += [".TP", f".B {code}", _text(meaning)]
    return "\n".join([*lines, ".SH SEE ALSO", _text(_SEE), ""])


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for param in command.get_params(context):
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {_text(record[0])}", _text(record[1]))


def _examples(command: click.Command) -> Iterator[str]:
    if isinstance(command, RecordCommand) and command.examples:
        yield from (".PP", "Examples:", ".PP", ".nf")
        yield from (_text(f"flagtui {example}") for example in command.examples)
        yield ".fi"


def _paragraphs(text: str) -> Iterator[str]:
    for place, paragraph in enumerate(text.strip().split("\n\n")):
        if place:
            yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _text(text: str) -> str:
    """Plain text: nothing in it is markup, and a hyphen stays one that can be copied."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe
