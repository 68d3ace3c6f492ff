"""`flagtui mirror set|unset|list|clear`: the overrides of a running mirror."""

from collections.abc import Iterable, Mapping
from itertools import islice
from time import time
from typing import Final

import click
import msgspec

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.mirror_choice import as_mirror_trouble
from flagtui.cli.plumbing.next_commands import NO_PLACE, next_command
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.record_command import command
from flagtui.config.locations import find_locations
from flagtui.local_time import ago
from flagtui.mirror.control import ask_mirror, choose_mirror
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import InvalidOverride, Override, read_overrides
from flagtui.safe_text import safe_text
from flagtui.text.formats import count


class ListedOverride(msgspec.Struct, frozen=True):
    """An override as the mirror reports it."""

    key: str
    value: str
    user: str
    source: str


OVERRIDE: Final[RecordSchema[ListedOverride]] = RecordSchema(
    "override",
    "A value that a mirror serves instead of the project's.",
    (
        RecordField("key", "text", "The key of the flag.", is_shown=True),
        RecordField("value", "text", "on, off, a variant, a share or JSON.", is_shown=True),
        RecordField("user", "text", "The distinct id; empty for everyone.", is_shown=True),
        RecordField("source", "text", "set, or file: overrides.toml.", is_shown=True),
    ),
)
MOST_SHOWN: Final = 10
"""Requested keys without a flag, in one line."""
PORT: Final = click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    metavar="PORT",
    help="The port of the mirror; needed when several run.",
)


@command("set", is_online=False, examples=("new-nav=on", "checkout=test@ann new-search=20%"))
@click.argument("overrides", nargs=-1, required=True, metavar="KEY=VALUE[@PERSON]...")
@PORT
def set_overrides(overrides: tuple[str, ...], port: int | None) -> None:
    """Serve these values from now on: on, off, a variant, a share or JSON; for one user after @."""
    parsed = _read(overrides)
    texts = [*map(str, parsed)]
    state = _ask(port, "set", {"overrides": texts})
    for text in texts:
        _print(f"set {text}")
    set_keys = [override.key for override in parsed]
    report_unknown(
        [as_text(key) for key in as_list(state.get("local_keys")) if key in set_keys],
        [as_text(text) for text in as_list(state.get("unknown_variants")) if text in texts],
    )
    _report_trouble(state)


@command("unset", is_online=False, examples=("new-nav", "checkout@ann --port 8020"))
@click.argument("places", nargs=-1, required=True, metavar="KEY[@PERSON]...")
@PORT
def unset_overrides(places: tuple[str, ...], port: int | None) -> None:
    """Serve the project's values again."""
    for place in places:
        key, has_person, person = place.partition("@")
        state = _ask(port, "unset", {"key": key, "person": person if has_person else None})
        if state.get("is_set") is not True:
            in_file = any(
                each.source == "file" and (each.key, each.user) == (key, person)
                for each in _listed_overrides(state)
            )
            fix = f"It is in {as_text(state.get('file'))}; remove it there." if in_file else ""
            named = () if port is None else ("--port", str(port))
            fix = fix or f"See: {next_command('mirror', 'list', *named, **NO_PLACE)}"
            raise Trouble(f"{place} was not set.", fix, code="nothing_to_do")
        _print(f"unset {place}")


@command("list", kind=OVERRIDE, is_online=False, examples=("", "--json"))
@PORT
def list_overrides(port: int | None, printer: Printer) -> None:
    """Show overrides, the age of the definitions, and requested keys without a flag."""
    state = _ask(port)
    printer.records(OVERRIDE, _listed_overrides(state), "No overrides.")
    fetched_at = state.get("fetched_at")
    when = f"read {ago(fetched_at, time())}" if isinstance(fetched_at, int | float) else "of unknown age"
    flags = state.get("flags")
    counted = count(flags, "flag") if isinstance(flags, int) else "flags"
    progress(f"{counted} of {safe_text(as_text(state.get('upstream')), 200)}, definitions {when}")
    if missing := _missing_keys(state):
        progress(f"requested, but there is no such flag: {', '.join(missing)}")
    _report_trouble(state)


@command("clear", is_online=False, examples=("", "--port 8020"))
@PORT
def clear_overrides(port: int | None) -> None:
    """Remove every override but those of overrides.toml."""
    state = _ask(port, "clear", {})
    removed = state.get("removed")
    _print(f"removed {count(removed if isinstance(removed, int) else 0, 'override')}")
    if kept := len(_listed_overrides(state)):
        file = safe_text(as_text(state.get("file")), 300)
        _print(f"{count(kept, 'override')} of {file} {'stays' if kept == 1 else 'stay'}")


def report_unknown(keys: Iterable[str], variants: Iterable[str]) -> None:
    """Report overridden keys that are no flags of the project, and overrides with an unknown variant."""
    for key in keys:
        progress(f"{safe_text(key, 80)} is no flag of the project; it exists on this machine alone")
    for each in _read(variants):
        flag, variant = safe_text(each.key, 80), safe_text(each.words, 80)
        progress(f"{flag} has no variant {variant} in the project; the mirror serves it all the same")


def _read(texts: Iterable[str]) -> list[Override]:
    try:
        return read_overrides(texts)
    except InvalidOverride as wrong:
        fix = f"Example: {next_command('mirror', 'set', 'new-nav=on', **NO_PLACE)}"
        raise Trouble(f"{wrong}.", fix, code="usage") from None


def _ask(port: int | None, action: str = "", body: Mapping[str, JSON] | None = None) -> dict[str, JSON]:
    with as_mirror_trouble():
        return ask_mirror(choose_mirror(find_locations(), port), action, body)


def _listed_overrides(state: Mapping[str, JSON]) -> list[ListedOverride]:
    overrides = map(as_dict, as_list(state.get("overrides")))
    names = ("key", "value", "person", "source")
    return [ListedOverride(*(as_text(override.get(name)) for name in names)) for override in overrides]


def _missing_keys(state: Mapping[str, JSON]) -> list[str]:
    """Return requested keys that do not exist, the most requested first, with how often."""
    counts = MirrorState.of(state).missing_keys
    shown = [
        f"{safe_text(key, 80)} ({count(times, 'time')})" for key, times in islice(counts.items(), MOST_SHOWN)
    ]
    rest = len(counts) - len(shown)
    return [*shown, f"{rest} more"] if rest else shown


def _report_trouble(state: Mapping[str, JSON]) -> None:
    for name in ("trouble", "file_trouble"):
        if trouble := as_text(state.get(name)):
            progress(safe_text(trouble, 500))


def _print(line: str) -> None:
    print(safe_text(line, 500))
