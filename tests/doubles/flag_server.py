"""A flag server in memory with the product's rules for versions and `original_flag`, and faults on demand."""

import contextlib
import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, cast

from flagtui.api import errors
from flagtui.api.flags import Flags
from flagtui.api.operations import edit_tags
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BulkTags
from flagtui.models.json_value import JSON

Fault = Literal[
    "lose the answer", "never arrives", "apply late", "apply twice", "5xx", "5xx applied", "ignore it"
]
_NOT_CLEANED_BY_SERVER = ("version", "original_flag")


def raw_flag(**fields: Any) -> dict[str, JSON]:
    """A flag's JSON, plain but complete, with the fields a test is about."""
    raw: dict[str, JSON] = {
        "id": 812,
        "key": "checkout-v2",
        "name": "New checkout",
        "filters": {
            "groups": [{"properties": [], "rollout_percentage": 25, "variant": None}],
            "payloads": {},
            "multivariate": None,
        },
        "active": True,
        "archived": False,
        "deleted": False,
        "version": 12,
        "tags": ["checkout"],
        "evaluation_runtime": "all",
        "ensure_experience_continuity": False,
        "experiment_set": [],
        "experiment_set_metadata": [],
        "features": [],
        "can_edit": True,
        "status": "ACTIVE",
        "last_modified_by": {"id": 7, "first_name": "Ada", "email": "ada@acme.test"},
        "updated_at": "2026-06-02T10:11:12.131415Z",
        "is_used_in_replay_settings": False,
        "has_encrypted_payloads": False,
    }
    return {**raw, **fields}


Apply = Callable[[], dict[str, JSON]]
Rewrite = Callable[[dict[str, JSON]], None]


class FlagServer:
    """Stored flags. `person(...)` is the client one person holds."""

    def __init__(self, *flags: dict[str, JSON]) -> None:
        self.stored = {raw["id"]: copy.deepcopy(raw) for raw in flags}
        self.log: list[tuple[str, int, dict[str, JSON]]] = []
        """Who wrote what, in the order it was applied."""
        self.has_narrow_writes = False

    def person(self, email: str) -> "FlagClient":
        return FlagClient(self, email)

    def apply(self, who: str, id: int, sent: dict[str, JSON]) -> dict[str, JSON]:
        """One PATCH, checked and stored as the product does."""
        stored = self.stored.get(id)
        if stored is None:
            raise errors.NotFound("Not found.")
        fields = {name: value for name, value in sent.items() if name not in _NOT_CLEANED_BY_SERVER}
        original = sent.get("original_flag")
        is_newer = sent.get("version") not in (None, -1, stored["version"])
        if is_newer and isinstance(original, dict) and original:
            fields = self._merge(stored, fields, original)
        changed = {name: value for name, value in fields.items() if stored.get(name) != value}
        stored.update(copy.deepcopy(fields))
        stored["version"] = (stored["version"] or 0) + 1
        stored["last_modified_by"] = {"id": hash(who) % 1000 + 1, "email": who}
        self.log.append((who, id, changed))
        return copy.deepcopy(stored)

    def apply_narrow(self, who: str, id: int, version: int, rewrite: Rewrite) -> dict[str, JSON]:
        """One thing of the targeting, for the version that was read."""
        if not self.has_narrow_writes:
            raise errors.EndpointNotFound("Endpoint not found.")
        stored = self.stored[id]
        if stored["version"] != version:
            raise errors.Conflict(f"The feature flag has changed since version {version}.")
        filters = copy.deepcopy(stored["filters"])
        rewrite(filters)
        return self.apply(who, id, {"filters": filters})

    def create(self, who: str, body: dict[str, JSON]) -> dict[str, JSON]:
        if self.id_of(body["key"]) is not None:
            raise errors.Invalid("There is already a feature flag with this key.")
        id = max(self.stored, default=0) + 1
        self.stored[id] = {**raw_flag(id=id, version=1, tags=[]), **copy.deepcopy(body)}
        self.log.append((who, id, body))
        return copy.deepcopy(self.stored[id])

    def id_of(self, key: str) -> int | None:
        """Return the number of the flag that has this key and is not deleted."""
        named = (id for id, raw in self.stored.items() if raw["key"] == key and not raw["deleted"])
        return next(named, None)

    @staticmethod
    def _merge(
        stored: dict[str, JSON], fields: dict[str, JSON], original: dict[str, JSON]
    ) -> dict[str, JSON]:
        own = {
            name: value for name, value in fields.items() if name not in original or value != original[name]
        }
        for name in own.keys() & original.keys():
            if original[name] != stored.get(name) != own[name]:
                who = stored["last_modified_by"]["email"]
                raise errors.Conflict(f"The feature flag was updated by {who}.")
        return own


