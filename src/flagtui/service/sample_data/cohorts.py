"""Groups of people by name: lists, and conditions on what they are or did."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from flagtui.service.sample_data.people import ALICE, MO, PRIYA
from flagtui.service.sample_data.population import Person

Belongs = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Cohort:
    id: int
    name: str
    description: str
    author: int
    conditions: tuple[dict[str, Any], ...] = ()
    """Properties, all of which are needed; none for a list of people."""
    belongs: Belongs | None = None
    """The same conditions for the count that is stored; None where the count was never made."""

    @property
    def filters(self) -> dict[str, Any]:
        if not self.conditions:
            return {}
        every = {"type": "AND", "values": list(self.conditions)}
        return {"properties": {"type": "OR", "values": [every]}}


def asked(key: str, operator: str, value: Any) -> dict[str, Any]:
    return {"key": key, "type": "person", "operator": operator, "value": value}


POWER_USERS: Final = 5
_ACTIVE: Final = {
    "key": "query run",
    "type": "behavioral",
    "value": "performed_event_multiple",
    "event_type": "events",
    "operator": "gte",
    "operator_value": 10,
    "time_value": 30,
    "time_interval": "day",
}

COHORTS: Final = (
    Cohort(1, "Beta testers", "Asked to see things early", PRIYA, (),
    lambda p: p.get("beta_tester") == "true"),
    Cohort(
        2, "Internal staff", "Everybody with a company address", ALICE,
        (asked("email", "icontains", "@acme.com"),), lambda p: "@acme.com" in p["email"],
    ),
    Cohort(
        3, "Paying customers", "On a plan that costs something", MO,
        (asked("plan", "exact", ["pro", "scale", "enterprise"]),), lambda p: p["plan"] != "free",
    ),
    Cohort(
        4, "Central Europe", "Germany, Austria, Switzerland", MO,
        (asked("country", "exact", ["DE", "AT", "CH"]),), lambda p: p["country"] in ("DE", "AT", "CH"),
    ),
    Cohort(POWER_USERS, "Power users", "Ten queries in a month: cannot be used in flags", PRIYA, (_ACTIVE,)),
    Cohort(
        6, "Big teams", "More than forty seats on a paid plan", MO,
        (asked("seats", "gt", "40"), asked("plan", "is_not", ["free"])),
        lambda p: p["seats"] > 40 and p["plan"] != "free",
    ),
    Cohort(7, "Churn risk", "From the spring analysis", ALICE, (),
    lambda p: p["plan"] == "free" and p["seats"] > 60),
    Cohort(
        8, "Old app", "On a version before 4", PRIYA,
        (asked("app_version", "semver_lt", "4.0.0"),), lambda p: p.get("app_version") == "3.9.4",
    ),
)  # fmt: skip


def members(cohort: Cohort, people: list[Person]) -> list[int]:
    """Ids of those who belong, by the conditions as written here."""
    belongs = cohort.belongs
    return [] if belongs is None else [person.id for person in people if belongs(person.properties)]
