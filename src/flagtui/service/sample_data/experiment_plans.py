"""Which experiments the company ran, runs and means to run, and what really came of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from flagtui.service.sample_data.data import slug, told, user

Stage = Literal["draft", "running", "paused", "stopped", "archived"]
HALVES: Final = (("control", 50.0), ("test", 50.0))


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """One experiment as it will be stored, and the truth that its events are drawn from."""

    id: int
    name: str
    question: str
    stage: Stage
    ages: Sequence[float]
    """In days: created, then started, then ended or paused, as far as the stage goes."""
    lifts: Sequence[float] = (1.0,)
    """For each variant after the first: how much more often its people convert."""
    people: int = 800
    """How many met the flag."""
    rate: float = 0.2
    """How many of the first variant's people convert."""
    metrics: Sequence[str] = ("paid",)
    """Names from the catalogue of metrics; the first is primary, `+` before a name makes it secondary."""
    author: str = "Mo"
    conclusion: str | None = None
    comment: str | None = None
    variants: Sequence[tuple[str, float]] = HALVES
    frequentist: bool = False
    dropped: float = 0.0
    """Share of the last variant's exposures that never arrived: what a sample-ratio mismatch looks like."""
    runtime: str = "all"
    tags: Sequence[str] = ("growth",)
    holdout: bool = False
    flag_key: str = ""
    saved: Sequence[int] = ()
    """Ids of shared metrics it also watches."""

    @property
    def key(self) -> str:
        return self.flag_key or slug(self.name.replace("'", ""))

    @property
    def author_id(self) -> int:
        return user(self.author)

    @property
    def shipped(self) -> bool:
        return self.conclusion == "won" and self.stage == "stopped"


@cache
def plans() -> tuple[ExperimentPlan, ...]:
    """In the order they were made; the ids are theirs."""
    rows: list[dict[str, Any]] = told("experiments")["experiments"]
    return tuple(ExperimentPlan(number, **row) for number, row in enumerate(rows, start=1))
