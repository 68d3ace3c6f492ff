"""Who may see and change which experiment."""

from typing import Any

import pytest
from tests.service.experiments.conftest import HALVES, Service, Start


def _restrict(service: Service, *levels: tuple[str, str], resource: str = "experiment") -> None:
    """Makes the owner an ordinary member with these levels, by record; '' is every record."""

    def work(db: Any) -> None:
        db.execute("UPDATE organization_members SET level = 1")
        for record, level in levels:
            db.execute("INSERT INTO access_levels VALUES (1, 1, ?, ?, ?)", (resource, record, level))

    service.run(work)


async def test_a_viewer_reads_and_does_not_write(service: Service) -> None:
    made = await service.create()
    assert made["user_access_level"] == "manager"
    _restrict(service, ("", "viewer"))
    path = f"experiments/{made['id']}"
    assert (await service.get(path))["user_access_level"] == "viewer"
    detail = (403, "You do not have editor access to this resource.", None)
    assert await service.refused("PATCH", path, {"name": "n"}) == detail
    for written in (f"{path}/launch", "experiments", "experiment_holdouts", "experiment_saved_metrics"):
        assert await service.refused("POST", written, {}) == detail


@pytest.mark.parametrize("general", ["editor", "none"])
async def test_what_may_not_be_seen_is_in_no_list(service: Service, general: str) -> None:
    shown, hidden = await service.create("a", name="shown"), await service.create("b", name="hidden")
    _restrict(service, ("", general), (str(shown["id"]), "viewer"), (str(hidden["id"]), "none"))
    page = await service.get("experiments")
    assert (page["count"], [experiment["name"] for experiment in page["results"]]) == (1, ["shown"])
    assert (await service.refused("GET", f"experiments/{hidden['id']}"))[0] == 403
    query = {"kind": "ExperimentExposureQuery", "experiment_id": hidden["id"]}
    assert (await service.refused("POST", "query", {"query": query}))[0] == 403


async def test_levels_of_flags_count_for_experiments(service: Service) -> None:
    running, hidden = await service.running(), await service.flag("hidden", HALVES)
    levels = (str(running["feature_flag"]["id"]), "viewer"), (str(hidden["id"]), "none")
    _restrict(service, *levels, resource="feature_flag")
    for step in ("pause", "freeze_exposure"):
        detail = (403, "You do not have editor access to this resource.", None)
        assert await service.refused("POST", f"experiments/{running['id']}/{step}") == detail
    page = await service.get("experiments/eligible_feature_flags")
    assert ([flag["key"] for flag in page["results"]], page["count"]) == (["blue-button"], 1)


async def test_an_experiment_of_another_project_is_not_found(service: Service) -> None:
    made = await service.create()
    service.project = service.add_project()
    for path in (f"experiments/{made['id']}", f"experiments/{made['id']}/timeseries_results"):
        assert await service.refused("GET", path) == (404, "Not found.", None)
    query = {"kind": "ExperimentExposureQuery", "experiment_id": made["id"]}
    assert (await service.refused("POST", "query", {"query": query}))[0] == 404
    assert (await service.get("experiments"))["count"] == 0


async def test_newest_holdouts_and_shared_metrics_have_scopes_of_their_own(start: Start) -> None:
    newest: Service = await start(newest=True)
    owner = newest.with_key("experiment:write")
    for path, scope in (
        ("experiment_holdouts", "experiment_holdout"),
        ("experiment_saved_metrics", "experiment_saved_metric"),
    ):
        detail = f"API key missing required scope '{scope}:read'"
        assert await owner.refused("GET", path) == (403, detail, None)
        assert (await newest.with_key(f"{scope}:write").get(path))["count"] == 0
