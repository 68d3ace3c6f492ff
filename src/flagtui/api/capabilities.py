"""Operations that a host does not offer, remembered after the first refusal, and their fallbacks."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from flagtui.api.errors import (
    ApiError,
    ApprovalNeeded,
    ClosedToKeys,
    Conflict,
    EndpointNotFound,
    Forbidden,
    Invalid,
    NotFound,
    NotOffered,
    Unanswered,
)
from flagtui.api.operations import Operation
from flagtui.models.json_value import JSON

_ALWAYS_ASKED: Final = frozenset(
    {"list", "get", "create", "update", "delete", "hard_delete", "me", "key", "code"}
)
"""Second halves of the names of operations whose refusals are not remembered.

Every server has them; of generated code it may have some languages only.
"""

_TOGETHER: Final = (frozenset({"flags.set_rollout", "flags.roll_out_to_everyone"}),)
"""Operations that were added to servers in one version: a server that lacks one lacks them all."""

NOT_HERE: Final = (EndpointNotFound, ClosedToKeys, NotOffered)
"""Errors of servers too old for an operation, or that offer it to browsers only. Nothing was changed."""


@contextmanager
def after_write() -> Iterator[None]:
    """Report each error as a missing response: an earlier request of the same change was carried out.

    Taken for a refusal, it would mean that nothing was changed, and that the change can be sent again.
    """
    try:
        yield
    except ApiError as error:
        now = "A part of the change was made; whether all of it was is not known."
        raise Unanswered(error.what, now=now, facts=error.facts) from error


class Capabilities(msgspec.Struct, eq=False):
    """Operations that this host refused: closed to keys, or unknown to this version."""

    _missing: dict[str, ApiError] = {}

    def why_not(self, name: str) -> str:
        """Return why this host does not offer an operation; empty while it may work."""
        error = self._missing.get(name)
        return error.what if error else ""

    def check(self, operation: Operation) -> None:
        """Raise the remembered error of the operation without sending a request."""
        error = self._missing.get(operation.name)
        if error:
            raise type(error)(error.what, now=error.now, next=error.next, facts=error.facts)

    def remember(self, operation: Operation, error: ApiError) -> None:
        """Remember an error that will not change while this server runs."""
        if operation.name.partition(".")[2] in _ALWAYS_ASKED:
            return
        # A web page comes from a gateway in between, which may be gone a minute later; it has no code.
        of_the_server = isinstance(error, EndpointNotFound | NotOffered) and error.facts.code
        if of_the_server or isinstance(error, ClosedToKeys):
            for name in next((names for names in _TOGETHER if operation.name in names), {operation.name}):
                self._missing[name] = error

    def forget(self) -> None:
        """Forget every refusal, after an update of the server or a change of the key."""
        self._missing.clear()


Id = TypeVar("Id", int, str)
ChangedT = TypeVar("ChangedT")

_OF_ONE: Final = (Invalid, Forbidden, NotFound, Conflict, ApprovalNeeded)
"""Errors that concern one record only."""


async def one_by_one(
    ids: Sequence[Id], change: Callable[[Id], Awaitable[ChangedT]]
) -> tuple[list[ChangedT], list[dict[str, JSON]]]:
    """Return the changed records, and `id` and `reason` of each failed one. A connection error stops it."""
    changed: list[ChangedT] = []
    errors: list[dict[str, JSON]] = []
    for place, id in enumerate(ids):
        try:
            changed.append(await change(id))
        except _OF_ONE as refused:
            errors.append({"id": id, "reason": refused.what})
        except ApiError as fault:
            # A connection error would stop the remaining records too.
            errors.append({"id": id, "reason": f"{fault.what} {fault.now}"})
            errors += [{"id": left, "reason": "Not tried."} for left in ids[place + 1 :]]
            break
    return changed, errors


def edit_tags(tags: Sequence[str], action: str, given: Sequence[str]) -> list[str]:
    """Return the tags after `add`, `remove` or `set`, as servers store them: trimmed, lower case, unique."""
    given_tags = [tag.strip().lower() for tag in given]
    match action:
        case "add":
            result = [*tags, *given_tags]
        case "remove":
            result = [tag for tag in tags if tag not in given_tags]
        case _:
            result = given_tags
    return list(dict.fromkeys(result))
