"""What can be done to a flag beside editing it, on servers that have a word for it and on others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flagtui.api.bulk_fallback import one_by_one, retagged
from flagtui.api.capabilities import NOT_HERE
from flagtui.api.request import Answer
from flagtui.api.resource import Resource
from flagtui.models.cohort import Cohort
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BulkDelete, BulkTags, Copied
from flagtui.models.json_value import JSON


@dataclass(frozen=True, eq=False)
class FlagActions(Resource):
    """Each is sent once. Where a server lacks the word, a PATCH says the same."""

    async def enable(self, id: int) -> Flag:
        """Turns it on."""
        return await self._act("flags.enable", id, {"active": True})

    async def disable(self, id: int) -> Flag:
        """Turns it off."""
        return await self._act("flags.disable", id, {"active": False})

    async def archive(self, id: int) -> Flag:
        """Puts it away; that turns it off as well."""
        return await self._file("flags.archive", id, {"archived": True, "active": False})

    async def unarchive(self, id: int) -> Flag:
        """Brings it back, turned off."""
        return await self._file("flags.unarchive", id, {"archived": False})

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

        async def retag(id: int) -> Flag:
            flag = self._flag(await self._ask("flags.get", {"id": id}), id)
            return await self._patch(id, {"tags": retagged(flag.tags, action, tags)})

        body = {"ids": list(ids), "action": action, "tags": list(tags)}
        try:
            answer = await self._ask("flags.bulk_update_tags", body=body)
            return BulkTags.of(answer.record("updated"))
        except NOT_HERE:
            changed, errors = await one_by_one(ids, retag)
            found = [{"id": flag.id, "tags": list(flag.tags)} for flag in changed]
            return BulkTags.of({"updated": found, "skipped": errors})

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

    async def _act(self, name: str, id: int, same: Mapping[str, JSON]) -> Flag:
        try:
            return self._flag(await self._ask(name, {"id": id}, body={}), id)
        except NOT_HERE:
            return await self._patch(id, same)

    async def _file(self, name: str, id: int, same: Mapping[str, JSON]) -> Flag:
        try:
            return self._flag(await self._ask(name, {"id": id}, body={}), id)
        except NOT_HERE as refused:
            # A server without archives would take the field, do nothing and call it a success.
            if "archived" not in (await self._ask("flags.get", {"id": id})).record():
                raise refused from None
            return await self._patch(id, same)

    async def _patch(self, id: int, changes: Mapping[str, JSON]) -> Flag:
        return self._flag(await self._ask("flags.update", {"id": id}, body=dict(changes)), id)

    @staticmethod
    def _flag(answer: Answer, id: int | None = None) -> Flag:
        flag = Flag.of(answer.record("id", "key"))
        if flag.id <= 0 or (id is not None and flag.id != id):
            raise answer.unreadable("it is not the flag that was asked for")
        return flag
