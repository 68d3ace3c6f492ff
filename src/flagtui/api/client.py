"""The client of one host, key and project; clients of the same host share its connection."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar, Unpack

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.connection import Connection, Deadlines
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ProjectNotFound
from flagtui.api.hosts import Host, KeyAuth, SecretKey, read_host
from flagtui.api.http_library import httpx
from flagtui.api.operations import Capabilities
from flagtui.api.request_log import Log
from flagtui.models.json_value import as_id

if TYPE_CHECKING:
    from flagtui.api.account import People, Projects
    from flagtui.api.event_definitions import EventDefinitions
    from flagtui.api.experiment_results import ExperimentResults
    from flagtui.api.experiments import Experiments
    from flagtui.api.flag_evaluation import FlagEvaluation
    from flagtui.api.flags import Flags
    from flagtui.api.property_names import Properties
    from flagtui.api.single_flags import SingleFlags
    from flagtui.api.whole_records import ChangeRequests, Cohorts, Holdouts, SavedMetrics, Schedule

Asked = TypeVar("Asked")


class ClientOptions(TypedDict, total=False):
    """Options of a client other than host, key and project."""

    transport: httpx.AsyncBaseTransport | None
    """Replaces the network: a service in this process, or a test."""
    clock: Clock
    allow_plain_http: bool
    """Send the key without encryption to a host that is not this machine."""
    deadlines: Deadlines
    log: Log | None
    """Receives one line for each request: see `request_log`."""
    read_only: bool
    """Refuse every write before it is sent."""
    ca_bundle: str
    """A file of certificates to trust instead of the system's; empty for none."""


class Lazy(Generic[Asked]):
    """A group of operations, built on first use: models of records take long to load."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __set_name__(self, owner: type, attribute: str) -> None:
        self._attribute = attribute

    def __get__(self, client: Client, owner: type) -> Asked:
        made: Asked = getattr(import_module(self._module), self._name)(client.connection, client.project)
        # Found there from now on.
        client.__dict__[self._attribute] = made
        return made


class Client(AbstractAsyncContextManager["Client"]):
    """The client of one host, key and project.

    Raises `BadHost` or `BadKey` on construction, `ApiError` from its operations.
    """

    flags: Lazy[Flags] = Lazy("flagtui.api.flags", "Flags")
    flag_objects: Lazy[SingleFlags] = Lazy("flagtui.api.single_flags", "SingleFlags")
    projects: Lazy[Projects] = Lazy("flagtui.api.account", "Projects")
    people: Lazy[People] = Lazy("flagtui.api.account", "People")
    evaluation: Lazy[FlagEvaluation] = Lazy("flagtui.api.flag_evaluation", "FlagEvaluation")
    results: Lazy[ExperimentResults] = Lazy("flagtui.api.experiment_results", "ExperimentResults")
    experiments: Lazy[Experiments] = Lazy("flagtui.api.experiments", "Experiments")
    event_definitions: Lazy[EventDefinitions] = Lazy("flagtui.api.event_definitions", "EventDefinitions")
    holdouts: Lazy[Holdouts] = Lazy("flagtui.api.whole_records", "Holdouts")
    saved_metrics: Lazy[SavedMetrics] = Lazy("flagtui.api.whole_records", "SavedMetrics")
    schedule: Lazy[Schedule] = Lazy("flagtui.api.whole_records", "Schedule")
    cohorts: Lazy[Cohorts] = Lazy("flagtui.api.whole_records", "Cohorts")
    change_requests: Lazy[ChangeRequests] = Lazy("flagtui.api.whole_records", "ChangeRequests")
    properties: Lazy[Properties] = Lazy("flagtui.api.property_names", "Properties")

    def __init__(
        self, host: str | Host, key: str | SecretKey, project: int | str, **options: Unpack[ClientOptions]
    ) -> None:
        allow_plain_http = options.get("allow_plain_http", False)
        place = host if isinstance(host, Host) else read_host(host, allow_plain_http=allow_plain_http)
        connection = Connection(
            host=place,
            auth=KeyAuth(place, key),
            clock=options.get("clock") or SystemClock(),
            transport=options.get("transport"),
            deadlines=options.get("deadlines") or Deadlines(),
            log=options.get("log"),
            is_read_only=options.get("read_only", False),
            ca_bundle=options.get("ca_bundle", ""),
        )
        self._settle(connection, project)

    def _settle(self, connection: Connection, project: int | str) -> None:
        number = as_id(project)
        if number is None and project != "@current":
            raise ProjectNotFound("A project is a number, or @current.")
        self.connection = connection
        self.project: int | str = number or "@current"
        """The id, or `@current` until `projects.current()` has resolved it."""

    def __repr__(self) -> str:
        return f"Client({self.host.origin}, project={self.project})"

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection, also for the clients made by `for_project`."""
        await self.connection.close()

    def for_project(self, project: int | str) -> Client:
        """Return a client for another project; connection, rate limit and link state are shared."""
        other = object.__new__(Client)
        other._settle(self.connection, project)
        return other

    def at(self, host: str) -> Client:
        """Return a client with the same key for another host, which the user has confirmed."""
        target, current = read_host(host), self.connection
        auth = current.auth.for_host(target)
        other = object.__new__(Client)
        other._settle(
            Connection(
                target,
                auth,
                current.clock,
                current.transport,
                current.deadlines,
                current.log,
                is_read_only=current.is_read_only,
            ),
            self.project,
        )
        return other

    def take_key_of(self, other: Client) -> None:
        """Continue with the key of another client of the same host. Raises `BadHost` for another host."""
        self.connection.auth = other.connection.auth.for_host(self.host)
        self.capabilities.forget()

    @property
    def host(self) -> Host:
        """Return the host of every request; as text it is the origin."""
        return self.connection.host

    @property
    def link(self) -> ConnectionState:
        """Return the state of the connection: reachable or not, since when, and the current wait."""
        return self.connection.link

    @property
    def capabilities(self) -> Capabilities:
        """Return the operations that this host does not offer."""
        return self.connection.capabilities
