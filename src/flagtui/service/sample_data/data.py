"""What the sample company is made of, as its TOML files tell it."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def told(subject: str) -> dict[str, Any]:
    """The file of a subject. What is given must not be changed."""
    folder = resources.files("flagtui.service.sample_data")
    return tomllib.loads((folder / f"{subject}.toml").read_text(encoding="utf-8"))


@cache
def user(first_name: str) -> int:
    """The id of a person who works at the company."""
    return next(int(one["id"]) for one in told("company")["employees"] if one["first_name"] == first_name)


@cache
def authors() -> tuple[int, ...]:
    """Everyone who changes things by hand."""
    return tuple(one["id"] for one in told("company")["employees"] if one["first_name"])


def phrases(text: str) -> tuple[str, ...]:
    """What commas part, on however many lines."""
    return tuple(" ".join(text.split()).split(", "))


def slug(phrase: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in phrase.lower())


def sentence(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]
