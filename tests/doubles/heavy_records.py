"""Records as large as servers take them."""

import json
from typing import Any, Final

from tests.doubles.flag_server import raw_flag

JSON = Any
CREATED: Final = "2026-01-05T10:00:00Z"
MADE_BY: Final[dict[str, JSON]] = {"id": 7, "first_name": "Ada", "email": "ada@acme.test"}


def property_of(place: int) -> dict[str, JSON]:
    return {"key": "plan", "type": "person", "operator": "exact", "value": [f"plan-{place}"]}


def conditions(count: int) -> list[JSON]:
    """Conditions of one property each, about 109 bytes apiece."""
    return [
        {"properties": [property_of(place)], "rollout_percentage": place % 101, "variant": None}
        for place in range(count)
    ]


def bare_conditions(count: int) -> list[JSON]:
    """Conditions without properties: each can make the later ones pointless."""
    return [{"properties": [], "rollout_percentage": place * 100 / count} for place in range(count)]


def dependencies(count: int) -> list[JSON]:
    """Conditions that depend on one flag each."""
    dependency = {"type": "flag", "operator": "flag_evaluates_to", "value": True}
    return [
        {"properties": [{"key": str(9_000_000 + place), **dependency}], "rollout_percentage": 100}
        for place in range(count)
    ]


def cohorts(count: int) -> list[JSON]:
    """Conditions for one cohort each."""
    return [
        {"properties": [{"key": "id", "type": "cohort", "operator": "in", "value": 100 + place}]}
        for place in range(count)
    ]


def flag(id: int, key: str, **fields: JSON) -> dict[str, JSON]:
    return raw_flag(id=id, key=key, created_at=CREATED, created_by=MADE_BY, **fields)


def targeting(groups: list[JSON], **more: JSON) -> dict[str, JSON]:
    return {"groups": groups, "payloads": {}, "multivariate": None, **more}


def with_conditions(count: int, id: int = 901, key: str = "") -> dict[str, JSON]:
    return flag(id, key or f"conditions-{count}", filters=targeting(conditions(count)))


def with_bare_conditions(count: int, id: int = 902) -> dict[str, JSON]:
    return flag(id, f"bare-{count}", filters=targeting(bare_conditions(count)))


def with_properties(count: int, id: int = 903) -> dict[str, JSON]:
    """One condition that asks for everything."""
    group = {"properties": [property_of(place) for place in range(count)], "rollout_percentage": 50}
    return flag(id, f"properties-{count}", filters=targeting([group]))


def with_values(count: int, id: int = 904) -> dict[str, JSON]:
    """One property with a list of values."""
    item = {**property_of(0), "value": [f"customer-{place}" for place in range(count)]}
    group = {"properties": [item], "rollout_percentage": 50}
    return flag(id, f"values-{count}", filters=targeting([group]))


def with_variants(count: int, id: int = 905) -> dict[str, JSON]:
    """Equal shares, a small payload for each, and a condition that forces the last one."""
    keys = [f"variant-{place}" for place in range(count)]
    shares = [{"key": key, "name": "", "rollout_percentage": 100 / count} for key in keys]
    several = {"variants": shares}
    payloads = {key: f'"{key}"' for key in keys}
    groups = [{"properties": [], "rollout_percentage": 100, "variant": keys[-1]}]
    filters = targeting(groups, multivariate=several) | {"payloads": payloads}
    return flag(id, f"variants-{count}", filters=filters)


def with_payload(size: int, id: int = 906) -> dict[str, JSON]:
    """A payload of JSON of about so many bytes."""
    items = [{"name": f"item-{place}", "on": True} for place in range(size // 32)]
    filters = targeting(conditions(1)) | {"payloads": {"true": json.dumps(items)}}
    return flag(id, f"payload-{size}", filters=filters)


def with_tags(count: int, id: int = 907) -> dict[str, JSON]:
    return flag(id, f"tags-{count}", filters=targeting([]), tags=[f"tag-{place}" for place in range(count)])


def with_description(size: int, id: int = 908) -> dict[str, JSON]:
    lines = "one line of an endless description\n" * (size // 35)
    return flag(id, f"description-{size}", name=lines, filters=targeting([]))


def with_dependencies(count: int, id: int = 909) -> dict[str, JSON]:
    return flag(id, f"dependencies-{count}", filters=targeting(dependencies(count)))


def with_cohorts(count: int, id: int = 910) -> dict[str, JSON]:
    return flag(id, f"cohorts-{count}", filters=targeting(cohorts(count)))


def metric(place: int) -> dict[str, JSON]:
    return {
        "kind": "ExperimentMetric",
        "metric_type": "mean",
        "uuid": f"00000000-0000-4000-8000-{place:012d}",
        "fingerprint": f"{place:064d}",
        "name": f"metric {place}",
        "goal": "increase",
        "source": {"kind": "EventsNode", "event": f"event {place}", "math": "total"},
    }


def experiment(count: int, id: int = 920, variants: int = 2, name: str = "") -> dict[str, JSON]:
    """A draft with so many metrics of its own, and as many saved ones."""
    links = [
        {
            "id": place + 1,
            "experiment": id,
            "saved_metric": place + 1,
            "name": f"saved {place}",
            "query": metric(count + place),
            "metadata": {"type": "secondary"},
        }
        for place in range(count)
    ]
    shared = with_variants(variants, 911)["filters"]
    return {
        "id": id,
        "name": name or f"metrics-{count}",
        "description": "",
        "start_date": None,
        "end_date": None,
        "feature_flag_key": "metrics-flag",
        "feature_flag": {"id": 911, "key": "metrics-flag", "filters": shared, "active": True},
        "holdout": None,
        "parameters": {},
        "archived": False,
        "deleted": False,
        "created_by": MADE_BY,
        "created_at": CREATED,
        "updated_at": CREATED,
        "type": "product",
        "status": "draft",
        "metrics": [metric(place) for place in range(count)],
        "metrics_secondary": [],
        "saved_metrics": links,
        "secondary_metrics": [],
        "stats_config": {"method": "bayesian"},
        "filters": {},
        "exposure_criteria": {},
    }


def event(tags: int, size: int, name: str = "heavy event") -> dict[str, JSON]:
    """An event definition with so many tags and a description of so many bytes."""
    return {
        "id": f"0190b6f2-7c1e-7f00-8a11-{tags * 2_000_000 + size:012d}",
        "name": name,
        "owner": None,
        "description": "one line of an endless description\n" * (size // 35),
        "tags": [f"tag-{place}" for place in range(tags)],
        "created_at": CREATED,
        "updated_at": CREATED,
        "last_seen_at": CREATED,
        "verified": False,
        "hidden": False,
        "enforcement_mode": "allow",
        "is_action": False,
    }
