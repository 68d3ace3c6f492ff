"""Who may see and change which experiment."""

from typing import Any

import pytest
from tests.service.experiments.conftest import HALVES, Service

NO_EDITOR = (403, "You do not have editor access to this resource.", None)


def restrict(service: Service, levels: dict[Any, str], resource: str = "experiment") -> None:
    """Makes the owner an ordinary member with these levels, by record; '' is every record."""
    service.write("UPDATE organization_members SET level = 1")
    for record, level in levels.items():
        service.write("INSERT INTO access_levels VALUES (1, 1, ?, ?, ?)", resource, str(record), level)


async def test_a_viewer_reads_and_does_not_write(service: Service) -> None:
    made = await service.create()
    assert made["user_access_level"] == "manager"
    restrict(service, {"": "viewer"})
    assert (await service.reread(made))["user_access_level"] == "viewer"
    assert await service.edit_refused(made, name="n") == NO_EDITOR
    assert await service.act_refused(made, "launch", {}) == NO_EDITOR
    for path in ("experiments", "experiment_holdouts", "experiment_saved_metrics"):
        assert await service.refused("POST", path, {}) == NO_EDITOR


@pytest.mark.parametrize("general", ["editor", "none"])
async def test_what_may_not_be_seen_is_in_no_list(service: Service, general: str) -> None:
    shown, hidden = await service.create("a", name="shown"), await service.create("b", name="hidden")
    restrict(service, {"": general, shown["id"]: "viewer", hidden["id"]: "none"})
    page = await service.get("experiments")
    assert (page["count"], [experiment["name"] for experiment in page["results"]]) == (1, ["shown"])
    query = {"kind": "ExperimentExposureQuery", "experiment_id": hidden["id"]}
    assert (await service.refused("GET", f"experiments/{hidden['id']}"))[0] == 403
    assert (await service.refused("POST", "query", {"query": query}))[0] == 403


async def test_levels_of_flags_count_for_experiments(service: Service) -> None:
    running, hidden = await service.running(), await service.flag("hidden", HALVES)
    restrict(service, {running["feature_flag"]["id"]: "viewer", hidden["id"]: "none"}, "feature_flag")
    for step in ("pause", "freeze_exposure"):
        assert await service.act_refused(running, step) == NO_EDITOR
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


@pytest.mark.parametrize("kind", ["holdout", "saved_metric"])
async def test_newest_holdouts_and_shared_metrics_have_own_scopes(newest: Service, kind: str) -> None:
    path, scope = f"experiment_{kind}s", f"experiment_{kind}"
    refusal = await newest.with_key("experiment:write").refused("GET", path)
    assert refusal == (403, f"API key missing required scope '{scope}:read'", None)
    assert (await newest.with_key(f"{scope}:write").get(path))["count"] == 0
