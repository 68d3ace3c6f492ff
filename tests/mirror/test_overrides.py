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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("new-nav=on", Override("new-nav", True)),
        ("new-nav=TRUE", Override("new-nav", True)),
        ("new-nav=off", Override("new-nav", False)),
        ("checkout=test", Override("checkout", "test")),
        ("checkout=test@ann@acme.com", Override("checkout", "test", "ann@acme.com")),
        ("search=20%", Override("search", Share(20))),
        ("limit=3", Override("limit", 3)),
        ("limit=2.5@ann", Override("limit", 2.5, "ann")),
        ('limits={"mail": "a@b"}@ann', Override("limits", {"mail": "a@b"}, "ann")),
        ('checkout="on"', Override("checkout", "on")),
        ('checkout="3"@ann', Override("checkout", "3", "ann")),
        ('checkout="a@b"', Override("checkout", "a@b")),
        ('checkout="{test}"@ann', Override("checkout", "{test}", "ann")),
        ('checkout="[test"', Override("checkout", "[test")),
        ('checkout="\\"test"', Override("checkout", '"test')),
        ("search=33.333333333333336%", Override("search", Share(100 / 3))),
    ],
)
def test_override_is_read_and_written(text: str, expected: Override) -> None:
    assert read_override(text) == expected
    assert read_override(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "new-nav", "=on", "new-nav=", "new-nav=on@", "search=20%@ann", "search=101%", "search=-1%"),
        *("limits={", 'limits={"a": 1} more', "limits=[1]", "limit=NaN", "limit=1e999", "x" * 401 + "=on"),
        *('limits={"a": 1e999}', 'limits={"a": [NaN]}', 'limit="\\ud83d"'),
    ],
)
def test_malformed_override_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(InvalidOverride):
        read_override(text)


def test_overrides_of_others_count_beside_broken_flags() -> None:
    overrides = Overrides.of(map(read_override, ("a=on", "a=off@ann", "a=off", "a=test@ann")))
    assert [str(each) for each in overrides] == ["a=off", "a=test@ann"]
    flags: list[Any] = [{"key": ["plain"]}, {"key": "split", "filters": {"multivariate": VARIANTS}}]
    overrides = Overrides.of(map(read_override, ("split=red", "mine=on")))
    mirrored = MirroredFlags({"flags": flags})
    mirrored.replace(overrides=overrides)
    assert (mirrored.local_keys, mirrored.unknown_variants) == (["mine"], ["split=red"])


