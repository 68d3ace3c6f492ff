"""`flagtui mirror`: the flags of a project on a port of this machine, with overrides."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click
import msgspec

from flagtui.api.errors import ApiError
from flagtui.cli.commands.mirror.mirror_overrides import report_unknown
from flagtui.cli.plumbing.client import ask, find_key, make_client
from flagtui.cli.plumbing.errors import Trouble, in_words
from flagtui.cli.plumbing.next_commands import NO_PLACE, next_command, with_place
from flagtui.cli.plumbing.option_rules import port_option, ruled_option
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.project_session import open_profile, open_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.sample_project import SAMPLE_ORIGIN, sample_client
from flagtui.cli.plumbing.value_types import FilePath, WrittenFile
from flagtui.config.locations import FolderUnusable, find_locations
from flagtui.mirror.endpoints import CONTROL_PATH, MirrorEndpoints
from flagtui.mirror.kept_definitions import KeptDefinitions
from flagtui.mirror.mirror import Mirror, MirroredProject
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.overrides import Overrides
from flagtui.mirror.requests_seen import RecordFile
from flagtui.mirror.running_mirrors import announce, find_mirrors, make_mirror_secret
from flagtui.mirror.upstream import WRITE, FileUpstream, ServerUpstream, Upstream, UpstreamError
from flagtui.models.override import InvalidOverride, Override, read_overrides
from flagtui.safe_text import safe_text
from flagtui.service.sample_data.company import WEB
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import CannotListen, Place, end_on_signals, listen, run
from flagtui.text.formats import count

_ORIGIN: Final = re.compile(
    r"(?P<site>(?P<scheme>https?)://(?:[^\s/?#@:\[\]]+|\[[0-9a-f:.]+\]))(?::(?P<port>[0-9]{1,5}))?/?"
)
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
OVERRIDES_FILE: Final = "overrides.toml"
TOKEN: Final = "phc_mirror"
"""Shown as an example: a mirror takes any token."""


class MirrorOptions(msgspec.Struct, frozen=True):
    """The options of the command line."""

    place: WorkPlace
    source: Path | None
    sample: bool
    overrides: tuple[str, ...]
    overrides_file: Path | None
    port: int
    origins: tuple[str, ...]
    record: Path | None


@command(
    "run",
    operations=("flags.local_evaluation", "flags.definitions", "projects.get"),
    examples=(
        "--sample --override new-nav=on --port 0",
        "--profile prod --allow-origin http://localhost:3000",
        "--from flags.json --override checkout=test@ann --port 0",
    ),
)
@ruled_option(
    "--from",
    "source",
    type=FilePath(exists=True, dir_okay=False),
    metavar="FILE",
    help="Definitions from a file, as flagtui flags definitions --json prints them.",
    excludes=("--sample", "--profile", "--project"),
)
@ruled_option(
    "--sample",
    is_flag=True,
    help="Flags of a made-up company: no account, no network.",
    excludes=("--profile", "--project"),
)
@click.option(
    "--override",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE[@PERSON]",
    help="Serve this value: on, off, a variant, 20% or JSON; may be repeated.",
)
@click.option(
    "--overrides",
    "overrides_file",
    type=FilePath(dir_okay=False),
    metavar="FILE",
    help="Overrides in a file, reloaded when saved; default: overrides.toml beside the settings.",
)
@port_option(8020)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of this origin read flags, such as http://localhost:3000; may be repeated.",
)
@click.option(
    "--record",
    type=WrittenFile(),
    metavar="FILE",
    help="Write what programs request to FILE: key, value, reason, caller, count.",
)
def serve_mirror(**given: object) -> None:
    """Serve the flags of a project to programs on this machine, with overrides; change nothing upstream.

    Definitions are requested once, then every 30 s if they changed. Without a connection the last ones are
    served, also those of an earlier run. Programs name http://127.0.0.1:PORT as the host, and any token.
    """
    options = MirrorOptions(**given)  # type: ignore[arg-type]  # click has checked the types
    overrides = _read_overrides(options.overrides)
    origins = tuple(map(_read_origin, options.origins))
    with _open_upstream(options) as source:
        mirror = Mirror(
            source.upstream,
            MirroredFlags(),
            _log,
            file=_override_file(options.overrides_file),
            record=None if options.record is None else RecordFile(options.record),
            kept=source.kept,
            project=source.project,
            session=Overrides.of(overrides),
        )
        _serve(options, mirror, Place(port=options.port, origins=origins))


def _serve(options: MirrorOptions, mirror: Mirror, place: Place) -> None:
    places, secret = find_locations(), make_mirror_secret()
    try:
        listener = listen(place)
    except CannotListen as fault:
        raise Trouble(str(fault)) from None
    try:
        asyncio.run(mirror.start())
        port: int = listener.getsockname()[1]
        end_on_signals()
        with announce(places, port, secret):
            others = [other.port for other in find_mirrors(places) if other.port != port]
            _introduce(mirror, port, others, options.record)

            table = MirrorEndpoints(mirror, secret).table()
            application = make_sdk_application(mirror.flags, table, mirror.running)
            run(application, listener, place, _log_request, mirror.flags.news)
    except UpstreamError as error:
        if error.response is not None:
            raise in_words(error.response) from None
        raise Trouble(error.what, with_place(error.advice, WRITE)) from None
    except FolderUnusable as wrong:
        raise Trouble(str(wrong)) from None
    finally:
        listener.close()


class _Source(msgspec.Struct, frozen=True):
    """The source of definitions, their cache, and the project that the app opens."""

    upstream: Upstream
    kept: KeptDefinitions | None = None
    project: MirroredProject | None = None


@contextmanager
def _open_upstream(options: MirrorOptions) -> Iterator[_Source]:
    """Yield the source of the definitions. Raises Trouble."""
    if options.source is not None:
        yield _Source(FileUpstream(options.source))
    elif options.sample:
        with sample_client() as client:
            project = MirroredProject("", SAMPLE_ORIGIN, str(WEB))
            yield _Source(ServerUpstream(client, "the sample"), None, project)
    else:
        opening = open_profile(options.place.profile, options.place.project)
        if opening.project_name:
            _client, opening = ask(opening, find_key(opening), partial(open_project, opening=opening))
        try:
            client = make_client(opening.profile, opening.host, find_key(opening).key, read_only=True)
        except ApiError as error:
            raise in_words(error) from None
        # A host of the environment has no profile that the app could open by its name.
        profile = opening.profile.name if opening.chosen.has_own_host else ""
        project = MirroredProject(profile, opening.host.origin, opening.profile.project)
        name = f"{opening.profile.name} ({project.origin}, project {project.project})"
        cache = opening.cache
        kept = None if cache is None else KeptDefinitions(cache, project.origin, project.project)
        yield _Source(ServerUpstream(client, name), kept, project)


def _override_file(named: Path | None) -> OverrideFile | None:
    """Return the named file, or the one beside the settings."""
    folder = find_locations().config
    path = named or (None if folder is None else folder / OVERRIDES_FILE)
    return None if path is None else OverrideFile(path)


def _read_overrides(texts: tuple[str, ...]) -> list[Override]:
    try:
        return read_overrides(texts)
    except InvalidOverride as wrong:
        raise Trouble(f"--override: {wrong}.", code="usage") from None


def _read_origin(text: str) -> str:
    """Return a page's origin as browsers send it, without the default port. Raises Trouble."""
    match = _ORIGIN.fullmatch(text.lower())
    if match is None or int(match["port"] or 0) > 65_535:
        fix = "Example: --allow-origin http://localhost:3000"
        raise Trouble(f"--allow-origin: {safe_text(text, 200)!r} is no origin.", fix, code="usage")
    is_default = match["port"] in (None, _DEFAULT_PORTS[match["scheme"]])
    return match["site"] if is_default else f"{match['site']}:{match['port']}"


