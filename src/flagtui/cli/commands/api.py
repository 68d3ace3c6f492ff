"""`flagtui api PATH`: read any address of the API, for what no command prints."""

import json
import re
import sys
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import click

from flagtui.cli.plumbing.errors import Trouble, in_words
from flagtui.cli.plumbing.input_text import read_text
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.project_session import ProjectSession, in_project
from flagtui.cli.plumbing.record_command import command
from flagtui.models.json_value import JSON, NotJson, read_json

if TYPE_CHECKING:
    from flagtui.api.operations import Operation

FOLDER: Final = "/api/"
_STEP: Final = re.compile(r"[\w@.~:$ -]+")


@command(
    "api",
    line="Read any address of the API.",
    only_shows=True,
    examples=("feature_flags/", "'/api/projects/{project}/feature_flags/?limit=1'", "/api/users/@me/"),
)
@click.argument("path")
@click.option(
    "--data",
    "source",
    metavar="FILE",
    type=click.Path(),
    help="Send this JSON with POST; - reads it. Only to addresses that change nothing.",
)
def api(path: str, source: str | None, place: WorkPlace) -> None:
    """Read PATH with the key of the profile, and print the JSON of the response.

    PATH begins with /api/, or is below the project: feature_flags/. {project} is its number. A full address
    is accepted where it is of the profile's host. Nothing can be changed: POST is sent only to endpoints
    that this program knows to change nothing.
    """
    body = _read_body(source)

    async def work(session: ProjectSession) -> JSON:
        from flagtui.api.errors import EndpointNotFound, NotFound
        from flagtui.api.request import Request

        at, query = _address(session, path)
        operation = _operation(at, str(session.client.project), is_post=body is not None)
        try:
            answer = await session.client.connection.ask(Request(operation, at, query, body))
        except (NotFound, EndpointNotFound) as missing:
            trouble = in_words(missing)
            raise Trouble(f"{at}: {trouble.what}", trouble.fix, code=trouble.code) from None
        return answer.json()

    print(json.dumps(in_project(place, work), indent=2, ensure_ascii=True))
    sys.stdout.flush()


def _read_body(source: str | None) -> JSON:
    text = read_text(source)
    if text is None:
        return None
    try:
        body = read_json(text.encode())
    except NotJson as fault:
        raise Trouble(f"{source} is not JSON: {fault}.", "Nothing was sent.", code="usage") from None
    if body is None:
        raise Trouble(f"{source} has no value to send.", "Nothing was sent.", code="usage")
    return body


def _address(session: ProjectSession, path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the path on the host of the profile, and its query. Raises Trouble for any other address."""
    host = session.client.host
    try:
        parts = urlsplit(path.replace("{project}", str(session.client.project)))
        query = parse_qsl(parts.query, keep_blank_values=True, errors="strict")
    except ValueError:
        raise Trouble("PATH is not an address.", "Nothing was sent.", code="usage") from None
    if (parts.scheme or parts.netloc) and f"{parts.scheme}://{parts.netloc}" != host.origin:
        raise Trouble(f"PATH is not on {host.origin}.", "The key goes to no other host.", code="usage")
    at = (
        parts.path
        if parts.path.startswith("/")
        else f"{FOLDER}projects/{session.client.project}/{parts.path}"
    )
    steps = unquote(at).strip("/").split("/")
    if not at.startswith(FOLDER) or not all(_STEP.fullmatch(step) and step.strip(".") for step in steps):
        raise Trouble(f"PATH does not begin with {FOLDER}, or has an empty or invalid part.", code="usage")
    return at, tuple(query)


def _operation(at: str, project: str, *, is_post: bool) -> "Operation":
    """Return the operation of an address: any for GET, one that changes nothing for POST. Raises Trouble."""
    from flagtui.api.operations import OPERATIONS, Operation

    if not is_post:
        return Operation("api.get", "GET", at, "", "read", is_slow=True)
    for operation in OPERATIONS.values():
        pattern = re.escape(operation.path).replace(r"\{project\}", re.escape(project))
        if (
            operation.method == "POST"
            and not operation.is_write
            and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", pattern), at)
        ):
            return operation
    what = "POST is sent only to addresses that change nothing, and this one is not among them."
    raise Trouble(what, "Use the command for the change: flagtui --help", code="refused")
