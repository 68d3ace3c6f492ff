"""A wire that serves heavy records beside the sample, and lets another user change them."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

import httpx
from tests.doubles.heavy_records import CREATED, MADE_BY
from tests.doubles.wire import Wire

JSON = Any
OTHER: Final[dict[str, JSON]] = {"id": 8, "first_name": "Grace", "email": "grace@acme.test"}
NO_FIELDS: Final = ("version", "original_flag")
"""What a request for a change has beside fields of the record."""


class HeavyServer:
    """Answers for these records of a family in place of the service, which has everything else.

    Flags that are `logged` have a log of changes of everything in them.
    """

    def __init__(
        self,
        wire: Wire,
        family: str,
        records: list[dict[str, JSON]],
        logged: Collection[dict[str, JSON]] = (),
    ) -> None:
        self._family = family
        self.records = {str(record["id"]): record for record in records}
        self._bodies = {id: json.dumps(record).encode() for id, record in self.records.items()}
        self._logs = {f"{flag['id']}/activity": _log(flag) for flag in logged}
        if logged:
            # The newest of the project, which has no other.
            self._logs["activity"] = _log(list(logged)[-1])
        self._times = 1
        self._earlier = wire.before
        wire.before = self._answer

    def change_as_other(self, id: int | str) -> None:
        """Let another user change every condition, metric or tag of a record."""
        self._times += 1
        self._store(str(id), change_record(self.records[str(id)], self._times), OTHER)

    def _store(self, id: str, fields: Mapping[str, JSON], user: JSON) -> None:
        stored = {**self.records[id], **fields, "updated_at": "2026-03-02T08:59:30Z"}
        if "version" in stored:
            stored |= {"version": self.records[id]["version"] + 1, "last_modified_by": user}
        self.records[id] = stored
        self._bodies[id] = json.dumps(stored).encode()

    def _answer(self, request: httpx.Request) -> httpx.Response | Exception | None:
        _, here, after = request.url.path.partition(f"/api/projects/1/{self._family}/")
        place = after.rstrip("/")
        if not here:
            return self._earlier(request)
        if request.method == "PATCH" and place in self.records:
            return self._apply_change(place, json.loads(request.content))
        if request.method != "GET":
            return httpx.Response(405) if place.partition("/")[0] in self.records else self._earlier(request)
        body = self._logs.get(place, self._bodies.get(place)) if place else self._list()
        if body is None:
            return _empty(place) or self._earlier(request)
        return _json(body)

    def _list(self) -> bytes:
        page = b'{"count": %d, "next": null, "previous": null, "results": [%s]}'
        return page % (len(self._bodies), b", ".join(self._bodies.values()))

    def _apply_change(self, id: str, body: Mapping[str, JSON]) -> httpx.Response:
        if body.get("version", -1) not in (-1, self.records[id].get("version")):
            detail = {"type": "server_error", "code": "conflict", "detail": "It was changed by grace."}
            return httpx.Response(409, json=detail)
        self._store(id, {name: body[name] for name in body if name not in NO_FIELDS}, MADE_BY)
        return _json(self._bodies[id])


def change_record(record: Mapping[str, JSON], time: int = 1) -> dict[str, JSON]:
    """Return the fields of a record after each condition, property, variant, metric and tag changed."""
    fields: dict[str, JSON] = {}
    filters = {**record.get("filters", {})}
    if groups := filters.get("groups"):
        filters["groups"] = [_changed_group(group, time) for group in groups]
        fields["filters"] = filters
    if filters.get("multivariate"):
        variants = [{**each, "name": f"name {time}"} for each in filters["multivariate"]["variants"]]
        filters["multivariate"] = {**filters["multivariate"], "variants": variants}
        filters["payloads"] = dict.fromkeys(filters["payloads"], f"{time}")
    if metrics := record.get("metrics"):
        fields["metrics"] = [{**metric, "name": f"name {time}"} for metric in metrics]
    if tags := record.get("tags"):
        fields["tags"] = [f"tag-{place}-{time}" for place in range(len(tags))]
    for name in ("description", "name"):
        if isinstance(record.get(name), str) and len(record[name]) > 1_000:
            fields[name] = record[name].replace("endless", f"endless{time}")
    return fields


def _changed_group(group: Mapping[str, JSON], time: int) -> dict[str, JSON]:
    """Return the condition with other values of its properties, unless they name cohorts or flags."""
    items = [
        {**item, "value": [f"{time}-{place}" for place in range(len(item["value"]))]}
        if isinstance(item["value"], list)
        else item
        for item in group["properties"]
    ]
    return {**group, "properties": items, "rollout_percentage": 7 + time % 50}


def _json(body: bytes) -> httpx.Response:
    return httpx.Response(200, content=body, headers={"content-type": "application/json"})


def _log(flag: dict[str, JSON]) -> bytes:
    """The activity of a flag in which everything was changed twice: the log has all of it, on both sides."""
    before = change_record(flag)
    sides = [(name, value, flag[name]) for name, value in before.items()]
    entries = [
        {
            "id": f"{flag['id']}-{place}",
            "user": MADE_BY,
            "activity": "updated",
            "scope": "FeatureFlag",
            "item_id": str(flag["id"]),
            "created_at": CREATED,
            "detail": {
                "name": flag["key"],
                "changes": [
                    {"type": "FeatureFlag", "action": "changed", "field": field, "before": old, "after": new}
                    for field, old, new in (*sides, ("version", 11 - place, 12 - place))
                ],
            },
        }
        for place in range(2)
    ]
    return json.dumps({"results": entries, "next": None, "total_count": 2}).encode()


def _empty(path: str) -> httpx.Response | None:
    """What the service does not have of records that only the wire has."""
    answers: Mapping[str, JSON] = {
        "dependent_flags": [],
        "status": {"status": "active", "reason": ""},
        "activity": {"results": [], "next": None, "previous": None, "total_count": 0},
    }
    of, _, what = path.rstrip("/").partition("/")
    return httpx.Response(200, json=answers[what]) if of.isdigit() and what in answers else None
