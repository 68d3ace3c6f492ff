"""Records as large as servers take them."""

import json
from typing import Any, Final

from tests.doubles.flag_server import raw_flag
from tests.doubles.targeting import asks, asks_cohort, asks_flag, group

JSON = Any
CREATED: Final = "2026-01-05T10:00:00Z"
MADE_BY: Final[dict[str, JSON]] = {"id": 7, "first_name": "Ada", "email": "ada@acme.test"}


def property_of(place: int) -> dict[str, JSON]:
    return asks("plan", "exact", [f"plan-{place}"])


def conditions(count: int) -> list[JSON]:
    """Conditions of one property each, about 109 bytes apiece."""
    return [group(place % 101, property_of(place), variant=None) for place in range(count)]


def bare_conditions(count: int) -> list[JSON]:
    """Conditions without properties: each can make the later ones pointless."""
    return [group(place * 100 / count) for place in range(count)]


def targeting(groups: list[JSON], **more: JSON) -> dict[str, JSON]:
    return {"groups": groups, "payloads": {}, "multivariate": None, **more}


def flag(id: int, key: str, filters: JSON, **fields: JSON) -> dict[str, JSON]:
    return raw_flag(id=id, key=key, filters=filters, created_at=CREATED, created_by=MADE_BY, **fields)


def with_conditions(count: int, id: int = 901, key: str = "") -> dict[str, JSON]:
    return flag(id, key or f"conditions-{count}", targeting(conditions(count)))


def with_bare_conditions(count: int) -> dict[str, JSON]:
    return flag(902, f"bare-{count}", targeting(bare_conditions(count)))


def with_properties(count: int) -> dict[str, JSON]:
    """One condition that asks for everything."""
    return flag(903, f"properties-{count}", targeting([group(50, *map(property_of, range(count)))]))


def with_values(count: int) -> dict[str, JSON]:
    """One property with a list of values."""
    item = asks("plan", "exact", [f"customer-{place}" for place in range(count)])
    return flag(904, f"values-{count}", targeting([group(50, item)]))


def with_variants(count: int, id: int = 905) -> dict[str, JSON]:
    """Equal shares, a small payload for each, and a condition that forces the last one."""
    keys = [f"variant-{place}" for place in range(count)]
    shares = {"variants": [{"key": key, "name": "", "rollout_percentage": 100 / count} for key in keys]}
    payloads = {key: f'"{key}"' for key in keys}
    filters = targeting([group(100, variant=keys[-1])], multivariate=shares, payloads=payloads)
    return flag(id, f"variants-{count}", filters)


def with_payload(size: int) -> dict[str, JSON]:
    """A payload of JSON of about so many bytes."""
    items = [{"name": f"item-{place}", "on": True} for place in range(size // 32)]
    return flag(906, f"payload-{size}", targeting(conditions(1), payloads={"true": json.dumps(items)}))


def with_tags(count: int) -> dict[str, JSON]:
    return flag(907, f"tags-{count}", targeting([]), tags=[f"tag-{place}" for place in range(count)])


def with_description(size: int) -> dict[str, JSON]:
    return flag(908, f"description-{size}", targeting([]), name=description(size))


def description(size: int) -> str:
    return "one line of an endless description\n" * (size // 35)


def with_dependencies(count: int) -> dict[str, JSON]:
    """Conditions that depend on one flag each."""
    groups = [group(100, asks_flag(str(9_000_000 + place))) for place in range(count)]
    return flag(909, f"dependencies-{count}", targeting(groups))


def with_cohorts(count: int) -> dict[str, JSON]:
    """Conditions for one cohort each."""
    groups = [group(100, asks_cohort(100 + place)) for place in range(count)]
    return flag(910, f"cohorts-{count}", targeting(groups))


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
        "start_date": None,
        "end_date": None,
        "feature_flag_key": "metrics-flag",
        "feature_flag": {"id": 911, "key": "metrics-flag", "filters": shared, "active": True},
        "archived": False,
        "deleted": False,
        "created_by": MADE_BY,
        "created_at": CREATED,
        "updated_at": CREATED,
        "type": "product",
        "status": "draft",
        "metrics": [metric(place) for place in range(count)],
        "saved_metrics": links,
        "stats_config": {"method": "bayesian"},
    }


def event(tags: int, size: int, name: str = "heavy event") -> dict[str, JSON]:
    """An event definition with so many tags and a description of so many bytes."""
    return {
        "id": f"0190b6f2-7c1e-7f00-8a11-{tags * 2_000_000 + size:012d}",
        "name": name,
        "owner": None,
        "description": description(size),
        "tags": [f"tag-{place}" for place in range(tags)],
        "created_at": CREATED,
        "updated_at": CREATED,
        "last_seen_at": CREATED,
        "verified": False,
        "hidden": False,
    }
