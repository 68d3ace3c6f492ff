"""One declaration of a field serves reading, faults in their order, columns, log and schema document."""

from flagtui.service.field_kinds import (
    HIDDEN,
    Field,
    Kind,
    Table,
    Use,
    choice,
    moment,
    number,
    text,
    truth,
)
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
