"""Which names mean the same event, and which of several definitions is the one to stay with."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.inbox import LookAlikes, keys_of, words_of

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "look_alikes.py"


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("look_alikes_benchmark", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def are_alike(name: str, other: str) -> bool:
    return not set(keys_of(name)).isdisjoint(keys_of(other))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("signup_completed", "sign_up_complete"),
        ("Plan Upgraded", "plan_upgraded"),
        ("checkout completed", "chekout_completed"),
        ("[Trial] started", "trial.started_v3"),
        ("$pageview", "pageview"),
        ("order shipped", "order ship"),
    ],
)
def test_names_written_otherwise_are_alike(name: str, other: str) -> None:
    assert are_alike(name, other)
    assert are_alike(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("btn_click_1", "btn_click_2"),
        ("rule updated", "role updated"),
        ("step 22", "step 2"),
        ("tab closed", "tag closed"),
        ("checkout started", "checkout completed"),
        ("", ""),
        ("___", "---"),
    ],
)
def test_names_of_other_events_are_not_alike(name: str, other: str) -> None:
    assert not are_alike(name, other)


def test_look_alikes_match_the_labelled_list_and_any_words() -> None:
    precision, recall, wrong, _missed = benchmark().measure()
    assert precision >= 0.95, wrong
    assert recall >= 0.9
    for name in ("", "\x1b[31m", "🎉", "событие создано", "a" * 10_000, "[/oops]", "v2"):
        assert isinstance(words_of(name), tuple)
        assert not LookAlikes([EventDefinitionRow(id="1", name=name)]).twin("1")


def test_verified_and_described_look_alike_is_preferred() -> None:
    best = EventDefinitionRow(id="b", name="plan upgraded", verified=True, description="x")
    other = EventDefinitionRow(id="o", name="Plan Upgraded", seen_at=9e8)
    hidden = EventDefinitionRow(id="h", name="plan_upgraded", verified=False, hidden=True, seen_at=9e9)
    look_alikes = LookAlikes([other, hidden, best])
    assert look_alikes.twin("b") is None
    assert look_alikes.twin("o") is best
    assert look_alikes.twin("h") is best
    assert len(look_alikes) == 2
