"""The people and companies who use the sample product."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Final

from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import EMPLOYEES
from flagtui.service.sample_data.vocabulary import words

WEB_PEOPLE: Final = 8_246
MOBILE_PEOPLE: Final = 900
COMPANIES: Final = 140

_FIRST: Final = words(
    "anna ben chen dora emil fatima goran hana ivo jana karim lena marco nadia oskar paula quentin rosa "
    "stefan tara umar vera wanda xavier yara zoe amir bianca cem dilara elif felix greta hugo ines joao "
    "kaya liam mira noah"
)
_LAST: Final = words(
    "abel berg costa duarte ek fischer garcia haas ito jansen klein lopez meyer novak ortiz petit quist "
    "rossi silva tanaka ueda vogel weber xu yilmaz zeman"
)
_DOMAINS: Final = ("acme.com", "globex.com", "initech.io", "shop.example", "mail.example", "studio.example")
_DOMAIN_SHARES: Final = (34, 12, 10, 16, 20, 8)
_COUNTRIES: Final = ("DE", "FR", "NL", "US", "GB", "AT", "CH", "BR", "JP", "IN")
_COUNTRY_SHARES: Final = (22, 16, 9, 24, 9, 4, 4, 5, 3, 4)
_PLANS: Final = ("free", "pro", "scale", "enterprise")
_PLAN_SHARES: Final = (62, 24, 10, 4)
_BROWSERS: Final = ("Chrome", "Safari", "Firefox", "Edge")
_VERSIONS: Final = ("3.9.4", "4.0.0", "4.1.7", "4.2.0", "4.2.1", "4.3.0")
_JOBS: Final = ("engineer", "analyst", "designer", "founder", "support")
_INDUSTRIES: Final = ("banking", "retail", "media", "health", "logistics", "software")


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    distinct_id: str
    properties: dict[str, Any]
    created_at: datetime


def web_people(now: datetime) -> list[Person]:
    """People of the web project: two that examples compare, the company's own staff, and the rest."""
    known = [
        Person(1, "anna@acme.com", drawn("Anna", "anna@acme.com", "DE", "pro"), Moments(now).ago(210)),
        Person(2, "ben@shop.example", drawn("Ben", "ben@shop.example", "US", "free"), Moments(now).ago(120)),
    ]
    known += [
        Person(number, each.distinct_id, staff(each.first_name, each.email), Moments(now).ago(600))
        for number, each in enumerate(EMPLOYEES, start=3)
    ]
    return [*known, *crowd(now, Random("acme people"), len(known) + 1, WEB_PEOPLE - len(known))]


def mobile_people(now: datetime) -> list[Person]:
    return list(crowd(now, Random("acme mobile people"), WEB_PEOPLE + 1, MOBILE_PEOPLE))


def drawn(name: str, email: str, country: str, plan: str) -> dict[str, Any]:
    return {
        "name": name,
        "email": email,
        "country": country,
        "plan": plan,
        "seats": 12,
        "browser": "Chrome",
        "app_version": "4.2.1",
    }


def staff(name: str, email: str) -> dict[str, Any]:
    return {
        "name": name,
        "email": email,
        "country": "NL",
        "plan": "enterprise",
        "seats": 80,
        "beta_tester": "true",
    }


def crowd(now: datetime, random: Random, first_id: int, count: int) -> Iterator[Person]:
    moments = Moments(now)
    domains = random.choices(_DOMAINS, _DOMAIN_SHARES, k=count)
    countries = random.choices(_COUNTRIES, _COUNTRY_SHARES, k=count)
    plans = random.choices(_PLANS, _PLAN_SHARES, k=count)
    for index in range(count):
        person_id = first_id + index
        first, last = random.choice(_FIRST), random.choice(_LAST)
        joined = moments.ago(1 + 398 * random.random())
        properties: dict[str, Any] = {
            "name": f"{first.title()} {last.title()}",
            "email": f"{first}.{last}{person_id}@{domains[index]}",
            "country": countries[index],
            "plan": plans[index],
            "seats": 1 + int(random.random() ** 3 * 90),
            "browser": random.choice(_BROWSERS),
            "app_version": random.choice(_VERSIONS),
            "signed_up_at": joined.date().isoformat(),
        }
        if index % 9 == 0:
            properties["beta_tester"] = "true"
        if index % 4 == 0:
            properties["job_title"] = random.choice(_JOBS)
        yield Person(person_id, f"u-{person_id:05d}", properties, joined)


@dataclass(frozen=True, slots=True)
class Company:
    key: str
    properties: dict[str, Any]


def companies(random: Random) -> Iterator[Company]:
    for number in range(COMPANIES):
        key = ("globex", "initech", "umbra", "hooli")[number] if number < 4 else f"org-{number:03d}"
        yield Company(
            key,
            {
                "name": key.title(),
                "plan": random.choices(_PLANS, _PLAN_SHARES)[0],
                "employees": int(3 + random.random() ** 3 * 4_000),
                "industry": random.choice(_INDUSTRIES),
            },
        )
