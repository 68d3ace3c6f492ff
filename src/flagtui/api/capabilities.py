"""What a host turned out not to offer, remembered so that it is told once; what is done instead."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

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
)
from flagtui.api.operations import Operation
from flagtui.models.json_value import JSON

_ALWAYS_ASKED: Final = frozenset({"list", "get", "create", "update", "delete", "hard_delete", "me", "key"})
"""Second halves of names of what every server has: a refusal of these passes, so it is not remembered."""

_TOGETHER: Final = (frozenset({"flags.set_rollout", "flags.roll_out_to_everyone"}),)
"""Operations that came to servers at the same time: a server that lacks one lacks them all."""

NOT_HERE: Final = (EndpointNotFound, ClosedToKeys, NotOffered)
"""What a server says that is too old for an operation, or offers it to browsers only. It has done nothing."""


@dataclass(eq=False)
class Capabilities:
    """Learns from answers: closed to keys, or not known to this server at all."""

    _missing: dict[str, ApiError] = field(default_factory=dict)

    def why_not(self, name: str) -> str:
        """The reason an operation is not to be had here, or nothing while it may work."""
        error = self._missing.get(name)
        return error.what if error else ""

    def check(self, operation: Operation) -> None:
        """Raises what the server said last time, without asking it again."""
        error = self._missing.get(operation.name)
        if error:
            raise type(error)(error.what, now=error.now, next=error.next, facts=error.facts)

    def learn(self, operation: Operation, error: ApiError) -> None:
        """Remembers a refusal that will not change while this server runs."""
        if operation.name.partition(".")[2] in _ALWAYS_ASKED:
            return
        # A web page comes from a gateway in between, which may be gone the next minute; it has no code.
        of_the_server = isinstance(error, EndpointNotFound | NotOffered) and error.facts.code
        if of_the_server or isinstance(error, ClosedToKeys):
            for name in next((names for names in _TOGETHER if operation.name in names), {operation.name}):
                self._missing[name] = error

    def forget(self) -> None:
        """Asks afresh from now on, after an update of the server or a change of the key."""
        self._missing.clear()


Id = TypeVar("Id", int, str)
Changed = TypeVar("Changed")

_OF_ONE: Final = (Invalid, Forbidden, NotFound, Conflict, ApprovalNeeded)
"""Refusals that say something about one record only."""


async def one_by_one(
    ids: Sequence[Id], change: Callable[[Id], Awaitable[Changed]]
) -> tuple[list[Changed], list[dict[str, JSON]]]:
    """What was changed, and `id` and `reason` of what was not. A fault of the link ends it."""
    changed: list[Changed] = []
    errors: list[dict[str, JSON]] = []
    for place, id in enumerate(ids):
        try:
            changed.append(await change(id))
        except _OF_ONE as refused:
            errors.append({"id": id, "reason": refused.what})
        except ApiError as fault:
            # What stopped this one would stop the others too.
            errors.append({"id": id, "reason": f"{fault.what} {fault.now}"})
            errors += [{"id": left, "reason": "Not tried."} for left in ids[place + 1 :]]
            break
    return changed, errors


def retagged(tags: Sequence[str], action: str, given: Sequence[str]) -> list[str]:
    """The tags after `add`, `remove` or `set`, as servers keep them: trimmed, lower case, each once."""
    asked = [tag.strip().lower() for tag in given]
    match action:
        case "add":
            found = [*tags, *asked]
        case "remove":
            found = [tag for tag in tags if tag not in asked]
        case _:
            found = asked
    return list(dict.fromkeys(found))
