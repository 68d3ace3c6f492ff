"""A moment, a person and flags that the searches share."""

from dataclasses import dataclass

import pytest

from flagtui.models.rows import FlagRow

NOW = 1_800_000_000.0
DAY = 86_400.0


@dataclass(frozen=True)
class Someone:
    id: int
    email: str


ADA = Someone(7, "ada@acme.test")


@pytest.fixture
def flags() -> list[FlagRow]:
    """A handful of flags, one for each thing a qualifier can ask for."""
    return [
        FlagRow(
            id=1, key="new-checkout", name="The new basket", active=True, rollout=50.0,
            tags=("checkout", "web"), creator_id=7, creator="ada@acme.test", created_at=NOW - 100 * DAY,
            updated_at=NOW - 60, called_at=NOW - 40 * DAY, version=3,
        ),
        FlagRow(
            id=2, key="newcheck", active=True, rollout=100.0, type="multivariant", runtime="server",
            creator_id=8, creator="bob@acme.test", created_at=NOW - 2 * DAY, updated_at=NOW - 2 * DAY,
            version=1,
        ),
        FlagRow(
            id=3, key="new_check", active=False, type="experiment", runtime="client", tags=("webhooks",),
            experiments=(31,), creator="Ada", updated_at=NOW - 8 * DAY, called_at=NOW - DAY, version=9,
        ),
        FlagRow(
            id=4, key="old-signup", name='Says "hi"', active=True, status="STALE", rollout=100.0,
            conditional=True, created_at=NOW - 400 * DAY, updated_at=NOW - 270 * DAY, version=2,
        ),
        FlagRow(id=5, key="limits", type="config", active=True, rollout=100.0, tags=("Infra",)),
        FlagRow(id=6, key="retired-check", archived=True),
        FlagRow(id=7, key="gone-check", deleted=True),
        FlagRow(id=8, key="café-crème", name="ÜBER Straße ＷＩＤＥ", active=True, rollout=5.0),
    ]  # fmt: skip
