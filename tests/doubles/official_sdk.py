"""The product's own client, evaluating from definitions that are handed to it: no network, no threads."""

import logging
from typing import Any

from posthog import Posthog
from posthog.flag_definition_cache import FlagDefinitionCacheData

from flagtui.evaluate.run import Person

Document = dict[str, Any]


class Shelf:
    """Where the client finds its definitions instead of asking a server."""

    def __init__(self, document: FlagDefinitionCacheData) -> None:
        self.document = document

    def should_fetch_flag_definitions(self) -> bool:
        return False

    def get_flag_definitions(self) -> FlagDefinitionCacheData:
        return self.document

    def on_flag_definitions_received(self, data: FlagDefinitionCacheData) -> None:
        raise AssertionError("nothing is fetched")

    def shutdown(self) -> None:
        """Nothing to let go of."""


def quiet_client(host: str = "http://127.0.0.1:9", **options: Any) -> Any:
    """Sends no events and starts no threads. Any, because the client's own types are partial."""
    client = Posthog(
        options.pop("token", "phc_test"),
        secret_key=options.pop("key", "phx_test"),
        host=host,
        enable_local_evaluation=False,
        sync_mode=True,
        send=False,
        **options,
    )
    logging.getLogger("posthog").setLevel(logging.CRITICAL)
    return client


class OfficialSdk:
    def __init__(self, document: Document) -> None:
        definitions: Any = {"flags": [], "group_type_mapping": {}, "cohorts": {}, **document}
        self._client = quiet_client(flag_definition_cache_provider=Shelf(definitions))
        self._client.load_feature_flags()

    def values(self, person: Person) -> dict[str, bool | str]:
        """By flag key; what the client cannot decide without a server is absent."""
        return self._ask(person).get("featureFlags") or {}

    def payloads(self, person: Person) -> dict[str, Any]:
        return self._ask(person).get("featureFlagPayloads") or {}

    def _ask(self, person: Person) -> dict[str, Any]:
        answer: dict[str, Any] = self._client.get_all_flags_and_payloads(
            person.distinct_id,
            groups={name: group.key for name, group in person.groups.items()},
            person_properties=dict(person.properties),
            group_properties={name: dict(group.properties) for name, group in person.groups.items()},
            only_evaluate_locally=True,
            device_id=person.device_id,
        )
        return answer
