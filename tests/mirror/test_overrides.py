"""Overrides: how they are written, their file, and definitions that serve them."""

from pathlib import Path
from typing import Any

import pytest

from flagtui.config.toml_source import SettingsError
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person, Rules
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.override_file import OverrideFile, read_override_file
from flagtui.mirror.overrides import Overrides
from flagtui.models.override import InvalidOverride, Override, Share, read_override
from flagtui.service.sdk.flag_set import FlagRecord, FlagResult, FlagSet

WRITTEN = [
    ("new-nav=on", Override("new-nav", True)), ("new-nav=TRUE", Override("new-nav", True)),
    ("new-nav=off", Override("new-nav", False)), ("checkout=test", Override("checkout", "test")),
    ("checkout=test@ann@acme.com", Override("checkout", "test", "ann@acme.com")),
    ("search=20%", Override("search", Share(20))),
    ("search=33.333333333333336%", Override("search", Share(100 / 3))),
    ("limit=3", Override("limit", 3)), ("limit=2.5@ann", Override("limit", 2.5, "ann")),
    ('limits={"mail": "a@b"}@ann', Override("limits", {"mail": "a@b"}, "ann")),
    ('checkout="on"', Override("checkout", "on")), ('checkout="3"@ann', Override("checkout", "3", "ann")),
    ('checkout="a@b"', Override("checkout", "a@b")), ('checkout="[test"', Override("checkout", "[test")),
    ('checkout="{test}"@ann', Override("checkout", "{test}", "ann")),
    ('checkout="\\"test"', Override("checkout", '"test')),
]  # fmt: skip
MALFORMED = [
    *("", "new-nav", "=on", "new-nav=", "new-nav=on@", "search=20%@ann", "search=101%", "search=-1%"),
    *("limits={", 'limits={"a": 1} more', "limits=[1]", "limit=NaN", "limit=1e999", "x" * 401 + "=on"),
    *('limits={"a": 1e999}', 'limits={"a": [NaN]}', 'limit="\\ud83d"'),
]


@pytest.mark.parametrize(("text", "expected"), WRITTEN)
def test_override_is_read_and_written(text: str, expected: Override) -> None:
    assert read_override(text) == expected
    assert read_override(str(expected)) == expected


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_override_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(InvalidOverride):
        read_override(text)


CONDITION: dict[str, Any] = {"properties": [], "rollout_percentage": 40}
HALVES = [{"key": key, "rollout_percentage": 50} for key in ("control", "test")]
VARIANTS: dict[str, Any] = {"multivariate": {"variants": HALVES}}


def flag(key: str, *, active: bool = True, continuity: bool = False, **filters: Any) -> dict[str, Any]:
    """A flag for 40 % of all, with more filters."""
    flags = {"active": active, "ensure_experience_continuity": continuity, "version": 1}
    return {"id": 1 + KEYS.index(key), "key": key, **flags, "filters": {"groups": [CONDITION], **filters}}


KEYS = ["plain", "off", "split", "by-company", "sticky", "held", "new"]
FLAGS: list[dict[str, Any]] = [
    flag("plain"),
    flag("off", active=False),
    flag("split", **VARIANTS),
    flag("by-company", aggregation_group_type_index=0),
    flag("sticky", continuity=True),
    flag("held", holdout={"id": 3, "exclusion_percentage": 100}),
]
DOCUMENT = {"flags": FLAGS, "group_type_mapping": {"0": "company"}}
PEOPLE = [Person(name, groups={"company": Group("acme")}, is_complete=False) for name in ("ann", "bob", "cy")]


def serve(*texts: str, flags: list[dict[str, Any]] = FLAGS) -> FlagSet:
    overrides = Overrides.of(map(read_override, texts))
    document = overrides.apply({**DOCUMENT, "flags": flags})
    records = {record.key: record for record in map(FlagRecord.of, document["flags"])}
    return FlagSet(Definitions.of_document(document), records, overrides=overrides.values)


def definitions_of(*texts: str) -> Definitions:
    """What libraries evaluate."""
    overrides = Overrides.of(map(read_override, texts))
    return Definitions.of_document(overrides.apply_for_libraries(DOCUMENT))


def result_of(flags: FlagSet, key: str, person: Person = PEOPLE[0]) -> FlagResult:
    return flags.evaluate(person, [key])[0]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("person", ["", "@ann"])
@pytest.mark.parametrize(("word", "value"), [("on", True), ("off", False), ("test", "test"), ("new", "new")])
def test_override_is_served_and_libraries_evaluate_it(key: str, person: str, word: str, value: Any) -> None:
    """Where a library cannot express it, it does not decide, and requests the value from the mirror."""
    text = f"{key}={word}{person}"
    overridden, definitions, before = serve(text), definitions_of(text), serve()
    for each in PEOPLE:
        result = result_of(overridden, key, each)
        if not person or each.distinct_id == "ann":
            assert (result.value, result.code) == (value, "override")
        elif key != "new":
            assert result.value == result_of(before, key, each).value
        for rules in Rules:
            local = evaluate(key, each, definitions, rules)
            if local.is_known:
                assert local.value == result.value, rules
            else:
                assert person
                assert key in ("sticky", "held", "by-company") or (key, value) == ("split", True)


