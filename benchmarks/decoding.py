"""How long a list of flags takes to decode: rows for the list, and whole models for comparison.

    python benchmarks/decoding.py [FLAGS]

Prints the median of several rounds, interleaved, and the ratio the rows have to stay under: a tenth of
full models built from the same bytes.
"""

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from flagtui.models.flag import Flag
from flagtui.models.flag_rows import read_flag_page

ROUNDS = 5
PAGE = 100
GOAL = 0.1

WORDS = (
    "checkout",
    "search",
    "onboarding",
    "billing",
    "export",
    "mobile",
    "beta",
    "pricing",
    "login",
    "editor",
)


def flag(id: int) -> dict[str, Any]:
    """A realistic flag of about 2 kB."""
    person = {
        "id": 1 + id % 40,
        "uuid": f"0190f1c2-0000-7000-8000-{id % 40:012d}",
        "distinct_id": f"u{id % 40}",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": f"ada{id % 40}@acme.test",
        "is_email_verified": True,
        "hedgehog_config": {"color": "blue", "accessories": ["hat"], "use_as_profile": True},
        "role_at_organization": "engineering",
    }
    groups = [
        {
            "properties": [
                {"key": "email", "type": "person", "value": [f"@{word}.test"], "operator": "icontains"}
                for word in WORDS[: id % 4]
            ],
            "rollout_percentage": id % 101,
            "variant": None,
            "aggregation_group_type_index": None,
        }
        for _ in range(1 + id % 3)
    ]
    variants = [
        {"key": "control", "name": "", "rollout_percentage": 50},
        {"key": "test", "rollout_percentage": 50},
    ]
    return {
        "id": id,
        "name": f"Roll out the new {WORDS[id % 10]} to those who asked for it",
        "key": f"{WORDS[id % 10]}-{WORDS[id // 10 % 10]}-{id}",
        "filters": {
            "groups": groups,
            "payloads": {"test": json.dumps({"colour": "red", "words": WORDS})} if id % 5 == 0 else {},
            "multivariate": {"variants": variants} if id % 5 == 0 else None,
            "aggregation_group_type_index": None,
        },
        "deleted": False,
        "active": id % 3 > 0,
        "archived": False,
        "created_by": person,
        "created_at": "2026-05-01T09:00:00.123456Z",
        "updated_at": "2026-06-02T10:11:12.131415Z",
        "version": id % 30,
        "last_modified_by": person,
        "ensure_experience_continuity": False,
        "experiment_set": [id] if id % 20 == 0 else [],
        "experiment_set_metadata": [],
        "surveys": [],
        "features": [],
        "can_edit": True,
        "tags": ["ops", WORDS[id % 10]],
        "evaluation_contexts": [],
        "usage_dashboard": None,
        "analytics_dashboards": [],
        "has_enriched_analytics": False,
        "user_access_level": "editor",
        "is_remote_configuration": False,
        "has_encrypted_payloads": False,
        "status": "ACTIVE",
        "evaluation_runtime": "all",
        "bucketing_identifier": "distinct_id",
        "last_called_at": "2026-08-25T22:09:14.252000Z",
        "is_used_in_replay_settings": False,
        "is_eligible_for_experiment": False,
    }


def page(offset: int, limit: int, count: int) -> bytes:
    """A page of the list as a server sends it."""
    flags = [flag(id) for id in range(offset + 1, min(offset + limit, count) + 1)]
    return json.dumps({"count": count, "next": None, "previous": None, "results": flags}).encode()


def rows(pages: list[bytes]) -> int:
    return sum(len(read_flag_page(body).rows) for body in pages)


def whole_models(pages: list[bytes]) -> int:
    return sum(len([Flag.of(raw) for raw in json.loads(body)["results"]]) for body in pages)


def plain_json(pages: list[bytes]) -> int:
    return sum(len(json.loads(body)["results"]) for body in pages)


def measure(jobs: dict[str, Callable[[list[bytes]], int]], pages: list[bytes]) -> dict[str, float]:
    """Median milliseconds of processor time of each job, in interleaved rounds."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            gc.collect()
            began = time.process_time()
            job(pages)
            taken[name].append((time.process_time() - began) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    pages = [page(offset, PAGE, count) for offset in range(0, count, PAGE)]
    jobs = {"rows": rows, "json.loads": plain_json, "whole models": whole_models}
    times = measure(jobs, pages)
    size = sum(map(len, pages))
    print(f"{count:,} flags, {size / count:,.0f} bytes each, {len(pages)} pages, median of {ROUNDS} rounds")
    for name, milliseconds in times.items():
        print(f"  {name:<14}{milliseconds:9.1f} ms")
    ratio = times["rows"] / times["whole models"]
    print(f"  rows / whole models {ratio:.3f} (goal: at most {GOAL})")
    sys.exit(ratio > GOAL)


if __name__ == "__main__":
    main()