class FlagClient:
    """What one person's program holds; faults are used up one by one, in order."""

    def __init__(self, server: FlagServer, email: str) -> None:
        self.server = server
        self.email = email
        self.faults: list[Fault | errors.ApiError] = []
        self.unreadable = 0
        """How many of the next reads get no answer."""
        self.before_update: Callable[[], None] = lambda: None
        self.late: list[Apply] = []
        self.sends = 0
        self.sent_filters = 0
        """How many of the requests carried the whole targeting."""
        self.reads = 0

    @property
    def adapter(self) -> FlagAdapter:
        return FlagAdapter(cast(Flags, self))

    async def get(self, id: int) -> Flag:
        if flag := self._read(id):
            return flag
        raise errors.NotFound("Not found.")

    async def find(self, key: str) -> Flag | None:
        return self._read(self.server.id_of(key))

    def _read(self, id: int | None) -> Flag | None:
        self.reads += 1
        if self.unreadable > 0:
            self.unreadable -= 1
            raise errors.Unanswered("No answer.")
        return Flag.of(copy.deepcopy(self.server.stored[id])) if id in self.server.stored else None

    async def create(self, body: Mapping[str, JSON]) -> Flag:
        return self._send(partial(self.server.create, self.email, dict(body)))

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag:
        self.sent_filters += "filters" in changes
        sent = {**changes, "version": version, "original_flag": dict(original or {})}
        return self._send(partial(self.server.apply, self.email, id, sent), id)

    async def set_rollout(self, id: int, condition: int, percent: float, *, version: int) -> Flag:
        def rewrite(filters: dict[str, JSON]) -> None:
            filters["groups"][condition]["rollout_percentage"] = percent

        return self._narrow(id, version, rewrite)

    async def roll_out_to_everyone(self, id: int, *, variant: str | None = None, version: int) -> Flag:
        def rewrite(filters: dict[str, JSON]) -> None:
            filters["groups"].insert(0, {"properties": [], "rollout_percentage": 100})

        return self._narrow(id, version, rewrite)

    async def edit_tags(self, ids: Sequence[int], action: str, tags: Sequence[str]) -> BulkTags:
        (id,) = ids
        if not self.server.has_narrow_writes:
            raise errors.EndpointNotFound("Endpoint not found.")

        def apply() -> dict[str, JSON]:
            stored = self.server.stored[id]
            stored["tags"] = edit_tags(stored["tags"], action, tags)
            return copy.deepcopy(stored)

        return BulkTags.of({"updated": [{"id": id, "tags": [*self._send(apply, id).tags]}]})

    def _narrow(self, id: int, version: int, rewrite: Rewrite) -> Flag:
        if not self.server.has_narrow_writes:
            raise errors.EndpointNotFound("Endpoint not found.")
        return self._send(partial(self.server.apply_narrow, self.email, id, version, rewrite), id)

    def deliver_late(self) -> None:
        """What was held up arrives now."""
        for apply in self.late:
            # Nobody is there any more to hear a refusal.
            with contextlib.suppress(errors.ApiError):
                apply()
        self.late.clear()

    def _send(self, apply: Apply, id: int = 0) -> Flag:
        self.sends += 1
        self.before_update()
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, errors.ApiError):
            raise fault
        if fault in ("lose the answer", "apply twice", "5xx applied"):
            apply()
        if fault == "apply late":
            self.late.append(apply)
        if fault in ("lose the answer", "never arrives", "apply late"):
            raise errors.Unanswered("No answer.")
        if fault in ("5xx", "5xx applied"):
            raise errors.ServerFault("The server failed.")
        return Flag.of(self.server.apply(self.email, id, {}) if fault == "ignore it" else apply())
