"""A service whose changes of flags wait for approval by Grace or Heidi."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.doubles.service_world import World, released

REQUESTS = "/api/projects/1/change_requests/"
LEAST = released(10)


@dataclass
class Office:
    """Ada, the owner, requests; Grace and Heidi decide; Ivan may do neither."""

    ada: World
    grace: World
    heidi: World
    ivan: World

    def cover(self, *actions: str, **approvers: Any) -> None:
        """Let policies cover these actions from now on."""
        allows = bool(approvers.pop("allow_self_approve", False))
        users = {"users": [self.id_of(self.grace), self.id_of(self.heidi)], **approvers}
        for action in actions:
            self.ada.add_policy(action, approvers=users, allow_self_approve=allows)

    def id_of(self, member: World) -> int:
        return self._ids[member.headers["Authorization"]]

    async def request(self, flag: Any, **changes: Any) -> str:
        """The path of the request that a change of the flag leads to."""
        response = await self.ada.patch(f"{flag['id']}/", changes, 409)
        assert response["code"] == "approval_required"
        return f"{REQUESTS}{response['change_request_id']}/"

    async def approve(self, request: str) -> Any:
        """Let Grace approve it."""
        return await self.grace.post(f"{request}approve/")

    async def state(self, request: str) -> str:
        return str((await self.ada.get(request))["state"])

    async def is_on(self, flag: Any) -> bool:
        return bool((await self.ada.read(flag))["active"])

    def __post_init__(self) -> None:
        members = (self.ada, self.grace, self.heidi, self.ivan)
        self._ids = {member.headers["Authorization"]: number for number, member in enumerate(members, 1)}


@pytest.fixture
def office(world: World) -> Office:
    users = [world.add_user(f"{name}@acme.test") for name in ("grace", "heidi", "ivan")]
    return Office(world, *(world.with_key("*", user=user) for user in users))
