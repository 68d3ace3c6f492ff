"""The endpoints of the mirror: for programs, for definitions, and for changes of its overrides."""

import json
from collections.abc import Callable
from functools import partial
from hmac import compare_digest
from typing import Final

import msgspec

from flagtui.evaluate import wire
from flagtui.mirror.mirror import Mirror
from flagtui.models.json_value import JSON, as_list
from flagtui.models.override import InvalidOverride, Override, read_override
from flagtui.service.errors import Fault, authentication_failed, forbidden, invalid, not_found
from flagtui.service.etags import tagged_answer
from flagtui.service.responses import Response, respond
from flagtui.service.sdk.endpoints import ENDPOINTS, Endpoint
from flagtui.service.sdk.sdk_call import Noted, SdkCall

CONTROL_PATH: Final = "/flagtui/mirror"
_PROJECT: Final = "/api/projects/{project_id}/feature_flags"


class MirrorEndpoints(msgspec.Struct, frozen=True):
    """The table of a mirror; `secret` admits this user's `flagtui mirror set` and the app."""

    mirror: Mirror
    secret: str

    def table(self) -> tuple[Endpoint, ...]:
        paths = ("/flags/definitions", "/api/feature_flag/local_evaluation", f"{_PROJECT}/local_evaluation")
        return (
            *ENDPOINTS,
            *(Endpoint("GET", path, self._definitions, "Definitions with overrides") for path in paths),
            Endpoint("GET", f"{_PROJECT}/{{key}}/remote_config", self._remote_config, "A payload"),
            Endpoint("GET", CONTROL_PATH, self._admit(self._describe), "The state of the mirror"),
            *(
                Endpoint("POST", f"{CONTROL_PATH}/{name}", self._admit(change), f"{name} overrides")
                for name, change in (("set", self._set), ("unset", self._unset), ("clear", self._clear))
            ),
        )

    def _definitions(self, call: SdkCall) -> Response:
        return tagged_answer(self.mirror.flags.definitions, call.headers)

    def _remote_config(self, call: SdkCall) -> Response:
        key, flags = call.params["key"], self.mirror.flags
        flag = flags.raw_flag(key)
        if flag is None:
            flags.count(flags.requests_of(call.headers.get("user-agent", ""), [Noted((), [key])]))
            raise not_found("Not found.")
        if not flag.get("is_remote_configuration"):
            raise Fault(404, None)
        value = flags.overrides.values.get(key, {}).get(None)
        if value is not None and not isinstance(value, bool | str):
            return respond(json.dumps(value))
        payload = wire.payloads(flag.get("filters")).get("true")
        return Response() if payload is None else respond(payload)

    def _admit(self, handle: Callable[[dict[str, JSON]], JSON]) -> Callable[[SdkCall], Response]:
        return partial(self._handle, handle)

    def _handle(self, handle: Callable[[dict[str, JSON]], JSON], call: SdkCall) -> Response:
        """Admit this user alone: a page of an allowed origin reads flags and changes nothing."""
        if "origin" in call.headers:
            raise forbidden("Pages cannot change overrides.")
        given = call.headers.get("authorization", "").removeprefix("Bearer ")
        if not compare_digest(given.encode(), self.secret.encode()):
            raise authentication_failed()
        try:
            return respond(handle(call.body()))
        except InvalidOverride as wrong:
            raise invalid(str(wrong), "overrides") from None

    def _describe(self, _body: dict[str, JSON]) -> JSON:
        return self.mirror.describe() | {"requested": self.mirror.flags.seen.describe()}

    def _set(self, body: dict[str, JSON]) -> JSON:
        self.mirror.set(_overrides_of(body))
        return self.mirror.describe()

    def _unset(self, body: dict[str, JSON]) -> JSON:
        person = body.get("person")
        is_set = self.mirror.unset(str(body.get("key")), person if isinstance(person, str) else None)
        return self.mirror.describe() | {"is_set": is_set}

    def _clear(self, _body: dict[str, JSON]) -> JSON:
        return {"removed": self.mirror.clear()} | self.mirror.describe()


def _overrides_of(body: dict[str, JSON]) -> list[Override]:
    return [read_override(text) for text in as_list(body.get("overrides")) if isinstance(text, str)]
