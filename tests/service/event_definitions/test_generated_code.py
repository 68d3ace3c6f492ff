"""Types of events as source code: no name becomes code, and each has its own identifier."""

import re
from typing import Any, get_args

import pytest
from tests.service.event_definitions.conftest import Service

GENERATED = [
    ("typescript", '"quoted \\"name\\"\\u2028 \\ud83d\\ude00": Record<string, any>;', '{ "$plan"?: string }'),
    ("golang", 'EventName = "quoted \\"name\\"\\u2028 \\U0001f600"\n',
     'Plan *string `json:"$plan,omitempty"`'),
    ("python", 'Literal["quoted \\"name\\"\\u2028 \\U0001f600", ', '"$plan": str,'),
]  # fmt: skip


@pytest.mark.parametrize(("language", "hostile", "member"), GENERATED)
async def test_scenario_26_types_of_all_events(
    service: Service, language: str, hostile: str, member: str
) -> None:
    for name, columns in {'quoted "name"\u2028 😀': {}, "signup done": {}, "hidden": {"hidden": 1}}.items():
        service.define(name, **columns)
    service.write("INSERT INTO property_definitions VALUES (1, 'signup done', '$plan', 'String')")
    shown = await service.get(f"{language}/")
    assert set(shown) == {"content", "event_count", "schema_hash", "generator_version"}
    assert shown["event_count"] == 2
    assert hostile in shown["content"]
    assert member in shown["content"]
    service.define("signup_done")
    changed = await service.get(f"{language}/")
    assert changed["schema_hash"] != shown["schema_hash"]
    assert changed["content"].isascii()


async def test_generated_python_runs_and_names_each_event(service: Service) -> None:
    names = ("name", "signup done", "signup_done", "1st", "名")
    for name in names:
        service.define(name)
    module: dict[str, Any] = {}
    exec((await service.get("python/"))["content"], module)
    assert sorted(get_args(module["EventName"])) == sorted(names)
    assert module["EventSchemas"].__annotations__.keys() == set(names)
    source = (await service.get("golang/"))["content"]
    types = re.findall(r"^type (\w+) ", source, re.MULTILINE)
    constants = re.findall(r"^\t(\w+) +EventName =", source, re.MULTILINE)
    assert len({*types, *constants}) == 2 * len(names) + 1
