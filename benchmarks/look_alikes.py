"""How well look-alike names are found: precision and recall on a labelled list, and the time for 100,000.

python benchmarks/look_alikes.py
"""

import sys
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.inbox import LookAlikes, keys_of

LABELLED = Path(__file__).with_suffix(".txt")
MANY = 100_000


def groups(path: Path = LABELLED) -> list[list[str]]:
    """Names that mean the same event, line by line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[name.strip() for name in line.split(" | ")] for line in lines if line and line[0] != "#"]


def pairs(groups: list[list[str]]) -> Iterator[tuple[str, str, bool]]:
    """Every two names, and whether they mean the same event."""
    labelled = [(name, number) for number, group in enumerate(groups) for name in group]
    for (name, group), (other, another) in combinations(labelled, 2):
        yield name, other, group == another


def measure() -> tuple[float, float, list[tuple[str, str]], list[tuple[str, str]]]:
    """Precision, recall, what was wrongly paired, what was missed."""
    hits, wrong, missed = 0, [], []
    for name, other, is_same in pairs(groups()):
        is_alike = not set(keys_of(name)).isdisjoint(keys_of(other))
        hits += is_alike and is_same
        if is_alike and not is_same:
            wrong.append((name, other))
        elif is_same and not is_alike:
            missed.append((name, other))
    return hits / max(hits + len(wrong), 1), hits / max(hits + len(missed), 1), wrong, missed


def many_rows(number: int) -> list[EventDefinitionRow]:
    """Names as teams make them up, some of them alike."""
    things = [f"{first} {second}" for first in _THINGS for second in _THINGS]
    names = (f"{thing} {deed} {at // 9_000}" for at in range(number) for thing, deed in [_named(things, at)])
    return [EventDefinitionRow(id=f"{at:08x}", name=name, seen_at=float(at)) for at, name in enumerate(names)]


_THINGS = ("account", "alert", "avatar", "basket", "checkout", "company", "dashboard", "invoice", "plan")
_DEEDS = ("created", "updated", "deleted", "viewed", "opened", "closed", "failed", "started", "cancelled")


def _named(things: list[str], at: int) -> tuple[str, str]:
    return things[at % len(things)], _DEEDS[(at // len(things)) % len(_DEEDS)]


def main() -> int:
    precision, recall, wrong, missed = measure()
    names = sum(map(len, groups()))
    print(f"{names} labelled names in {len(groups())} groups")
    print(f"precision {precision:.3f}   recall {recall:.3f}")
    for name, other in wrong:
        print(f"  wrong   {name}  ~  {other}")
    for name, other in missed:
        print(f"  missed  {name}  ~  {other}")
    rows = many_rows(MANY)
    began = time.perf_counter()
    look_alikes = LookAlikes(rows)
    print(f"{MANY:,} definitions: {time.perf_counter() - began:.2f} s, {len(look_alikes):,} with a twin")
    return 0 if precision >= 0.95 and recall >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
