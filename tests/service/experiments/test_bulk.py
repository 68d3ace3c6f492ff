"""Operations on many experiments at once: the ids of a list, and their tags."""

from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, Service

MATCHING, TAGGING = "experiments/matching_ids", "experiments/bulk_update_tags"


async def test_matching_ids_are_those_of_the_list(service: Service) -> None:
    service.define_event("bought")
    ids = [(await service.create(key, name=key, metrics=metrics))["id"] for key, metrics in
           (("a", []), ("b", [MEAN]), ("c", []))]  # fmt: skip
    await service.patch(f"experiments/{ids[2]}", {"archived": True})
    for query, expected in (
        ({}, [ids[1], ids[0]]),
        ({"order": "name"}, ids[:2]),
        ({"archived": "true"}, ids[2:]),
        ({"search": "A"}, ids[:1]),
        ({"event": "bought"}, ids[1:2]),
        ({"limit": "1", "offset": "1"}, [ids[1], ids[0]]),
    ):
        assert await service.get(MATCHING, **query) == {"ids": expected, "total": len(expected)}
    assert await service.refused("GET", MATCHING, order="foo") == (400, "Invalid order field: 'foo'", None)


async def test_ids_and_tags_are_for_editors(service: Service) -> None:
    made = await service.create()
    service.write("INSERT INTO users (id, uuid, email) VALUES (2, 'u', 'grace@acme.test')")
    service.write("INSERT INTO organization_members SELECT id, 2, 1 FROM organizations")
    service.write("INSERT INTO access_levels VALUES (1, 2, 'experiment', ?, 'viewer')", str(made["id"]))
    viewer = service.with_key("*", user=2)
    assert await viewer.get(MATCHING) == {"ids": [], "total": 0}
    response = await viewer.post(TAGGING, {"ids": [made["id"]], "action": "add", "tags": ["x"]})
    assert response == {
        "updated": [],
        "skipped": [{"id": made["id"], "reason": "Not found or no edit access"}],
    }


async def test_tags_of_several_experiments_change_at_once(service: Service) -> None:
    first, second = [await service.create(key) for key in ("a", "b")]
    ids = [first["id"], second["id"], 999, first["id"]]
    for action, tags, expected in (
        ("add", ["B", " a "], ["a", "b"]),
        ("remove", ["b", "c"], ["a"]),
        ("set", ["z"], ["z"]),
        ("set", [], []),
    ):
        body = {"ids": ids, "action": action, "tags": tags}
        assert await service.post(TAGGING, body) == {
            "updated": [{"id": number, "tags": expected} for number in (first["id"], second["id"])],
            "skipped": [{"id": 999, "reason": "Not found or no edit access"}],
        }
        shown = await service.get(f"experiments/{first['id']}")
        assert (shown["tags"], shown["updated_at"]) == (expected, first["updated_at"])


async def test_tags_are_logged_once_for_each_edit(service: Service) -> None:
    made = await service.create(tags=["B", "a"])
    assert made["tags"] == ["a", "b"]
    await service.post(TAGGING, {"ids": [made["id"]], "action": "add", "tags": ["a"]})
    await service.post(TAGGING, {"ids": [made["id"]], "action": "set", "tags": ["c"]})
    await service.patch(f"experiments/{made['id']}", {"tags": ["c", "d"]})
    entries = (await service.get(f"experiments/{made['id']}/activity"))["results"]
    logged = [[(change["before"], change["after"]) for change in entry["detail"]["changes"] or ()]
              for entry in entries]  # fmt: skip
    assert logged == [[(["c"], ["c", "d"])], [(["a", "b"], ["c"])], []]


async def test_deleted_experiments_are_skipped(service: Service) -> None:
    made = await service.create()
    await service.patch(f"experiments/{made['id']}", {"deleted": True})
    response = await service.post(TAGGING, {"ids": [made["id"]], "action": "add", "tags": ["x"]})
    assert (response["updated"], len(response["skipped"])) == ([], 1)
    assert (await service.get(MATCHING))["total"] == 0


@pytest.mark.parametrize(
    ("changes", "attr"),
    [
        ({"ids": []}, "ids"),
        ({"ids": {}}, "ids"),
        ({"ids": [1, "x"]}, "ids__1"),
        ({"ids": [1e300]}, "ids__0"),
        ({"ids": [None]}, "ids__0"),
        ({"ids": [1] * 501}, "ids"),
        ({"action": "drop"}, "action"),
        ({"action": ["add"]}, "action"),
        ({"tags": []}, "tags"),
        ({"tags": None}, "tags"),
        ({"tags": [{}]}, "tags__0"),
        ({"tags": ["x" * 256]}, "tags__0"),
        ({"tags": [str(number) for number in range(101)]}, "tags"),
    ],
)
async def test_invalid_edit_of_tags_is_refused(service: Service, changes: dict[str, Any], attr: str) -> None:
    body = {"ids": [1], "action": "add", "tags": ["x"], **changes}
    status, _, place = await service.refused("POST", TAGGING, body)
    assert (status, place) == (400, attr)


async def test_older_servers_have_neither(legacy: Service) -> None:
    assert (await legacy.send("GET", MATCHING)).status_code == 404
    assert (await legacy.send("POST", TAGGING, {})).status_code == 403
    made = await legacy.create(tags=["a"])
    assert "tags" not in made
    assert legacy.rows("SELECT tags FROM experiments") == [{"tags": "[]"}]
    assert (await legacy.send("POST", f"experiments/{made['id']}/migrate")).status_code == 404
