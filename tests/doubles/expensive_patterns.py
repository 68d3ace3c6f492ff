"""Fifty patterns for which a backtracking engine needs seconds, years or all memory, each with a text."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

import httpx
from starlette.applications import Starlette

from flagtui.api.http_library import in_process
from flagtui.models.json_value import JSON
from flagtui.service.database import insert_row


class Expensive(NamedTuple):
    """One pattern and one text."""

    pattern: str
    text: str
    is_match: bool
    """What an engine finds that has all the time it needs."""


_A: Final = "a" * 40
_LONG: Final = "a" * 50_000

EXPENSIVE: Final = (
    Expensive("(?:a|a)" * 22 + "$", "a" * 30 + "!", False),
    Expensive("(?:a|a)" * 22 + "b", "a" * 30 + "cb", False),
    Expensive("a{0,999}" * 4 + "$", "a" * 2_000 + "!", False),
    Expensive("a{0,999}" * 4 + "b$", "a" * 2_000 + "bc", False),
    Expensive("a?" * 20 + "[ab]{21}$", "a" * 20 + "!", False),
    Expensive("(?:a?){30}[ab]{30}c", "a" * 30 + "!c", False),
    Expensive("a*a*b$", _LONG + "bc", False),
    Expensive("a*a*[bc]", _LONG, False),
    Expensive("a*a*a*a*[bc]", "a" * 2_000, False),
    Expensive("(a+)+$", _A + "!", False),
    Expensive("(a|aa)+$", _A * 2 + "!", False),
    Expensive("(a|a)*$", _A + "b!", True),
    Expensive("^(a|ab|b)*$", "ab" * 40 + "!", False),
    Expensive("(x+x+)+[yz]", "x" * 40, False),
    Expensive("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60, False),
    Expensive(r"^(\w+\s?)*$", "word " * 30 + "!", False),
    Expensive("(.*)(.*)(.*)(.*)(.*)[=%]", "x" * 2_000, False),
    Expensive("((a{0,99}){0,99}){0,99}[bc]", "a" * 200, False),
    Expensive("(?:(?:(?:a{1000}){1000}){1000})", "a" * 1_000, False),
    Expensive("(?:[ab]{1000}){1000}", "ab" * 1_000, False),
    Expensive("(?:a{999}|b){999}c", "a" * 2_000, False),
    Expensive(r"(.+)\1\1$", "a" * 2_000 + "!", False),
    Expensive(r"(a*)\1*[bc]", "a" * 3_000, False),
    Expensive("(?=(a+)+$)[ab]?$", _A + "!", False),
    Expensive("^(?!(?:a|aa)+$)[ab]+$", _A * 2 + "b", True),
    Expensive("(?i)^(a|A|aa)+$", "aA" * 40 + "!", False),
    Expensive("(?i)^(?:k|K|kk)+$", "k" * 80 + "!", False),
    Expensive("[a-z]*[a-z]*[a-z]*[0-9]", "a" * 3_000, False),
    Expensive("[^0-9]*[^1-9]*[^2-9]*[0-9]$", "é" * 3_000, False),
    Expensive(".*.*.*.*[xy]$", "a" * 3_000, False),
    Expensive("(?:(?:a*)*)*[bc]", "a" * 60, False),
    Expensive("^(?:a|b|ab)*[cd]$", "ab" * 60, False),
    Expensive(r"\s+$", " " * 50_000 + "x", False),
    Expensive(r"(?s).*\n.*[qr]", "\n" * 50_000, False),
    Expensive("b" * 50 + "$", "b" * 90_000 + "c", False),
    Expensive("[^x]x|[^y]y|.*[z0]$", _LONG, False),
    Expensive("a{1000}[bc]", _LONG, False),
    Expensive("(?:aaaaaaaaaa){100}[bc]", _LONG, False),
    Expensive("(a{1,1000}){1,1000}[bc]", "a" * 1_000, False),
    Expensive("|".join("a" * times + "b" for times in range(1, 80)), _LONG, False),
    Expensive("|".join(f"user{number}" for number in range(900)), "a" * 10 + "user899", True),
    Expensive("(?:.|\\s)*?[xy]", "a" * 5_000, False),
    Expensive("^(a|b|c|ab|bc|abc)*$", "abc" * 50 + "d", False),
    Expensive("(([ab]*c?)*d?)*[ef]", "abc" * 20, False),
    Expensive("a|" * 5_000 + "b", "c", False),
    Expensive("a" * 100_000, "b", False),
    Expensive("(?i)" + "[\0-\U0010ffff]" * 500, "b", False),
    Expensive("[ab]*c", "a" * 1_000_000, False),
    Expensive("[ab]" + "a" * 3_000, "a" * 3_001, True),
    Expensive("(a*)*(a*)*(a*)*[bc]$", _A + "!", False),
)


def expensive_flags() -> Sequence[dict[str, JSON]]:
    """A flag for each pattern, as a body that creates it: `costly-7` asks for the property `p7`."""
    return [
        {"key": f"costly-{number}", "active": True, "filters": {"groups": [_condition(number, each.pattern)]}}
        for number, each in enumerate(EXPENSIVE)
    ]


def _condition(number: int, pattern: str) -> dict[str, JSON]:
    question = {"key": f"p{number}", "type": "person", "operator": "regex", "value": pattern}
    return {"properties": [question], "rollout_percentage": 100}


def expensive_properties() -> dict[str, JSON]:
    """The properties of a person who is asked all of it."""
    return {f"p{number}": each.text for number, each in enumerate(EXPENSIVE)}


async def store_expensive(application: Starlette, key: str) -> None:
    """Put all flags into the first project of a service, and Ada with all the texts."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(
        transport=in_process(application), base_url="http://127.0.0.1:1", headers=headers
    ) as client:
        for body in expensive_flags():
            made = await client.post("/api/projects/1/feature_flags/", json=body)
            assert made.status_code == 201, made.text[:400]

    def add_person(db: sqlite3.Connection) -> None:
        texts, born = json.dumps(expensive_properties()), "2026-03-01T00:00:00.000000Z"
        person = insert_row(
            db, "persons", {"project_id": 1, "uuid": "costly", "properties": texts, "created_at": born}
        )
        insert_row(db, "distinct_ids", {"project_id": 1, "distinct_id": "ada", "person_id": person})

    application.state.dispatcher.database.write(add_person).result()
