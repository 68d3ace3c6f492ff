"""One table of operations, from which requests are routed and checked and the schema document is made.

To add operations: write handlers `def list_things(call: Call) -> Response` in the module of their subject and
put them into that module's `OPERATIONS` tuple:

    Operation("GET", f"{P}/things", list_things, "List things", "thing:read", page_of(THING))
    Operation("POST", f"{P}/things", create_thing, "Create a thing", "thing:write", THING, BODY, (201,))

then name the tuple in `application.OPERATIONS`. Paths (P is PROJECT below) have no last slash; both forms
are served.

- A handler is an ordinary function. `call.db` is an open connection: reading operations see one moment of
  the database; with a scope to write it is the one writing transaction, committed when the handler returns
  and rolled back when it raises, so a row and its activity (`activity.record`) are stored together or not.
  Nothing else writes.
- By then the key, the project, membership and `scope` have been checked. The body has not been
  decoded: `call.body()` does, so that an unknown record is a 404 before a broken body is a 400.
- Raise the faults of `errors`; respond with `respond(value)`, or `respond_text(text)` when the JSON
  is stored as text already. A `field_kinds.Table` reads the fields of a record, `pagination.page` pages.
- `generations` holds what older servers lack or name differently.
- `slow=True` runs a reading handler in the thread of long reads, for what takes more than a few milliseconds.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from flagtui.service.call import Call
from flagtui.service.errors import Json, not_found
from flagtui.service.responses import Response

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
PROJECT = "/api/projects/{project_id}"
REST = ":path}"
"""Ends a last part that takes everything after it, slashes too."""
Handler = Callable[[Call], Response]


class Operation(msgspec.Struct, frozen=True):
    """A method of a path. `{name}` in the path becomes `call.params["name"]`."""

    method: Method
    path: str
    handle: Handler
    summary: str
    scope: str | None = None
    """`object:read` or `object:write`; None lets any valid key in."""
    response: Json = None
    """For the schema document: JSON Schema of a successful response; None is anything."""
    body: Json = None
    """For the schema document: JSON Schema of the body."""
    statuses: tuple[int, ...] = (200,)
    """For the schema document: the statuses of a success."""
    bare: tuple[int, ...] = ()
    """For the schema document: statuses whose body may be missing."""
    media: str = "application/json"
    """For the schema document: the media type of a success."""
    parameters: tuple[str, ...] = ()
    """For the schema document: names of query parameters."""
    slow: bool = False
    closed: bool = False
    """The product never opens it to keys, nor does a strict service."""
    unconfined: bool = False
    """Outside projects, and still open to keys confined to some."""
    project_secret: bool = False
    """Open to the secret key of a project too."""
    public: bool = False
    """No key is required: the handler checks the caller."""
    any_media: bool = False
    """Bodies of every media type are read: libraries send JSON as text or compressed."""

    @property
    def writes(self) -> bool:
        return self.scope is not None and self.scope.endswith(":write")

    @property
    def has_body(self) -> bool:
        """Return whether a body is read; bodies of other methods mean nothing."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def name(self) -> str:
        """Method and path below the project, as the table of generations has it."""
        return f"{self.method} {self.path.removeprefix(PROJECT)}"


def allowed_methods(methods: Iterable[str]) -> tuple[str, ...]:
    """Return the methods of a path in the order of the product: what GET reads, HEAD does too."""
    offered = {*methods, "OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return tuple(method for method in _METHODS if method in offered)


class Routed(Protocol):
    """An entry of the routing table: a method of a path."""

    @property
    def method(self) -> Method: ...

    @property
    def path(self) -> str: ...


RouteT = TypeVar("RouteT", bound=Routed)


class Branch(msgspec.Struct, Generic[RouteT]):
    """A step of the tree of paths."""

    fixed: "dict[str, Branch[RouteT]]" = {}
    any: "Branch[RouteT] | None" = None
    rest: "Branch[RouteT] | None" = None
    """For all parts that are left, as one value."""
    methods: dict[str, RouteT] = {}
    names: tuple[str, ...] = ()


class Routes(Generic[RouteT]):
    """Finds the operations of a path; fixed words win over named parts."""

    def __init__(self, operations: Iterable[RouteT]) -> None:
        self._root: Branch[RouteT] = Branch()
        self.operations = tuple(operations)
        for operation in self.operations:
            self._add(operation)

    def _add(self, operation: RouteT) -> None:
        branch = self._root
        names: list[str] = []
        for part in operation.path.strip("/").split("/"):
            if part.endswith(REST):
                names.append(part[1 : -len(REST)])
                branch.rest = branch.rest or Branch()
                branch = branch.rest
            elif part.startswith("{"):
                names.append(part[1:-1])
                branch.any = branch.any or Branch()
                branch = branch.any
            else:
                branch = branch.fixed.setdefault(part, Branch())
        if operation.method in branch.methods:
            raise ValueError(f"{operation.method} {operation.path} is in the table twice")
        if branch.names and branch.names != tuple(names):
            raise ValueError(f"{operation.path} names its parts differently from its neighbours")
        branch.names = tuple(names)
        branch.methods[operation.method] = operation

    def find(self, path: str) -> tuple[Mapping[str, RouteT], dict[str, str]]:
        """Return operations by method and the named parts; 404 for an unknown path."""
        parts = path.removesuffix("/").split("/")[1:]
        route = _walk(self._root, parts, [])
        if route is None:
            raise not_found("Endpoint not found.")
        branch, values = route
        return branch.methods, dict(zip(branch.names, values, strict=True))


def _walk(
    branch: Branch[RouteT], parts: list[str], values: list[str]
) -> tuple[Branch[RouteT], list[str]] | None:
    if not parts:
        return (branch, values) if branch.methods else None
    first, rest = parts[0], parts[1:]
    if (fixed := branch.fixed.get(first)) is not None:
        route = _walk(fixed, rest, values)
        if route is not None:
            return route
    if branch.any is not None and first:
        route = _walk(branch.any, rest, [*values, first])
        if route is not None:
            return route
    return None if branch.rest is None else _walk(branch.rest, [], [*values, "/".join(parts)])
