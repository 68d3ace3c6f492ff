"""One request of a program for its flags: its body in every form that libraries send, and its subject."""

import base64
import binascii
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, QueryParams

from flagtui.evaluate.run import Person
from flagtui.evaluate.wire import mapping
from flagtui.service.bodies import parse_json
from flagtui.service.errors import Json, invalid, parse_error, too_large
from flagtui.service.news import News
from flagtui.service.sdk.flag_set import FlagResult, FlagSet

LARGEST_BODY: Final = 20 * 2**20
"""Bytes after decompression."""
MOST_LEVELS: Final = 64
LONGEST_ID: Final = 200
_GZIP: Final = b"\x1f\x8b"
_FORM: Final = b"data="


class EvaluationContext(msgspec.Struct, frozen=True):
    """The person a program asks about, as it describes them."""

    distinct_id: str
    properties: Mapping[str, Json] = {}
    groups: Mapping[str, str | int] = {}
    """Key by name of the group type."""
    group_properties: Mapping[str, Mapping[str, Json]] = {}
    device_id: str | None = None


class FlagSource(Protocol):
    """The source of the flags, for the length of one request."""

    def admit(self, token: str) -> None:
        """Check the caller. Raises the faults of an unknown token or key."""

    def flag_set(self) -> FlagSet:
        """Return the flags as they are now."""

    def person_of(self, context: EvaluationContext) -> Person:
        """Return the person, with the stored properties."""

    @property
    def news(self) -> News:
        """Return what announces changes of flags."""

    def note_events(self, count: int) -> None:
        """Take notice of events that are dropped."""


class SdkCall(msgspec.Struct, frozen=True):
    """The arguments of an endpoint."""

    source: FlagSource
    params: Mapping[str, str] = {}
    query: QueryParams = msgspec.field(default_factory=QueryParams)
    headers: Headers = msgspec.field(default_factory=Headers)
    raw_body: bytes = b""
    noted: list["Noted"] = []
    """The request of the program; endpoints add to it."""

    @property
    def version(self) -> int:
        """Return the number in `?v=`; 1 for none or a malformed one."""
        text = self.query.get("v", "1")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1

    def body(self) -> dict[str, Json]:
        """Return the JSON object. Raises 400 for a malformed body and 413 for one that is too large."""
        return _object(decode_body(self.raw_body))


def decode_body(raw: bytes) -> Json:
    """Return the JSON value of a body; {} for none.

    Libraries compress with gzip, named in a header, in the query or nowhere, or send a form with base64 in
    `data`: the content shows its form.
    """
    if raw.startswith(_GZIP):
        raw = _decompress(raw)
    if raw.startswith(_FORM):
        raw = _form_data(raw)
    return parse_json(raw, "application/json", MOST_LEVELS)


def _decompress(raw: bytes) -> bytes:
    engine = zlib.decompressobj(wbits=31)
    try:
        text = engine.decompress(raw, LARGEST_BODY + 1)
    except zlib.error:
        raise parse_error("the compressed body is damaged") from None
    if len(text) > LARGEST_BODY:
        raise too_large(LARGEST_BODY)
    if not engine.eof:
        raise parse_error("the compressed body ends early")
    return text


def _form_data(raw: bytes) -> bytes:
    try:
        values = parse_qs(raw.decode("ascii"), max_num_fields=20).get("data", [""])
        return base64.b64decode(values[0].replace(" ", "+"), validate=True)
    except (binascii.Error, ValueError):
        raise parse_error("data is not base64") from None


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise invalid("Invalid data. Expected a dictionary.")
    return value


def read_token(body: Mapping[str, Json], query: Mapping[str, str]) -> str:
    """Return the project token; empty for none."""
    for value in (body.get("token"), body.get("api_key"), body.get("$token"), query.get("token")):
        if isinstance(value, str) and value:
            return value
    return ""


def read_context(body: Mapping[str, Json]) -> EvaluationContext:
    """Return the subject of the body. Raises 400 without a distinct id.

    As on the product, an empty one is evaluated, and a long one cut.
    """
    named = _either(body, "distinct_id")
    if isinstance(named, bool) or not isinstance(named, str | int | float):
        detail = "The distinct_id field is missing from the request. Please include a valid identifier."
        raise invalid(detail, "distinct_id", "required")
    properties = mapping(body.get("person_properties", body.get("$properties")))
    device = body.get("$device_id") or body.get("device_id") or properties.get("$device_id")
    return EvaluationContext(
        str(named)[:LONGEST_ID],
        properties,
        {name: key for name, key in mapping(_either(body, "groups")).items() if _is_key(key)},
        {name: mapping(value) for name, value in mapping(_either(body, "group_properties")).items()},
        device if isinstance(device, str) and device else None,
    )


def _either(body: Mapping[str, Json], name: str) -> Json:
    """Return a member that some libraries write with a dollar."""
    return body.get(name, body.get(f"${name}"))


def read_keys(body: Mapping[str, Json]) -> list[str] | None:
    """Return the keys of the flags that are requested; None for all."""
    keys = body.get("flag_keys_to_evaluate", body.get("flag_keys"))
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else None


class Noted(msgspec.Struct, frozen=True):
    """The requests of a program: the flags it got, keys that do not exist, and flags not for the program."""

    results: Sequence[FlagResult]
    missing: Sequence[str] = ()
    outside: Sequence[str] = ()


def note(
    call: SdkCall,
    results: Sequence[FlagResult],
    keys: Iterable[str] | None = None,
    outside: Collection[str] = (),
) -> None:
    """Note the results, and the requested keys that have none."""
    existing = {result.record.key for result in results} if keys else set()
    without = [key for key in keys or () if key not in existing]
    missing = [key for key in without if key not in outside]
    call.noted.append(Noted(results, missing, [key for key in without if key in outside]))


def _is_key(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
