"""The nasty project: hostile texts reach the database unchanged, in every place the program shows."""

import json
import sqlite3
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette

from flagtui.service.sample_data.nasty import HOSTILE, MODEST

EVERYWHERE = {
    "flag keys": "SELECT key FROM flags WHERE project_id = 3",
    "flag names": "SELECT name FROM flags WHERE project_id = 3",
    "flag tags": "SELECT t.value FROM flags AS f, json_each(f.tags) AS t WHERE f.project_id = 3",
    "log names": "SELECT detail ->> '$.name' FROM activity WHERE project_id = 3",
    "experiment names": "SELECT name FROM experiments WHERE project_id = 3",
    "experiment comments": "SELECT conclusion_comment FROM experiments WHERE project_id = 3",
    "event descriptions": "SELECT description FROM event_definitions WHERE project_id = 3",
    "event tags": "SELECT t.value FROM event_definitions AS e, json_each(e.tags) AS t WHERE e.project_id = 3",
    "cohort names": "SELECT name FROM cohorts WHERE project_id = 3",
    "user roles": "SELECT role_at_organization FROM users WHERE id > 900",
    "distinct ids": "SELECT distinct_id FROM distinct_ids WHERE project_id = 3",
}


@pytest.fixture
def filled(served: Starlette) -> Iterator[sqlite3.Connection]:
    with served.state.dispatcher.database.reading() as db:
        yield db


@pytest.mark.parametrize("place", EVERYWHERE)
def test_hostile_texts_are_stored_unchanged(filled: sqlite3.Connection, place: str) -> None:
    stored = {row[0] for row in filled.execute(EVERYWHERE[place])}
    assert stored <= set(HOSTILE)
    assert len(stored) >= min(len(MODEST), 24)


def test_answers_made_by_the_database_keep_them_too(filled: sqlite3.Connection) -> None:
    for key, name, rendered in filled.execute("SELECT key, name, rendered FROM flags WHERE project_id = 3"):
        answer = json.loads("{" + rendered + "}")
        assert (answer["key"], answer["name"]) == (key, name)


def test_every_way_out_is_tried() -> None:
    everything = "".join(HOSTILE)
    ways = ["\x1b]52;", "\x1b[2J", "\x07", "\x08", "\x7f", "\x85", "\x9b", "\x9d", "\r", "\n", "\t"]
    ways += ["[/x]", "[@click=app.quit]x[/]", "\u202e", "\u200b", "\u00ad", "\u2028", "\ufeff", "\u200d"]
    assert [way for way in ways if way not in everything] == []
    assert max(map(len, HOSTILE)) > 10_000


def test_no_text_is_there_twice() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE)
