"""Who sees it: one person or two, evaluated by the server, otherwise locally from its data."""

from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.sights import find_missing
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.test_flag_detail import left_text
from textual.widgets import Input

ANNA, BEN = "anna@acme.com", "ben@shop.example"


@pytest.fixture
def template(everybody: Path) -> Path:
    return everybody


@pytest.fixture(scope="module")
def shared_setting(shared_setting: Setting, everybody: Path) -> Setting:
    return replace(shared_setting, template=everybody, size=(132, 50))


async def test_arrows_go_through_the_tabs_past_an_empty_line(shared: Program) -> None:
    await shared.go_to("checkout-redesign", "enter", *["right"] * 5)
    assert "x compare" in shared.last_line
    await shared.press("left", "x", "right", "right")
    assert "ask" in shared.last_line, "arrows move in a line with text"


async def ask(program: Program, *people: str, shows: Sequence[str] = ()) -> str:
    """Open the tab for the flag under the cursor, name people, and look for what it says."""
    await program.press("w")
    for line, person in zip(program.app.screen.query(Input), people, strict=False):
        line.value = person
    program.app.screen.query(Input).first().focus()
    await program.press("enter")
    await program.settle()
    text = left_text(program)
    assert find_missing(text, *shows) == []
    return text


SIDE_BY_SIDE = (
    *(f"WHO {ANNA} {BEN}", "value test off", "decided by condition 1 the rollout of condition 2"),
    *("0.38 ≤ 0.50 in 0.82 > 0.10 out", "variant hash 0.75 → test"),
    *('payload {"cta": "Buy now", "express":… none', "according to the server the server"),
    f"They differ because condition 1 requires email ends with @acme.com: {ANNA} matches, {BEN} does not.",
    *("OTHER FLAGS THAT DIFFER FOR THESE TWO", "auth-ip-allow-list on off"),
)


async def test_two_people_side_by_side_and_why_they_differ(shared: Program) -> None:
    await shared.go_to("checkout-redesign")
    text = await ask(shared, ANNA, BEN, shows=SIDE_BY_SIDE)
    account = shared.app.screen.query_one("WhoPane")._accounts[0]  # type: ignore[attr-defined]  # found by name
    others = (account.server_values.keys() | account.local_values.keys()) - {"checkout-redesign"}
    assert f" of {len(others)} " in text
    local = account.local_values.items()
    values = {key: evaluation.value for key, evaluation in local if evaluation.value is not None}
    assert len(values) > 200
    assert {key: account.server_values[key].value for key in values} == values
    why = "condition 1 requires country is any of DE, FR, NL"
    lines = ("value off test", "according to evaluated here the server", why)
    await ask(shared, f"{ANNA} country=US", ANNA, shows=lines)
    shared.see(sent=0)


async def test_old_closed_server_is_evaluated_locally_with_its_refusal(setting: Setting) -> None:
    old = replace(setting, options=(("legacy", True), ("strict", True)), size=(132, 50))
    async with running(old) as program:
        await program.go_to("checkout-redesign")
        lines = ("value test", "according to evaluated here", "Not from the server:")
        await ask(program, f"{ANNA} email={ANNA} country=DE", shows=lines)
        requests = program.wire.count("evaluation_reasons")
        await ask(program, f"{ANNA} email={ANNA} country=US")
        assert program.wire.count("evaluation_reasons") == requests


async def test_empty_person_line_is_explained_and_server_errors_break_nothing(setting: Setting) -> None:
    failed = httpx.Response(500, text="down")
    async with running(setting, lambda wire: wire.answer("evaluation", failed)) as program:
        await program.go_to("checkout-redesign")
        await ask(program, "anna twice", shows=["key=value, not twice"])
        await ask(program, ANNA, shows=["Not from the server", "value ?"])
        await program.press("escape", "escape", shows="1 Flags")
