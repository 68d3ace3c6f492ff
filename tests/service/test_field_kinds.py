"""One declaration of a field serves reading, faults in their order, columns, log and schema document."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from flagtui.service.access import ANONYMOUS
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Fault
from flagtui.service.field_kinds import (
    HIDDEN,
    Field,
    Kind,
    Table,
    Target,
    Use,
    choice,
    moment,
    number,
    text,
    truth,
)
from flagtui.service.settings import Settings
from flagtui.service.shapes import MAYBE_MOMENT, MAYBE_TEXT, MAYBE_TRUTH, NUMBER, TEXT, TEXTS, words

CRATES = Table(
    "crate",
    (
        Field("id", None, Use.ALWAYS, {"type": "integer"}),
        Field("label", text(9, blank=False), Use.LOGGED | Use.COPIED | Use.NEEDED),
        Field("fragile", truth(null=True), Use.LOGGED, default=False),
        Field("weight", number(), Use.LOGGED),
        Field("size", choice(("s", "l"), null=True), Use.COPIED, shown=TEXT, default="s"),
        Field("packed_at", moment()),
        Field("stamps", Kind(lambda body, name, _: body.items(name), TEXTS, "json"), default=[]),
        Field("owner", text(null=True), column="owner_id"),
        Field("origin", text(), shown=HIDDEN),
    ),
)


@contextmanager
def target(*, legacy: bool = False) -> Iterator[Target]:
    settings = Settings(legacy=legacy)
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with closing(sqlite3.connect(":memory:")) as database:
        yield Target(Call(database, settings, ANONYMOUS, None, now, method="POST"))


def read(needed: bool = False, legacy: bool = False, **sent: Any) -> dict[str, Any]:
    with target(legacy=legacy) as kept:
        return CRATES.read(Fields(sent), kept, needed)


def fault(needed: bool = False, **sent: Any) -> str:
    with pytest.raises(Fault) as caught:
        read(needed, **sent)
    return caught.value.content.decode()


def test_only_what_was_sent_is_read_into_its_column() -> None:
    sent: dict[str, Any] = {"label": " a ", "fragile": "yes", "owner": None}
    assert read(**sent, packed_at="2026-01-02T03:04:05+01:00", unknown=1) == {
        "label": "a", "fragile": True, "owner_id": None, "packed_at": "2026-01-02T02:04:05.000000Z",
    }  # fmt: skip


def test_first_fault_in_table_order_is_reported() -> None:
    assert '"attr":"label"' in fault(weight="x", label="too long a label", size="m")
    assert '"attr":"weight"' in fault(size="m", weight="x")
    assert '"attr":"size"' in fault(size="m")
    assert '"code":"required"' in fault(needed=True, weight="x")
    assert read(weight=3) == {"weight": 3}
    assert read(id=7) == {}


def test_columns_have_one_name_and_their_stored_values() -> None:
    values = {"label": "a", "fragile": None, "stamps": ["x"], "weight": 3}
    stored = CRATES.encode(values)
    assert stored["stamps"] == '["x"]'
    assert CRATES.decode(stored) == values
    assert CRATES.decode({"fragile": 1}) == {"fragile": True}
    table = Table("crate", (Field("old", text(), Use.LOGGED, column="new"), Field("new", text(), Use.LOGGED)))
    assert table.using(Use.LOGGED) == ("new",)
    assert table.places(Use.LOGGED) == (("old", "new"), ("new", "new"))
    assert (table.place("old"), table.place("other")) == ("new", "other")


def test_table_answers_which_other_uses_a_field_has() -> None:
    assert CRATES.using(Use.LOGGED) == ("label", "fragile", "weight")
    assert CRATES.using(Use.COPIED) == ("label", "size")
    assert CRATES.always() == ("id",)
    assert CRATES.defaults == {"fragile": False, "size": "s", "stamps": []}


def test_schemas_have_writable_and_shown_fields() -> None:
    assert CRATES.answer_schema() == {
        "id": NUMBER, "label": TEXT, "fragile": MAYBE_TRUTH, "weight": NUMBER, "size": TEXT,
        "packed_at": MAYBE_MOMENT, "stamps": TEXTS, "owner": MAYBE_TEXT,
    }  # fmt: skip
    assert set(CRATES.answer_schema(Use.COPIED)) == {"label", "size"}
    assert CRATES.body_schema() == {
        "label": {**TEXT, "minLength": 1, "maxLength": 9}, "fragile": MAYBE_TRUTH, "weight": NUMBER,
        "size": words(("s", "l"), None), "packed_at": MAYBE_MOMENT, "stamps": TEXTS, "owner": MAYBE_TEXT,
        "origin": TEXT,
    }  # fmt: skip


def test_fields_a_generation_does_not_read_are_ignored() -> None:
    fields = ("archived", "is_simple_flag", "evaluation_contexts")
    flags = Table("flag", (Field(name, text()) for name in fields))
    sent = dict.fromkeys(fields, "x")
    with target() as newer, target(legacy=True) as older:
        assert flags.read(Fields(sent), newer) == sent
        assert flags.read(Fields(sent), older) == {}