def _introduce(mirror: Mirror, port: int, others: list[int], record: Path | None) -> None:
    address = f"http://127.0.0.1:{port}"
    flags = count(mirror.flags.flag_count, "flag")
    _print(f"mirroring {flags} of {mirror.upstream.name} on {address} · ctrl+c stops")
    _print(f"in your program: host {address}, token {TOKEN} (any token works); OFREP: the same address")
    named = ("--port", str(port)) if others else ()
    if overrides := len(mirror.flags.overrides):
        change = next_command("mirror", "set", *named, "KEY=VALUE", **NO_PLACE)
        _print(f"{count(overrides, 'override')}; change them with: {change}")
        report_unknown(mirror.flags.local_keys, mirror.flags.unknown_variants)
    if others:
        ports = ", ".join(map(str, others))
        run = (
            f"another mirror runs on port {ports}"
            if len(others) == 1
            else f"other mirrors run on ports {ports}"
        )
        _print(f"{run}; commands name this one: {next_command('mirror', 'list', *named, **NO_PLACE)}")
    if record is not None:
        _print(f"recording requests in {record}")


def _print(line: str) -> None:
    print(safe_text(line, 1_000), flush=True)


def _log_request(line: str) -> None:
    """Log a request of a program; the app reads the state each second, which would hide them."""
    if not line.startswith(f"GET {CONTROL_PATH} 200 "):
        _log(line)


def _log(line: str) -> None:
    print(safe_text(line, 1_000), file=sys.stderr, flush=True)
