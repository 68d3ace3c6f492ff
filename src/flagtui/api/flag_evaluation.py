"""Flags as the server evaluates them."""

from collections.abc import Mapping, Sequence

from flagtui.api.errors import NotFound
from flagtui.api.operations import NOT_HERE
from flagtui.api.request import Query, Response
from flagtui.api.resource import Resource, read_off_loop
from flagtui.models.account import Project
from flagtui.models.flag_responses import EvaluatedFlag, LocalEvaluation, MyFlag, Trial
from flagtui.models.json_value import JSON, as_dict, as_text, read_json_text


class FlagEvaluation(Resource):
    """Evaluations for users and groups; no operation changes anything."""

    async def evaluation_reasons(
        self, distinct_id: str, *, groups: Mapping[str, str] | None = None, keys: Sequence[str] = ()
    ) -> dict[str, EvaluatedFlag]:
        """Return every flag's value for one user, with the reason. Older servers ignore `keys`."""
        query: Query = {
            "distinct_id": distinct_id,
            "groups": dict(groups) if groups else None,
            "flag_keys": list(keys) or None,
        }
        response = await self._ask("flags.evaluation_reasons", query=query)
        return await read_off_loop(response, _reasons)

    async def my_flags(self, *, groups: Mapping[str, str] | None = None) -> tuple[MyFlag, ...]:
        """Return every flag's value for the owner of the key."""
        query: Query = {"groups": dict(groups) if groups else None}
        items = (await self._ask("flags.my_flags", query=query)).items()
        return tuple(MyFlag.of(item) for item in items)

    async def test_evaluation(
        self, id: int, key: str, distinct_id: str, *, groups: Mapping[str, str] | None = None
    ) -> Trial:
        """Evaluate one flag for one user, condition by condition; older servers: value and reason only."""
        body: dict[str, JSON] = {"distinct_id": distinct_id} | ({"groups": dict(groups)} if groups else {})
        try:
            return Trial.of(
                (await self._ask("flags.test_evaluation", {"id": id}, body=body)).record("result")
            )
        except NOT_HERE:
            flags = await self.evaluation_reasons(distinct_id, groups=groups, keys=[key])
            flag = flags.get(key, EvaluatedFlag())
            why = flag.evaluation
            return Trial(
                flag_key=key,
                result=flag.value,
                reason=why.reason if why else "",
                condition_index=why.condition_index if why else None,
            )

    async def remote_config(self, id_or_key: int | str) -> JSON:
        """Return the payload of a remote configuration; None when it has none. May be a decrypted secret."""
        response = await self._ask("flags.remote_config", {"id": id_or_key})
        return read_json_text(response.json()) if response.body else None

    async def local_evaluation(self, *, etag: str = "") -> LocalEvaluation | None:
        """Return all definitions for local evaluation; None when unchanged since `etag`.

        Newer servers moved the endpoint to another service of the same host; both addresses are tried.
        """
        try:
            return await self._definitions("flags.local_evaluation", {"send_cohorts": ""}, etag)
        except (NotFound, *NOT_HERE):
            token = Project.of((await self._ask("projects.get")).record()).api_token
            return await self._definitions("flags.definitions", {"token": token, "send_cohorts": ""}, etag)

    async def _definitions(self, name: str, query: Query, etag: str) -> LocalEvaluation | None:
        response = await self._ask(name, query=query, etag=etag)
        return None if response.status == 304 else await read_off_loop(response, _document)


def _reasons(response: Response) -> dict[str, EvaluatedFlag]:
    record = response.record()
    flags = {key: item for key, item in record.items() if isinstance(item, dict)}
    if record and not flags:
        raise response.unreadable("it holds no reasons")
    return {key: EvaluatedFlag.of(item) for key, item in flags.items()}


def _document(response: Response) -> LocalEvaluation:
    definitions = as_dict(response.record("flags"))
    return LocalEvaluation.of(definitions | {"etag": as_text(response.headers.get("etag"))})
