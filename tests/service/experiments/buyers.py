"""An experiment on a button, its users, and their purchases."""

from datetime import datetime, timedelta
from typing import Any

from tests.service.experiments.conftest import FUNNEL, MEAN, START, Service

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
Happened = tuple[str, str, datetime, dict[str, Any]]


async def start_experiment(service: Service, **fields: Any) -> Any:
    service.define_event("bought")
    return await service.running(metrics=[MEAN, FUNNEL], **fields)


def people(variant: str, count: int) -> list[str]:
    return [f"{variant}-{number}" for number in range(count)]


def fill(service: Service, buyers: dict[str, int], each: int = 100) -> None:
    """A hundred people see each variant within the first hour; the first of them buy an hour later."""
    for variant, count in buyers.items():
        service.expose("blue-button", variant, *people(variant, each), at=START + HOUR)
        bought = [("bought", person, START + 2 * HOUR, {"price": 10}) for person in people(variant, count)]
        service.record(*bought)
