"""Several changes on servers that cannot make them together: one after the other, each sent once."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from flagtui.api.errors import ApiError, ApprovalNeeded, Conflict, Forbidden, Invalid, NotFound
from flagtui.models.json_value import JSON

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
