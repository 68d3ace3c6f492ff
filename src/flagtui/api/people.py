"""Who holds the key, and what the key may do."""

from dataclasses import dataclass

from flagtui.api.resource import Resource
from flagtui.models.person import KeyInfo, Me


@dataclass(frozen=True, eq=False)
class People(Resource):
    """The holder of the key and the key itself."""

    async def me(self) -> Me:
        """The holder, with organisation and current project. Needs `user:read`."""
        return Me.of((await self._ask("people.me")).record("id"))

    async def key(self) -> KeyInfo:
        """Scopes and confinement of the key. Older servers answer 403 or 404."""
        return KeyInfo.of((await self._ask("people.key")).record("scopes"))
