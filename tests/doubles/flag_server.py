"""A flag server in memory with the product's rules for versions and `original_flag`, and faults on demand."""

import contextlib
import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, cast

from flagtui.api import errors
from flagtui.api.flags import Flags
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.models.flag import Flag
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
Rewrite = Callable[[dict[str, JSON]], dict[str, JSON]]


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
        if (
            sent.get("version") not in (None, -1, stored["version"])
            and isinstance(original, dict)
            and original
        ):
            fields = self._merge(stored, fields, original)
        changed = {name: value for name, value in fields.items() if stored.get(name) != value}
        stored.update(copy.deepcopy(fields))
        stored["version"] = (stored["version"] or 0) + 1
        stored["last_modified_by"] = {"id": hash(who) % 1000 + 1, "email": who}
        self.log.append((who, id, changed))
        return copy.deepcopy(stored)

    def apply_narrow(self, who: str, id: int, version: int, filters: Rewrite) -> dict[str, JSON]:
        """One thing of the targeting, for the version that was read."""
        if not self.has_narrow_writes:
            raise errors.EndpointNotFound("Endpoint not found.")
        stored = self.stored[id]
        if stored["version"] != version:
            raise errors.Conflict(f"The feature flag has changed since version {version}.")
        return self.apply(who, id, {"filters": filters(copy.deepcopy(stored["filters"]))})

    @staticmethod
    def _merge(
        stored: dict[str, JSON], fields: dict[str, JSON], original: dict[str, JSON]
    ) -> dict[str, JSON]:
        for name, value in fields.items():
            if name in original and value != original[name] != stored.get(name) != value:
                raise errors.Conflict(
                    f"The feature flag was updated by {stored['last_modified_by']['email']}."
                )
        return {
            name: value for name, value in fields.items() if name not in original or value != original[name]
        }


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

    async def get(self, id: int) -> Flag:
        self.reads += 1
        if self.unreadable > 0:
            self.unreadable -= 1
            raise errors.Unanswered("No answer.")
        if id not in self.server.stored:
            raise errors.NotFound("Not found.")
        return Flag.of(copy.deepcopy(self.server.stored[id]))

    @property
    def adapter(self) -> FlagAdapter:
        return FlagAdapter(cast(Flags, self))

    async def find(self, key: str) -> Flag | None:
        self.reads += 1
        if self.unreadable > 0:
            self.unreadable -= 1
            raise errors.Unanswered("No answer.")
        matches = [raw for raw in self.server.stored.values() if raw["key"] == key and not raw["deleted"]]
        return Flag.of(copy.deepcopy(matches[0])) if matches else None

    async def create(self, body: Mapping[str, JSON]) -> Flag:
        self.sends += 1
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, errors.ApiError):
            raise fault
        if fault == "never arrives":
            raise errors.Unanswered("No answer.")
        if any(raw["key"] == body["key"] and not raw["deleted"] for raw in self.server.stored.values()):
            raise errors.Invalid("There is already a feature flag with this key.")
        id = max(self.server.stored, default=0) + 1
        self.server.stored[id] = {**raw_flag(id=id, version=1, tags=[]), **copy.deepcopy(dict(body))}
        self.server.log.append((self.email, id, dict(body)))
        if fault == "lose the answer":
            raise errors.Unanswered("No answer.")
        return Flag.of(copy.deepcopy(self.server.stored[id]))

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag:
        self.sends += 1
        self.sent_filters += "filters" in changes
        self.before_update()
        sent = {**changes, "version": version, "original_flag": dict(original or {})}
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, errors.ApiError):
            raise fault
        return Flag.of(self._answer(id, partial(self.server.apply, self.email, id, sent), fault))

    async def set_rollout(self, id: int, condition: int, percent: float, *, version: int) -> Flag:
        def rewrite(filters: dict[str, JSON]) -> dict[str, JSON]:
            filters["groups"][condition]["rollout_percentage"] = percent
            return filters

        return self._narrow(id, version, rewrite)

    async def roll_out_to_everyone(self, id: int, *, variant: str | None = None, version: int) -> Flag:
        def rewrite(filters: dict[str, JSON]) -> dict[str, JSON]:
            filters["groups"].insert(0, {"properties": [], "rollout_percentage": 100})
            return filters

        return self._narrow(id, version, rewrite)

    def _narrow(self, id: int, version: int, rewrite: Rewrite) -> Flag:
        if not self.server.has_narrow_writes:
            raise errors.EndpointNotFound("Endpoint not found.")
        self.sends += 1
        self.before_update()
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, errors.ApiError):
            raise fault
        apply = partial(self.server.apply_narrow, self.email, id, version, rewrite)
        return Flag.of(self._answer(id, apply, fault))

    def deliver_late(self) -> None:
        """What was held up arrives now."""
        for apply in self.late:
            # Nobody is there any more to hear a refusal.
            with contextlib.suppress(errors.ApiError):
                apply()
        self.late.clear()

    def _answer(self, id: int, apply: Apply, fault: Fault | None) -> dict[str, JSON]:
        match fault:
            case "lose the answer":
                apply()
                raise errors.Unanswered("No answer.")
            case "never arrives":
                raise errors.Unanswered("No answer.")
            case "apply late":
                self.late.append(apply)
                raise errors.Unanswered("No answer.")
            case "apply twice":
                apply()
            case "5xx":
                raise errors.ServerFault("The server failed.")
            case "5xx applied":
                apply()
                raise errors.ServerFault("The server failed.")
            case "ignore it":
                return self.server.apply(self.email, id, {})
        return apply()
