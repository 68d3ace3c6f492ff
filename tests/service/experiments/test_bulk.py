"""Operations on many experiments at once: the ids of a list, and their tags."""

from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, Service

MATCHING, TAGGING = "experiments/matching_ids", "experiments/bulk_update_tags"
NO_ACCESS = "Not found or no edit access"


def tagging(*ids: Any, action: str = "add", tags: Any = ("x",)) -> dict[str, Any]:
    return {"ids": ids, "action": action, "tags": tags}


async def test_matching_ids_are_those_of_the_list(service: Service) -> None:
    service.define_event("bought")
    metrics: dict[str, list[Any]] = {"a": [], "b": [MEAN], "c": []}
    a, b, c = [(await service.create(key, name=key, metrics=metrics[key]))["id"] for key in metrics]
    await service.edit({"id": c}, archived=True)
    for query, expected in (
        ({}, [b, a]),
        ({"order": "name"}, [a, b]),
        ({"archived": "true"}, [c]),
        ({"search": "A"}, [a]),
        ({"event": "bought"}, [b]),
        ({"limit": "1", "offset": "1"}, [b, a]),
    ):
        assert await service.get(MATCHING, **query) == {"ids": expected, "total": len(expected)}
    assert await service.refused("GET", MATCHING, order="foo") == (400, "Invalid order field: 'foo'", None)


async def test_ids_and_tags_need_editors_and_undeleted_experiments(service: Service) -> None:
    viewed, deleted = await service.create(), await service.create("other")
    await service.edit(deleted, deleted=True)
    grace = service.add_user("grace@acme.test")
    level = "INSERT INTO access_levels VALUES (1, ?, 'experiment', ?, 'viewer')"
    service.write(level, grace, str(viewed["id"]))
    viewer = service.with_key("*", user=grace)
    assert await viewer.get(MATCHING) == {"ids": [], "total": 0}
    ids = [viewed["id"], deleted["id"]]
    skipped = [{"id": number, "reason": NO_ACCESS} for number in ids]
    assert await viewer.post(TAGGING, tagging(*ids)) == {"updated": [], "skipped": skipped}


async def test_tags_of_several_experiments_change_at_once(service: Service) -> None:
    first, second = [await service.create(key) for key in ("a", "b")]
    for action, tags, expected in (
        ("add", ["B", " a "], ["a", "b"]),
        ("remove", ["b", "c"], ["a"]),
        ("set", ["z"], ["z"]),
        ("set", [], []),
    ):
        body = tagging(first["id"], second["id"], 999, first["id"], action=action, tags=tags)
        assert await service.post(TAGGING, body) == {
            "updated": [{"id": each["id"], "tags": expected} for each in (first, second)],
            "skipped": [{"id": 999, "reason": NO_ACCESS}],
        }
        shown = await service.reread(first)
        assert (shown["tags"], shown["updated_at"]) == (expected, first["updated_at"])


async def test_tags_are_logged_once_for_each_edit(service: Service) -> None:
    made = await service.create(tags=["B", "a"])
    assert made["tags"] == ["a", "b"]
    await service.post(TAGGING, tagging(made["id"], tags=["a"]))
    await service.post(TAGGING, tagging(made["id"], action="set", tags=["c"]))
    await service.edit(made, tags=["c", "d"])
    changes = [entry["detail"]["changes"] or () for entry in await service.log_of(made)]
    logged = [[(change["before"], change["after"]) for change in each] for each in changes]
    assert logged == [[(["c"], ["c", "d"])], [(["a", "b"], ["c"])], []]


@pytest.mark.parametrize(("changes", "attr"), [
    ({"ids": []}, "ids"), ({"ids": {}}, "ids"), ({"ids": [1, "x"]}, "ids__1"),
    ({"ids": [1e300]}, "ids__0"), ({"ids": [None]}, "ids__0"), ({"ids": [1] * 501}, "ids"),
    ({"action": "drop"}, "action"), ({"action": ["add"]}, "action"), ({"tags": []}, "tags"),
    ({"tags": None}, "tags"), ({"tags": [{}]}, "tags__0"), ({"tags": ["x" * 256]}, "tags__0"),
    ({"tags": ["x"] * 101}, "tags"),
])  # fmt: skip
async def test_invalid_edit_of_tags_is_refused(service: Service, changes: dict[str, Any], attr: str) -> None:
    status, _, place = await service.refused("POST", TAGGING, tagging(1) | changes)
    assert (status, place) == (400, attr)


async def test_older_servers_have_neither(legacy: Service) -> None:
    assert (await legacy.send("GET", MATCHING)).status_code == 404
    assert (await legacy.send("POST", TAGGING, {})).status_code == 403
    made = await legacy.create(tags=["a"])
    assert "tags" not in made
    assert legacy.rows("SELECT tags FROM experiments") == [{"tags": "[]"}]
    assert (await legacy.act_refused(made, "migrate"))[0] == 404