@pytest.mark.parametrize("value", [3, 0, {"max": 2}])
def test_number_or_object_is_served_as_it_is(value: Any) -> None:
    text = str(Override("plain", value))
    result = result_of(serve(text), "plain")
    assert (result.value, result.is_typed, result.is_on) == (value, True, True)
    assert evaluate("plain", PEOPLE[0], definitions_of(text)).value is True


def test_payload_of_an_overridden_variant_stays() -> None:
    split = flag("split", **VARIANTS, payloads={"test": '"hello"'})
    assert result_of(serve("split=test", flags=[split]), "split").payload == '"hello"'


@pytest.mark.parametrize("key", ["plain", "off", "split", "by-company", "held"])
def test_share_keeps_the_bucketing_of_the_flag(key: str) -> None:
    """People who are in at 20 % are in at 60 %, with the same variants."""
    people = [Person(f"u-{number}", groups={"company": Group(f"c-{number}")}) for number in range(200)]
    sets = [serve(f"{key}={share}%") for share in (0, 20, 60, 100)]
    nobody, few, many, everyone = [[result_of(each, key, person).value for person in people] for each in sets]
    assert not any(nobody)
    assert all(everyone)
    assert 20 < sum(map(bool, few)) < 60 < sum(map(bool, many)) < 160
    assert all(after == before for before, after in zip(few, many, strict=True) if before)


@pytest.mark.parametrize("place", ["plain", "held", "new"])
@pytest.mark.parametrize(("word", "value"), [("on", True), ("off", False), ("3", True)])
@pytest.mark.parametrize("person", ["", "@bob"])
def test_dependents_follow_an_override(place: str, word: str, value: bool, person: str) -> None:
    item = {"key": place, "type": "flag", "operator": "flag_evaluates_to", "value": True}
    groups = [{"properties": [{**item, "dependency_chain": [place]}], "rollout_percentage": 100}]
    dependent = {"id": 9, "key": "dependent", "active": True, "filters": {"groups": groups}}
    flags = serve(f"{place}={word}{person}", flags=[*FLAGS, dependent])
    assert result_of(flags, "dependent", Person("bob", is_complete=True)).value is value


def test_overrides_of_others_count_beside_broken_flags() -> None:
    overrides = Overrides.of(map(read_override, ("a=on", "a=off@ann", "a=off", "a=test@ann")))
    assert [str(each) for each in overrides] == ["a=off", "a=test@ann"]
    mirrored = MirroredFlags({"flags": [{"key": ["plain"]}, {"key": "split", "filters": VARIANTS}]})
    mirrored.replace(overrides=Overrides.of(map(read_override, ("split=red", "mine=on"))))
    assert (mirrored.local_keys, mirrored.unknown_variants) == (["mine"], ["split=red"])


GOOD = """
[everyone]
new-nav = true
checkout = "test"
search = "20%"
limits = { max = 3 }

[persons."ann@acme.com"]
checkout = "control"
"""
GUIDE = Path(__file__).parents[2] / "docs" / "mirror.md"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "overrides.toml"


def test_file_has_overrides_for_everyone_and_persons_or_none(path: Path) -> None:
    assert read_override_file(path) == []
    in_guide = GUIDE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    for text, overrides in (
        (GOOD, 'new-nav=on checkout=test search=20% limits={"max":3} checkout=control@ann@acme.com'),
        (in_guide, "new-nav=on new-search=20% checkout=test@ann@acme.com"),
    ):
        path.write_text(text)
        assert read_override_file(path) == list(map(read_override, overrides.split()))


@pytest.mark.parametrize(("text", "reason"), [
    ("[everyone", "overrides.toml:1"),
    ("[all]\na = true", "did you mean|known here: everyone, persons"),
    ("[everyone]\n\na = []", "overrides.toml:3: everyone.a"),
    ("[everyone]\na = 2026-01-01", "everyone.a"),
    ("[everyone]\na = {since = 2026-01-01}", "everyone.a: a has a value that JSON cannot hold"),
    ("[everyone]\na = nan", "everyone.a"),
    ('[persons.ann]\na = "20%"', "persons.ann.a.*a share is for everyone"),
    ("[persons]\nann = 1", "has to be a table"),
    ("everyone = 1", "has to be a table"),
])  # fmt: skip
def test_malformed_file_is_refused_with_its_line(path: Path, text: str, reason: str) -> None:
    path.write_text(text)
    with pytest.raises(SettingsError, match=reason):
        read_override_file(path)


def test_saved_file_is_reloaded_and_a_bad_one_ignored(path: Path) -> None:
    file = OverrideFile(path)
    assert not file.reload()
    for text, overrides, trouble in (
        ("[everyone]\na = true", "a=on", ""),
        ("[everyone]\na = ", "a=on", "overrides.toml:2"),
        ("[everyone]\na = false", "a=off", ""),
    ):
        path.write_text(text)
        assert (file.reload(), file.reload()) == (True, False)
        assert [str(each) for each in file.overrides] == [overrides]
        assert trouble in file.trouble
        assert bool(file.trouble) == bool(trouble)
    path.unlink()
    assert file.reload()
    assert file.overrides == []
