"""Bodies of the product's own tests, and the shape of its responses."""

import pytest
from tests.doubles.fixtures import needs_fixtures, read_fixture
from tests.service.experiments.conftest import MEAN, NODE, Service

pytestmark = needs_fixtures


@pytest.mark.parametrize("name", ["basic", "web"])
async def test_a_creation_of_the_product_is_taken(service: Service, name: str) -> None:
    body = read_fixture(f"experiments/request_create_{name}")
    made = await service.post("experiments", body, 201)
    sent = {field: body[field] for field in ("name", "feature_flag_key", "filters")}
    expected = {**sent, "type": body.get("type", "product"), "start_date": "2021-12-01T10:23:00Z"}
    assert made.items() >= expected.items()


async def test_a_creation_with_a_saved_metric_is_taken(service: Service) -> None:
    service.define_event("$pageview")
    metric = MEAN | {"source": NODE | {"event": "$pageview"}}
    await service.post("experiment_saved_metrics", {"name": "m", "query": metric}, 201)
    body = read_fixture("experiments/request_create_with_saved_metric")
    made = await service.post("experiments", body, 201)
    assert made["saved_metrics"][0]["metadata"] == {"type": "secondary"}


async def test_changes_of_the_product_are_taken(service: Service) -> None:
    made = await service.create()
    changed = await service.edit(made, **read_fixture("experiments/request_update_variants"))
    variants = changed["parameters"]["feature_flag_variants"]
    assert [variant["rollout_percentage"] for variant in variants] == [33, 33, 34]
    ended = await service.edit(made, **read_fixture("experiments/request_end"))
    assert ended["end_date"] == "2021-12-10T00:00:00Z"


@pytest.mark.parametrize("name", ["running_ratio_metric", "running_frequentist_two_variants", "draft"])
async def test_an_older_server_has_every_member_of_its_day(legacy: Service, name: str) -> None:
    real = read_fixture(f"experiments/{name}")
    made = await legacy.create()
    assert set(real) <= set(made)
    # These came and went between the payload and the generation that is imitated.
    transient = {"evaluation_tags", "evaluation_runtime", "version", "has_encrypted_payloads"}
    assert set(real["feature_flag"]) - set(made["feature_flag"]) <= transient
