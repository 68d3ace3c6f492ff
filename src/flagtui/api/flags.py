"""Feature flags: list, read, change, and what the server knows around them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from flagtui.api.bodies import comparable
from flagtui.api.capabilities import NOT_HERE, one_by_one
from flagtui.api.clock import Urgency
from flagtui.api.request import Query
from flagtui.api.resource import PagedRecords
from flagtui.api.single_flags import SingleFlags
from flagtui.api.whole_records import WholeRecords, read_record
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import (
    BlastRadius,
    BulkDelete,
    BulkTags,
    Cohort,
    Copied,
    FlagKey,
    FlagStatus,
    FlagVersion,
    keys_by_id,
)
from flagtui.models.flag_history import rebuilt_version
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id, as_list
from flagtui.models.rows import FlagRow


@dataclass(frozen=True, eq=False)
class Flags(PagedRecords[FlagRow], WholeRecords[Flag]):
    """The flags of one project.

    `pages` leaves out archived flags unless they are asked for. Filters: such as active, archived,
    created_by_id, search, type, tags and order.
    """

    read_page = staticmethod(read_flag_page)
    family = "flags"
    kind = Flag

    async def find(self, key: str) -> Flag | None:
        """The whole flag with exactly this key, archived or not; one request for one in the list."""
        found = await SingleFlags(self.connection, self.project).find(key)
        return None if found is None else Flag.of(found)

    async def create(self, body: Mapping[str, JSON]) -> Flag:
        """A new flag. Never sent twice: see `Unanswered`."""
        return read_record(await self._ask("flags.create", body=dict(body)), Flag)

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag:
        """Changes just these fields, once.

        `original` holds the values they had when read; with it and `version` the server refuses to
        overwrite a change made to the same field meanwhile. `version` alone protects nothing.
        """
        body = dict(changes)
        if version is not None:
            body["version"] = version
        if original:
            body["original_flag"] = comparable(original)
        return await self._patch(id, body)

    async def set_rollout(self, id: int, condition: int, percent: float, *, version: int) -> Flag:
        """Another share for one condition, by its place; refused when the flag changed since this version.

        Only the newest servers have it, and nothing takes its place here: see `NOT_HERE`.
        """
        body = {"condition_index": condition, "rollout_percentage": percent, "version": version}
        return await self._whole("set_rollout", id, body)

    async def roll_out_to_everyone(self, id: int, *, variant: str | None = None, version: int) -> Flag:
        """A condition for everyone comes first, and the variant gets all; otherwise like `set_rollout`."""
        body = {"version": version} | ({"variant_key": variant} if variant is not None else {})
        return await self._whole("roll_out_to_everyone", id, body)

    async def activity(
        self, id: int | None = None, *, limit: int = 10, page: int = 1, urgency: Urgency = Urgency.PERSON
    ) -> ActivityPage:
        """Who changed this flag, or any flag, newest first. Pages count from 1, while there `has_more`."""
        query = {"limit": limit, "page": page}
        name, ids = ("flags.activity", None) if id is None else ("flags.activity_of", {"id": id})
        answer = await self._ask(name, ids, query=query, urgency=urgency)
        return ActivityPage.of(answer.record("results"))

    async def entries(self, id: int | None = None, *, at_most: int = 1_000) -> AsyncIterator[Activity]:
        """The same entry after entry, each once, asking for more as it goes, never past the end."""
        seen: set[str] = set()
        page = 1
        while len(seen) < at_most:
            urgency = Urgency.PERSON if page == 1 else Urgency.LOADING
            found = await self.activity(id, limit=100, page=page, urgency=urgency)
            fresh = [entry for entry in found.entries if entry.identity not in seen]
            for entry in fresh[: at_most - len(seen)]:
                seen.add(entry.identity)
                yield entry
            if not fresh or not found.has_more:
                return
            page += 1

    async def status(self, id: int) -> FlagStatus:
        """Whether the flag is used, and why the server thinks so."""
        return FlagStatus.of((await self._ask("flags.status", {"id": id})).record("status"))

    async def dependents(self, id: int) -> tuple[FlagKey, ...]:
        """The active flags that ask for this one. On servers that cannot say, the whole list is searched."""
        try:
            found = (await self._ask("flags.dependents", {"id": id})).items()
        except NOT_HERE:
            return tuple(
                [
                    FlagKey(id=row.id, key=row.key, name=row.name or row.key)
                    async for page in self.pages({"active": True}, urgency=Urgency.PERSON)
                    for row in page.rows
                    if id in row.depends_on and row.active
                ]
            )
        return tuple(FlagKey.of(item) for item in found)

    async def bulk_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """The keys of these flags by id; unknown ids are left out."""
        return keys_by_id((await self._ask("flags.bulk_keys", body={"ids": list(ids)})).record("keys"))

    async def matching_ids(self, filters: Query) -> tuple[int, ...]:
        """Ids of the flags the person may edit among those the filters find."""
        try:
            found = (await self._ask_word("flags.matching_ids", query=filters)).record("ids").get("ids")
            return tuple(id for item in as_list(found) if (id := as_id(item)) is not None)
        except NOT_HERE:
            return tuple([row.id async for page in self.pages(filters) for row in page.rows if row.can_edit])

    async def version(self, id: int, number: int) -> FlagVersion:
        """The flag as it was at one version; put together from the activity on servers without a history."""
        try:
            answer = await self._ask("flags.version", {"id": id, "number": number})
            return FlagVersion.of(answer.record("version"))
        except NOT_HERE as refused:
            flag = await self.get(id)
            found = rebuilt_version(flag, [entry async for entry in self.entries(id, at_most=500)], number)
            if found is None:
                raise refused from None
            return found

    async def blast_radius(
        self,
        condition: Mapping[str, JSON],
        group_type_index: int | None = None,
        *,
        urgency: Urgency = Urgency.PERSON,
    ) -> BlastRadius:
        """How many have the properties of one condition; its percentage is not applied."""
        body = {"condition": dict(condition), "group_type_index": group_type_index}
        answer = await self._ask("flags.blast_radius", body=body, urgency=urgency)
        found = answer.record()
        if found.keys().isdisjoint({"total", "total_users"}):
            # Read as a number, a missing one would say that nobody is affected.
            raise answer.unreadable("total is missing from it")
        return BlastRadius.of_any(found)

    async def enable(self, id: int) -> Flag:
        """Turns it on."""
        return await self._act("enable", id, {"active": True})

    async def disable(self, id: int) -> Flag:
        """Turns it off."""
        return await self._act("disable", id, {"active": False})

    async def archive(self, id: int) -> Flag:
        """Puts it away; that turns it off as well."""
        return await self._file("archive", id, {"archived": True, "active": False})

    async def unarchive(self, id: int) -> Flag:
        """Brings it back, turned off."""
        return await self._file("unarchive", id, {"archived": False})

    async def delete(self, id: int) -> Flag:
        """Deletes it so that it can be restored; the server refuses any other way."""
        return await self._patch(id, {"deleted": True})

    async def restore(self, id: int, *, key: str | None = None) -> Flag:
        """Brings a deleted flag back. Old servers keep `:deleted:` in the key unless `key` is given."""
        return await self._patch(id, {"deleted": False} | ({"key": key} if key else {}))

    async def create_static_cohort(self, id: int) -> Cohort:
        """A cohort of everyone who has the flag now; the server fills it later."""
        answer = await self._ask("flags.create_static_cohort", {"id": id}, body={})
        return Cohort.in_answer(answer.record("cohort"))

    async def dashboard(self, id: int) -> bool:
        """Makes the usage dashboard."""
        return (await self._ask("flags.dashboard", {"id": id}, body={})).record().get("success") is True

    async def enrich_usage_dashboard(self, id: int) -> bool:
        """Adds enriched data to the usage dashboard."""
        answer = await self._ask("flags.enrich_usage_dashboard", {"id": id}, body={})
        return answer.record().get("success") is True

    async def bulk_delete(self, ids: Sequence[int]) -> BulkDelete:
        """Deletes several; partial success is normal. One by one on servers that cannot do it together."""
        try:
            return BulkDelete.of(
                (await self._ask("flags.bulk_delete", body={"ids": list(ids)})).record("deleted")
            )
        except NOT_HERE:
            deleted, errors = await one_by_one(ids, self.delete)
            found = [{"id": flag.id, "key": flag.key} for flag in deleted]
            return BulkDelete.of({"deleted": found, "errors": errors})

    async def bulk_update_tags(self, ids: Sequence[int], action: str, tags: Sequence[str]) -> BulkTags:
        """`action` is add, remove or set. One by one on servers that cannot do it together."""
        return await self._retag_together(ids, action, tags)

    async def copy(
        self,
        organization: str,
        key: str,
        targets: Sequence[int],
        *,
        disable: bool = True,
        schedule: bool = False,
    ) -> Copied:
        """Copies the flag to other projects, over any flag of the same key there."""
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
            return await self._patch(id, same)

    async def _file(self, word: str, id: int, same: Mapping[str, JSON]) -> Flag:
        try:
            return await self._whole(word, id, {})
        except NOT_HERE as refused:
            # A server without archives would take the field, do nothing and call it a success.
            if "archived" not in (await self._ask("flags.get", {"id": id})).record():
                raise refused from None
            return await self._patch(id, same)