CONDITION: dict[str, Any] = {"properties": [], "rollout_percentage": 40}
VARIANTS = {
    "variants": [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
}
FLAGS: list[dict[str, Any]] = [
    {"key": "plain", "active": True, "filters": {"groups": [CONDITION]}},
    {"key": "off", "active": False, "filters": {"groups": [CONDITION]}},
    {"key": "split", "active": True, "filters": {"groups": [CONDITION], "multivariate": VARIANTS}},
    {
        "key": "by-company",
        "active": True,
        "filters": {"groups": [CONDITION], "aggregation_group_type_index": 0},
    },
    {
        "key": "sticky",
        "active": True,
        "ensure_experience_continuity": True,
        "filters": {"groups": [CONDITION]},
    },
    {
        "key": "held",
        "active": True,
        "filters": {"groups": [CONDITION], "holdout": {"id": 3, "exclusion_percentage": 100}},
    },
]
DOCUMENT = {
    "flags": [{"id": number, "version": 1, **flag} for number, flag in enumerate(FLAGS, 1)],
    "group_type_mapping": {"0": "company"},
}
KEYS = [*(flag["key"] for flag in FLAGS), "new"]
PEOPLE = [Person(name, groups={"company": Group("acme")}, is_complete=False) for name in ("ann", "bob", "cy")]


def flag_set(*texts: str) -> tuple[FlagSet, Definitions]:
    overrides = Overrides.of(map(read_override, texts))
    document = overrides.apply(DOCUMENT)
    records = {record.key: record for record in map(FlagRecord.of, document["flags"])}
    flags = FlagSet(Definitions.of_document(document), records, overrides=overrides.values)
    return flags, Definitions.of_document(overrides.apply_for_libraries(DOCUMENT))


def result_of(flags: FlagSet, key: str, person: Person) -> FlagResult:
    return flags.evaluate(person, [key])[0]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("person", ["", "@ann"])
@pytest.mark.parametrize(("word", "value"), [("on", True), ("off", False), ("test", "test"), ("new", "new")])
def test_override_is_served_and_libraries_evaluate_it(key: str, person: str, word: str, value: Any) -> None:
    """Where a library cannot express it, it does not decide, and requests the value from the mirror."""
    overridden, definitions = flag_set(f"{key}={word}{person}")
    before, _ = flag_set()
    for each in PEOPLE:
        is_meant = not person or each.distinct_id == "ann"
        result = result_of(overridden, key, each)
        if is_meant:
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
    overridden, definitions = flag_set(str(Override("plain", value)))
    result = result_of(overridden, "plain", PEOPLE[0])
    assert (result.value, result.is_typed, result.is_on) == (value, True, True)
    assert evaluate("plain", PEOPLE[0], definitions).value is True


def test_payload_of_an_overridden_variant_stays() -> None:
    document = {"flags": [{**FLAGS[2], "filters": {**FLAGS[2]["filters"], "payloads": {"test": '"hello"'}}}]}
    overrides = Overrides.of([Override("split", "test")])
    applied = overrides.apply(document)
    records = {record.key: record for record in map(FlagRecord.of, applied["flags"])}
    flags = FlagSet(Definitions.of_document(applied), records, overrides=overrides.values)
    assert result_of(flags, "split", PEOPLE[0]).payload == '"hello"'


@pytest.mark.parametrize("key", ["plain", "off", "split", "by-company", "held"])
def test_share_keeps_the_bucketing_of_the_flag(key: str) -> None:
    """People who are in at 20 % are in at 60 %, with the same variants."""
    people = [Person(f"u-{number}", groups={"company": Group(f"c-{number}")}) for number in range(200)]
    sets = [flag_set(f"{key}={share}%")[0] for share in (0, 20, 60, 100)]
    values = [[result_of(each, key, person).value for person in people] for each in sets]
    assert not any(values[0])
    assert all(values[3])
    assert 20 < sum(map(bool, values[1])) < 60 < sum(map(bool, values[2])) < 160
    assert all(after == before for before, after in zip(values[1], values[2], strict=True) if before)


@pytest.mark.parametrize("place", ["plain", "held", "new"])
@pytest.mark.parametrize(("word", "value"), [("on", True), ("off", False), ("3", True)])
@pytest.mark.parametrize("person", ["", "@bob"])
def test_dependents_follow_an_override(place: str, word: str, value: bool, person: str) -> None:
    condition = {
        **{"key": place, "type": "flag", "operator": "flag_evaluates_to", "value": True},
        "dependency_chain": [place],
    }
    filters = {"groups": [{"properties": [condition], "rollout_percentage": 100}]}
    dependent = {"id": 9, "key": "dependent", "active": True, "filters": filters}
    overrides = Overrides.of([read_override(f"{place}={word}{person}")])
    document = overrides.apply({"flags": [*DOCUMENT["flags"], dependent]})
    records = {record.key: record for record in map(FlagRecord.of, document["flags"])}
    flags = FlagSet(Definitions.of_document(document), records, overrides=overrides.values)
    assert result_of(flags, "dependent", Person("bob", is_complete=True)).value is value


GOOD = """
[everyone]
new-nav = true
checkout = "test"
search = "20%"
limits = { max = 3 }

[persons."ann@acme.com"]
checkout = "control"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "overrides.toml"


def test_file_has_overrides_for_everyone_and_persons_or_none(path: Path) -> None:
    assert read_override_file(path) == []
    path.write_text(GOOD)
    assert [str(each) for each in read_override_file(path)] == [
        *("new-nav=on", "checkout=test", "search=20%", 'limits={"max": 3}'),
        "checkout=control@ann@acme.com",
    ]
    guide = (Path(__file__).parents[2] / "docs" / "mirror.md").read_text(encoding="utf-8")
    path.write_text(guide.partition("```toml\n")[2].partition("```")[0])
    assert [str(each) for each in read_override_file(path)] == [
        *("new-nav=on", "new-search=20%", "checkout=test@ann@acme.com")
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[everyone", "overrides.toml:1"),
        ("[all]\na = true", "did you mean|known here: everyone, persons"),
        ("[everyone]\n\na = []", "overrides.toml:3: everyone.a"),
        ("[everyone]\na = 2026-01-01", "everyone.a"),
        ("[everyone]\na = {since = 2026-01-01}", "everyone.a: a has a value that JSON cannot hold"),
        ("[everyone]\na = nan", "everyone.a"),
        ('[persons.ann]\na = "20%"', "persons.ann.a.*a share is for everyone"),
        ("[persons]\nann = 1", "has to be a table"),
        ("everyone = 1", "has to be a table"),
    ],
)
def test_malformed_file_is_refused_with_its_line(path: Path, text: str, reason: str) -> None:
    path.write_text(text)
    with pytest.raises(SettingsError, match=reason):
        read_override_file(path)


def test_saved_file_is_reloaded_and_a_bad_one_ignored(path: Path) -> None:
    file = OverrideFile(path)
    assert not file.reload()
    path.write_text("[everyone]\na = true")
    assert file.reload()
    assert not file.reload()
    path.write_text("[everyone]\na = ")
    assert file.reload()
    assert "overrides.toml:2" in file.trouble
    assert [str(each) for each in file.overrides] == ["a=on"]
    path.write_text("[everyone]\na = false")
    assert file.reload()
    assert (file.trouble, [str(each) for each in file.overrides]) == ("", ["a=off"])
    path.unlink()
    assert file.reload()
    assert file.overrides == []
