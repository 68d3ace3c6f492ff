"""Every tab draws every flag there is, and many that should not be, at every width."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.doubles import random_flags

from flagtui.app.json_rows import json_rows
from flagtui.app.screens.flag_tabs.conditions import condition_pages
from flagtui.app.screens.flag_tabs.head import head_lines
from flagtui.app.screens.flag_tabs.json_tree import shown_record
from flagtui.app.screens.flag_tabs.links import link_pages
from flagtui.app.screens.flag_tabs.overview import overview_lines
from flagtui.app.screens.flag_tabs.pane import Study
from flagtui.app.screens.flag_tabs.reach import reach_lines
from flagtui.app.screens.flag_tabs.side import side_lines
from flagtui.app.screens.flag_tabs.variants import variant_pages
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.preview import Counted, Details, Reach
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import FlagStatus
from flagtui.models.names import Names
from flagtui.models.scheduled_change import ScheduledChange

JSON = Any
WIDTHS = (132 - 50, 80 - 6, 60 - 6)
TABS = (
    head_lines,
    overview_lines,
    condition_pages,
    variant_pages,
    reach_lines,
    link_pages,
    side_lines,
)
ODD: list[JSON] = [None, "x", 7, -1.5, True, [], {}, [None, 1, "a"], {"a": [{}]}, "\x1b[31m\u202e", 2**70]


def draw_all(flag: Flag) -> None:
    parts = tuple(Counted(number, 10, 50.0, 20) for number in (1, 2))
    bare = Details(flag.row(), flag)
    change = ScheduledChange.of({"payload": {"operation": "add_release_condition", "value": flag.filters}})
    full = Details(
        flag.row(),
        flag,
        Reach(10, 20, parts=parts),
        ("a", "b"),
        (),
        status=FlagStatus.of({"status": "stale", "reason": "because"}),
        schedule=(change,),
    )
    for details in (Details(flag.row()), bare, full):
        for is_wide in (True, False):
            study = Study(details, 1_770_000_000.0, Names({1: "one"}, {0: "company"}), True, is_wide)
            for width in WIDTHS:
                for tab in TABS:
                    for line in tab(study, width):
                        assert styled(*line).plain.isprintable(), (flag.key, line)
    rows = [*json_rows(shown_record(flag, False))]
    assert all(row.text.isprintable() for row in rows)
    folded = [*json_rows(flag.raw, {row.path for row in rows if row.can_fold and len(row.path) == 1})]
    assert len(folded) <= len(rows)


def test_generated_flags_with_every_operator_and_odd_values() -> None:
    random = Random("tabs")
    for number in range(150):
        draw_all(
            Flag.of(random_flags.flag(random, number + 1, 6) | {"name": random.choice(random_flags.TEXTS)})
        )


def spoiled(random: Random, value: Any, depth: int = 0) -> Any:
    """The same JSON with something odd in a few places."""
    if depth and random.random() < 0.08:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: spoiled(random, item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(random, item, depth + 1) for item in value]
    return value


def test_flags_with_anything_anywhere() -> None:
    random = Random("spoiled")
    for number in range(250):
        raw = random_flags.flag(random, number + 1, 6) | {
            "experiment_set_metadata": [{"id": 31, "name": "E", "is_running": True}],
            "experiment_set": [31, 32],
            "features": [{"name": "f", "stage": "beta"}],
            "surveys": [{"name": "s"}],
            "tags": ["a", "b"],
            "analytics_dashboards": [4],
            "has_encrypted_payloads": random.random() < 0.3,
            "is_remote_configuration": random.random() < 0.3,
            "status": "STALE",
        }
        draw_all(Flag.of(spoiled(random, raw)))


def recorded() -> Iterator[Any]:
    folder = os.environ.get("FLAGTUI_FIXTURES")
    for path in sorted(Path(folder, "flags").glob("*.json")) if folder else ():
        found = json.loads(path.read_text(encoding="utf-8"))
        items = found.get("results", [found]) if isinstance(found, dict) else found
        yield from (item for item in items if isinstance(item, dict) and "filters" in item)


def test_flags_of_the_product() -> None:
    flags = [*recorded()]
    if not flags:
        pytest.skip("FLAGTUI_FIXTURES names no folder with flags")
    for raw in flags:
        draw_all(Flag.of(raw))


def test_no_tab_shows_a_secret_that_nobody_asked_for() -> None:
    filters = {"groups": [{}], "payloads": {"true": '"open sesame"', "test": '"open sesame"'}}
    for variants in (None, {"variants": [{"key": "test", "rollout_percentage": 100}]}):
        raw = {"id": 1, "key": "a", "filters": {**filters, "multivariate": variants}}
        flag = Flag.of({**raw, "has_encrypted_payloads": True, "is_remote_configuration": True})
        study = Study(Details(flag.row(), flag), 0.0)
        told = "".join(text for tab in TABS for line in tab(study, 80) for text, _ in line)
        told += "".join(row.text for row in json_rows(shown_record(flag, False)))
        assert "sesame" not in told
        assert "sesame" in "".join(row.text for row in json_rows(shown_record(flag, True)))
