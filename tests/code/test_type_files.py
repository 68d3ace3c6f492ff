"""Files of types: their declarations; hostile keys stay within their quotes."""

import ast
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from mypy import api as mypy
from tests.doubles.servers import page
from tests.doubles.targeting import flag_of

from flagtui.code.flag_types import FlagType, TypeFile, flag_types, write_openfeature
from flagtui.code.go_types import write_go
from flagtui.code.identifiers import comment, quote, quote_in_utf16
from flagtui.code.python_types import write_python
from flagtui.code.typescript_types import write_typescript
from flagtui.models.flag_shapes import FlagShape, read_shape_page
from flagtui.models.value_shapes import merge_shapes, shape_of

Writer = Callable[[Sequence[FlagType], str], TypeFile]
WRITERS: list[Writer] = [write_typescript, write_python, write_go, write_openfeature]
HOSTILE = (
    *('a"b', "a'b", "a`b${1}", "a\nb", "a*/b", "a\u2028b", "__proto__", "a\\", '"""', "1st", "ключ"),
    *("\U0001f600", "class", "any", "constructor"),
)


def shape(
    key: str, *, variants: Sequence[str] = (), payloads: dict[str, Any] | None = None, **more: Any
) -> FlagShape:
    shares = [{"key": each, "rollout_percentage": 0} for each in variants]
    flag = flag_of(key=key, payloads=payloads or {}, multivariate={"variants": shares}) | more
    return read_shape_page(page(flag)).rows[0]


def write(writer: Writer, *shapes: FlagShape) -> str:
    return writer(flag_types(shapes), "flagtui flags types").text


CHECKOUT = shape(
    "checkout",
    variants=("control", "test"),
    payloads={"control": '{"title": "a", "n": 1}', "test": '{"title": null, "n": 1.5, "tags": ["x"]}'},
    name="New checkout",
)


def test_payloads_of_all_variants_merge_into_one_type() -> None:
    text = write(write_typescript, CHECKOUT)
    assert '"checkout": "control" | "test" | false;' in text
    assert '"checkout": { "n": number; "tags"?: Array<string>; "title": null | string } | null;' in text
    python = write(write_python, CHECKOUT)
    assert '"tags": NotRequired[list[str]],' in python
    assert '"title": None | str,' in python
    go = write(write_go, CHECKOUT)
    assert '\tN     float64  `json:"n"`' in go
    assert '\tTags  []string `json:"tags,omitempty"`' in go
    assert '\tTitle *string  `json:"title"`' in go


def test_openfeature_manifest_has_a_type_and_default_per_flag() -> None:
    flags = json.loads(write(write_openfeature, CHECKOUT, shape("nav")))["flags"]
    assert flags["nav"] == {"flagType": "boolean", "defaultValue": False}
    assert flags["checkout"]["flagType"] == "string"
    assert flags["checkout"]["description"] == "New checkout. Variants: control, test."


@pytest.mark.parametrize("writer", WRITERS)
def test_stale_flags_are_deprecated_with_the_reason(writer: Writer) -> None:
    stale = shape("old", status="STALE", last_called_at="2026-03-01T10:00:00Z")
    assert "stale, last called on 2026-03-01." in write(writer, stale)
    assert "eprecated" not in write(writer, shape("old", status="ACTIVE"))


@pytest.mark.parametrize("writer", WRITERS)
def test_order_of_the_flags_changes_nothing(writer: Writer) -> None:
    flags = [shape(key) for key in ("b", "a", "c")]
    assert write(writer, *flags) == write(writer, *reversed(flags))


def test_identifiers_that_collide_are_numbered_and_reported() -> None:
    flags = flag_types(shape(key, id=id) for id, key in enumerate(("new_nav", "new-nav", "new.nav"), 7))
    for writer, names in ((write_typescript, ("newNav2", "newNav3")), (write_go, ("NewNav2", "NewNav3"))):
        assert writer(flags, "").numbered == dict(zip(("new-nav", "new.nav"), names, strict=True))
    assert write_python(flags, "").numbered == {"new-nav": "NEW_NAV_2", "new.nav": "NEW_NAV_3"}


def test_hostile_keys_are_python_that_is_strictly_typed(tmp_path: Any) -> None:
    payloads = {key: json.dumps({key: {key: 1}}) for key in HOSTILE}
    shapes = [shape(key, variants=HOSTILE, payloads=payloads, name=f"{key} \\") for key in HOSTILE]
    path = tmp_path / "flag_types.py"
    path.write_text(write(write_python, *shapes), encoding="utf-8")
    module: dict[str, Any] = {}
    exec(compile(ast.parse(path.read_text(encoding="utf-8")), "flag_types", "exec"), module)
    assert {value for value in module.values() if isinstance(value, str)} >= {*HOSTILE}
    assert {*module["FlagValues"].__annotations__} == {*HOSTILE}
    report, errors, code = mypy.run(["--strict", "--no-incremental", "--config-file=", str(path)])
    assert (code, errors) == (0, ""), report


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_within_their_quotes(text: str) -> None:
    assert ast.literal_eval(quote(text)) == text
    assert json.loads(quote_in_utf16(text)) == text
    assert quote(text).isascii()


@pytest.mark.parametrize("text", ["a */ b", "a\nb", 'a """ b', "a\u2028b", "\\u002a/", "a\x1b[31m"])
def test_hostile_texts_cannot_end_a_comment(text: str) -> None:
    line = comment(text)
    assert not {"*/", '"""', "\n", "\\", "\u2028", "\x1b"} & {line, *line}
    assert "*/" not in line
    assert '"""' not in line


def test_shapes_and_encrypted_payloads_keep_no_value() -> None:
    merged = merge_shapes(map(shape_of, ([1], [2.5], ["secret"], [])))
    assert merged.items == merge_shapes(map(shape_of, (1, 2.5, "secret")))
    assert shape_of([]).items != shape_of([None]).items
    assert merge_shapes(map(shape_of, (1, None, 2.5))).scalars == ("null", "number")
    assert "secret" not in repr(shape_of({"a": "secret"}))
    assert shape_of({str(number): 1 for number in range(300)}).is_table
    hidden = shape("secret", payloads={"true": "********"}, has_encrypted_payloads=True)
    assert '"secret": unknown;' in write(write_typescript, hidden)
    assert '"secret": Any,' in write(write_python, hidden)
