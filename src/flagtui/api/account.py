"""The key, its owner, and the projects that the key can open."""

from collections.abc import Mapping

from flagtui.api.errors import ApiError, EndpointNotFound, Forbidden, NotFound, ProjectNotFound
from flagtui.api.resource import Resource
from flagtui.models.account import KeyInfo, Me, Project
from flagtui.models.json_value import JSON, as_id, as_list


class People(Resource):
    """The key and its owner."""

    async def me(self) -> Me:
        """Return the owner of the key with organisation and current project. Needs `user:read`."""
        try:
            return Me.of((await self._ask("people.me")).record("id"))
        except (NotFound, EndpointNotFound) as missing:
            # Servers of every version have it.
            missing.next = f"{missing.facts.host_notice} Check the host: it does not offer this API.".lstrip()
            raise

    async def key(self) -> KeyInfo:
        """Return the scopes and the project limits of the key. Older servers respond with 403 or 404."""
        return KeyInfo.of((await self._ask("people.key")).record("scopes"))


class Projects(Resource):
    """The projects of the host."""

    async def list(self) -> tuple[Project, ...]:
        """List all projects that the key can use, through whichever endpoint the key and the server allow.

        A key limited to some projects may not list them, and a key without `project:read` may not read their
        names; then only the ids are known. Raises the server's refusal when every endpoint refuses.
        """
        confined = await self._read_scoped_projects()
        if confined:
            return tuple([await self._read_project(id) for id in confined])
        try:
            return _projects([item async for item in self._objects("projects.list")])
        except Forbidden as refused:
            projects = await self._own()
            if not projects:
                raise refused from None
            return projects

    async def get(self, id: int | str) -> Project:
        """Return one project; `@current` is the project that the owner last chose in the browser."""
        return Project.of((await Projects(self.connection, id)._ask("projects.get")).record("id"))

    async def current(self) -> int:
        """Return the id of the project, so that a click in a browser cannot switch this client to another."""
        id = as_id(self.project)
        if id is not None:
            return id
        try:
            me = await People(self.connection, self.project).me()
        except Forbidden as refused:
            # Only the project that the browser has open needs the owner.
            refused.next = "Name a project by its number (--project), or add user:read to the key."
            raise
        if me.current_project is None:
            raise ProjectNotFound("The key's owner has no current project.")
        return me.current_project

    async def _read_scoped_projects(self) -> tuple[int, ...]:
        try:
            return (await People(self.connection, self.project).key()).scoped_teams
        except (Forbidden, NotFound, EndpointNotFound):
            return ()

    async def _read_project(self, id: int) -> Project:
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
    projects = (Project.of(item) for item in as_list(items) if isinstance(item, Mapping))
    return tuple(project for project in projects if project.id > 0)
