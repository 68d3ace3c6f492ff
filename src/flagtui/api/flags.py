"""Feature flags: list, read, change, and the server's data around them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final

from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.api.operations import NOT_HERE, one_by_one
from flagtui.api.request import Query
from flagtui.api.resource import PagedRecords
from flagtui.api.single_flags import SingleFlags
from flagtui.api.whole_records import LoggedRecords, TaggedRecords
from flagtui.evaluate import wire
from flagtui.models.activity import ActivityPage
from flagtui.models.flag import Flag
from flagtui.models.flag_history import rebuilt_version
from flagtui.models.flag_responses import (
    BlastRadius,
    BulkDelete,
    Cohort,
    Copied,
    FlagKey,
    FlagStatus,
    FlagVersion,
    keys_by_id,
)
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id, as_list
from flagtui.models.rows import FlagRow

NOT_COMPARED: Final = frozenset(
    {
        *("tags", "evaluation_tags", "evaluation_contexts", "analytics_dashboards", "has_encrypted_payloads"),
        *("created_by", "last_modified_by", "version", "original_flag"),
    }
)
"""Fields the server cannot compare in `original_flag`: it would conflict every time, or fail."""


class Flags(PagedRecords[FlagRow], LoggedRecords[Flag], TaggedRecords[Flag]):
    """The flags of one project.

    `pages` excludes archived flags unless they are requested. Filters: such as active, archived,
    created_by_id, search, type, tags and order.
    """

    read_page = staticmethod(read_flag_page)
    family = "flags"
    kind = Flag

    async def find(self, key: str) -> Flag | None:
        """Return the whole flag with exactly this key, archived or not; None if there is none."""
        record = await SingleFlags(self.connection, self.project).find(key)
        return None if record is None else Flag.of(record)

    async def create(self, body: Mapping[str, JSON]) -> Flag:
        """Create a flag. Never sent twice: see `Unanswered`."""
        return self._read(await self._ask("flags.create", body=dict(body)))

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag:
        """Change only these fields, in one request.

        `original` holds their values when read; with it and `version` the server refuses to overwrite a
        change made to the same field meanwhile. `version` alone protects nothing.
        """
        body = dict(changes)
        if version is not None:
            body["version"] = version
        if compared := _comparable(original or {}):
            body["original_flag"] = compared
        return await self._whole("update", id, body)

    async def set_rollout(self, id: int, condition: int, percent: float, *, version: int) -> Flag:
        """Set the percentage of one condition, by index; refused when the flag changed since this version.

        Only the newest servers have this endpoint, and there is no fallback: see `NOT_HERE`.
        """
        body = {"condition_index": condition, "rollout_percentage": percent, "version": version}
        return await self._whole("set_rollout", id, body)

    async def roll_out_to_everyone(self, id: int, *, variant: str | None = None, version: int) -> Flag:
        """Add a condition for everyone first, and give `variant` 100 %; otherwise like `set_rollout`."""
        body = {"version": version} | ({"variant_key": variant} if variant is not None else {})
        return await self._whole("roll_out_to_everyone", id, body)

    async def activity(
        self, id: int | None = None, *, limit: int = 10, page: int = 1, urgency: Urgency = Urgency.PERSON
    ) -> ActivityPage:
        """Return the changes as elsewhere; those of tags get the key of their flag, which servers omit."""
        changes = await super().activity(id, limit=limit, page=page, urgency=urgency)
        ids = dict.fromkeys(entry.item_id for entry in changes.entries if entry.lacks_key)
        if new := [int(id) for id in ids if id not in self._keys]:
            with suppress(ApiError):
                response = await self._ask("flags.bulk_keys", body={"ids": new}, urgency=urgency)
                keys = keys_by_id(response.record("keys"))
                self._keys.update((str(id), keys.get(id, "")) for id in new)
        keyed = {id: key for id in ids if (key := self._keys.get(id))}
        return changes.with_names(keyed) if keyed else changes

    @cached_property
    def _keys(self) -> dict[str, str]:
        """The keys of flags with changes of tags, by id; empty for deleted ones."""
        return {}

    async def status(self, id: int) -> FlagStatus:
        """Return whether the flag is used, with the server's reason."""
        return FlagStatus.of((await self._ask("flags.status", {"id": id})).record("status"))

    async def dependents(self, id: int) -> tuple[FlagKey, ...]:
        """Return the active flags that depend on this one; servers without the endpoint: search the whole
        list.
        """
        try:
            dependents = (await self._ask("flags.dependents", {"id": id})).items()
        except NOT_HERE:
            return tuple(
                [
                    FlagKey(id=row.id, key=row.key, name=row.name or row.key)
                    async for page in self.pages({"active": True}, urgency=Urgency.PERSON)
                    for row in page.rows
                    if id in row.depends_on and row.active
                ]
            )
        return tuple(FlagKey.of(item) for item in dependents)

    async def bulk_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the keys of these flags by id; unknown ids are missing."""
        return keys_by_id((await self._ask("flags.bulk_keys", body={"ids": list(ids)})).record("keys"))

    async def matching_ids(self, filters: Query) -> tuple[int, ...]:
        """Return ids of the flags that the filters select and the user may edit."""
        try:
            ids = (await self._ask_word("flags.matching_ids", query=filters)).record("ids").get("ids")
            return tuple(id for item in as_list(ids) if (id := as_id(item)) is not None)
        except NOT_HERE:
            return tuple([row.id async for page in self.pages(filters) for row in page.rows if row.can_edit])

    async def version(self, id: int, number: int) -> FlagVersion:
        """Return the flag at one version; servers without versions: rebuilt from the activity."""
        try:
            response = await self._ask("flags.version", {"id": id, "number": number})
            return FlagVersion.of(response.record("version"))
        except NOT_HERE as refused:
            flag = await self.get(id)
            rebuilt = rebuilt_version(flag, [entry async for entry in self.entries(id, at_most=500)], number)
            if rebuilt is None:
                raise refused from None
            return rebuilt

    async def blast_radius(
        self,
        condition: Mapping[str, JSON],
        group_type_index: int | None = None,
        *,
        urgency: Urgency = Urgency.PERSON,
    ) -> BlastRadius:
        """Return how many users have the properties of one condition; its percentage is not applied."""
        body = {"condition": dict(condition), "group_type_index": group_type_index}
        response = await self._ask("flags.blast_radius", body=body, urgency=urgency)
        record = response.record()
        if record.keys().isdisjoint({"total", "total_users"}):
            # Read as a number, a missing one would mean that no one is affected.
            raise response.unreadable("total is missing from it")
        return BlastRadius.of_any(record)

    async def enable(self, id: int) -> Flag:
        """Turn the flag on."""
        return await self._act("enable", id, {"active": True})

    async def disable(self, id: int) -> Flag:
        """Turn the flag off."""
        return await self._act("disable", id, {"active": False})

    async def archive(self, id: int) -> Flag:
        """Archive the flag; this also turns it off."""
        return await self._file("archive", id, {"archived": True, "active": False})

    async def unarchive(self, id: int) -> Flag:
        """Unarchive the flag; it stays off."""
        return await self._file("unarchive", id, {"archived": False})

    async def delete(self, id: int) -> Flag:
        """Soft-delete the flag; the server refuses any other way."""
        return await self._whole("update", id, {"deleted": True})

    async def restore(self, id: int, *, key: str | None = None) -> Flag:
        """Restore a deleted flag. Old servers keep `:deleted:` in the key unless `key` is given."""
        return await self._whole("update", id, {"deleted": False} | ({"key": key} if key else {}))

    async def create_static_cohort(self, id: int) -> Cohort:
        """Create a cohort of all users who have the flag now; the server fills it later."""
        response = await self._ask("flags.create_static_cohort", {"id": id}, body={})
        return Cohort.in_response(response.record("cohort"))

    async def dashboard(self, id: int) -> bool:
        """Create the usage dashboard."""
        return (await self._ask("flags.dashboard", {"id": id}, body={})).record().get("success") is True

    async def enrich_usage_dashboard(self, id: int) -> bool:
        """Add enriched data to the usage dashboard."""
        response = await self._ask("flags.enrich_usage_dashboard", {"id": id}, body={})
        return response.record().get("success") is True

    async def bulk_delete(self, ids: Sequence[int]) -> BulkDelete:
        """Delete several flags; partial success is normal. One by one without the bulk endpoint."""
        try:
            return BulkDelete.of(
                (await self._ask("flags.bulk_delete", body={"ids": list(ids)})).record("deleted")
            )
        except NOT_HERE:
            deleted, errors = await one_by_one(ids, self.delete)
            records = [{"id": flag.id, "key": flag.key} for flag in deleted]
            return BulkDelete.of({"deleted": records, "errors": errors})

    async def copy(
        self,
        organization: str,
        key: str,
        targets: Sequence[int],
        *,
        disable: bool = True,
        schedule: bool = False,
    ) -> Copied:
        """Copy the flag to other projects, overwriting any flag of the same key there."""
        body = {
            "feature_flag_key": key,
            "from_project": self.project,
            "target_project_ids": list(targets),
            "copy_schedule": schedule,
            "disable_copied_flag": disable,
        }
        return Copied.of((await self._ask("flags.copy", {"organization": organization}, body=body)).record())

    async def _act(self, word: str, id: int, same: Mapping[str, JSON]) -> Flag:
        try:
            return await self._whole(word, id, {})
        except NOT_HERE:
            return await self._whole("update", id, dict(same))

    async def _file(self, word: str, id: int, same: Mapping[str, JSON]) -> Flag:
        try:
            return await self._whole(word, id, {})
        except NOT_HERE as refused:
            # A server without archives would accept the field, do nothing and report success.
            if "archived" not in (await self._ask("flags.get", {"id": id})).record():
                raise refused from None
            return await self._whole("update", id, dict(same))


def _comparable(original: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the original values in the form the server stores them, without fields it cannot compare."""
    kept = {name: value for name, value in original.items() if name not in NOT_COMPARED}
    if isinstance(kept.get("filters"), dict):
        kept["filters"] = wire.stored_filters(kept["filters"])
    return kept
