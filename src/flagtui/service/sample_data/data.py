"""The data of the sample company from its TOML files, with ids and times that stay the same."""

import tomllib
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b
from importlib import resources
from random import Random
from typing import Any

import msgspec


@cache
def load_subject(subject: str) -> dict[str, Any]:
    """Return the file of a subject, which must not be changed."""
    folder = resources.files("flagtui.service.sample_data")
    return tomllib.loads((folder / f"{subject}.toml").read_text(encoding="utf-8"))


@cache
def user(first_name: str) -> int:
    return next(
        int(employee["id"])
        for employee in load_subject("company")["employees"]
        if employee["first_name"] == first_name
    )


@cache
def authors() -> tuple[int, ...]:
    """Return all employees who change records."""
    return tuple(
        employee["id"] for employee in load_subject("company")["employees"] if employee["first_name"]
    )


def phrases(text: str) -> tuple[str, ...]:
    """Return what commas part, on however many lines."""
    return tuple(" ".join(text.split()).split(", "))


def slug(phrase: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in phrase.lower())


def sentence(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


class Moments(msgspec.Struct, frozen=True):
    """Turns ages into times, a few seconds past the round number so that it reads the same for a while."""

    now: datetime

    def ago(self, days: float = 0, hours: float = 0, minutes: float = 0) -> datetime:
        moment = self.now - timedelta(days=days, hours=hours, minutes=minutes, seconds=5)
        return moment.replace(microsecond=(moment.second * 16_807 + moment.minute * 4_099) % 1_000_000)


def format_stamp(moment: datetime | None) -> str | None:
    """Format a moment as the service's own clock does; moments here are in UTC, which is faster."""
    return None if moment is None else moment.isoformat(timespec="microseconds")[:26] + "Z"


def random_uuid(random: Random) -> str:
    return _format_uuid(f"{random.getrandbits(128):032x}")


def named_uuid(name: str) -> str:
    """Return the same UUID for the same name, always."""
    return _format_uuid(blake2b(name.encode(), digest_size=16).hexdigest())


def _format_uuid(digits: str) -> str:
    """Format thirty-two hexadecimal digits as a UUID of version 4."""
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
