"""Changes an experiment makes to its flag, through the flags' own operations: every rule and log holds."""

import functools
from collections.abc import Mapping
from dataclasses import replace

from starlette.datastructures import Headers

from flagtui.service.answers import Answer, encode, value_of
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json
from flagtui.service.experiments.records import LinkedFlag
from flagtui.service.flags.write_operations import create, update
from flagtui.service.operations import Handler

_JSON = Headers({"content-type": "application/json"})


class AwaitsApproval(Fault):
    """The change of the flag needs approval first; the change request has been stored."""

    def __init__(self, asked: Answer) -> None:
        super().__init__(asked.status, None)
        self.content = asked.content
        self.answer = asked


def create_flag(call: Call, body: Mapping[str, Json]) -> int:
    """Makes a flag in the same transaction and gives its id; faults are those of creating a flag."""
    made = create(replace(call, method="POST", raw_body=encode(body), headers=_JSON))
    number: int = value_of(_done(made).content.decode())["id"]
    return number


def change_flag(call: Call, flag: LinkedFlag, changes: Mapping[str, Json]) -> None:
    """Changes a flag in the same transaction; faults are those of changing a flag."""
    params = {**call.params, "id": str(flag.id)}
    _done(update(replace(call, method="PATCH", params=params, raw_body=encode(changes), headers=_JSON)))


def keeping_requests(handler: Handler) -> Handler:
    """Answers an approval that is needed without rolling back the request for it.

    For handlers that write nothing before they change the flag.
    """

    @functools.wraps(handler)
    def handle(call: Call) -> Answer:
        try:
            return handler(call)
        except AwaitsApproval as asked:
            return asked.answer

    return handle


def _done(given: Answer) -> Answer:
    if given.status >= 400:
        raise AwaitsApproval(given)
    return given
