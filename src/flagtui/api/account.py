"""What the holder of the key may do, and the projects it opens."""

from collections.abc import Mapping
from dataclasses import dataclass

from flagtui.api.errors import ApiError, Forbidden, NotFound, ProjectNotFound
from flagtui.api.resource import Resource
from flagtui.models.account import KeyInfo, Me, Project
from flagtui.models.json_value import JSON, as_id, as_list


@dataclass(frozen=True, eq=False)
class People(Resource):
    """The holder of the key and the key itself."""

    async def me(self) -> Me:
        """The holder, with organisation and current project. Needs `user:read`."""
        return Me.of((await self._ask("people.me")).record("id"))

    async def key(self) -> KeyInfo:
        """Scopes and confinement of the key. Older servers answer 403 or 404."""
        return KeyInfo.of((await self._ask("people.key")).record("scopes"))


@dataclass(frozen=True, eq=False)
class Projects(Resource):
    """Finding out where one is."""

    async def list(self) -> tuple[Project, ...]:
        """All projects the key can use, by whichever way this key and server allow.

        A key confined to some projects may not list them, and one without `project:read` may not name
        them; then the numbers alone are given. Raises the refusal when no way is open.
        """
        confined = await self._confined()
        if confined:
            return tuple([await self._named(id) for id in confined])
        try:
            return _projects([item async for item in self._objects("projects.list")])
        except Forbidden as refused:
            found = await self._own()
            if not found:
                raise refused from None
            return found

    async def get(self, id: int | str) -> Project:
        """One project; `@current` is whichever its owner last chose in the browser."""
        return Project.of((await Projects(self.connection, id)._ask("projects.get")).record("id"))

    async def current(self) -> int:
        """The number of the project meant, so that a click in a browser cannot move us to another."""
        known = as_id(self.project)
        if known is not None:
            return known
        me = await People(self.connection, self.project).me()
        if me.current_project is None:
            raise ProjectNotFound("The key's owner has no current project.")
        return me.current_project

    async def _confined(self) -> tuple[int, ...]:
        try:
            return (await People(self.connection, self.project).key()).scoped_teams
        except (Forbidden, NotFound):
            return ()

    async def _named(self, id: int) -> Project:
        try:
            return await self.get(id)
        except (Forbidden, NotFound):
            return Project(id=id)

    async def _own(self) -> tuple[Project, ...]:
        try:
            me = await People(self.connection, self.project).me()
        except ApiError:
            return ()
        teams = _projects(list(me.organization.teams)) if me.organization else ()
        return teams or _projects([me.team] if me.team else [])


def _projects(items: JSON) -> tuple[Project, ...]:
    found = (Project.of(item) for item in as_list(items) if isinstance(item, Mapping))
    return tuple(project for project in found if project.id > 0)
