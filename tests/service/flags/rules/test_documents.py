"""Documents of version 2: each rule of the format, with the place and the text of its fault."""

from typing import Any, Final

import pytest
from tests.doubles.rules_documents import CONTROL, TEST, document_of, property_of, rule_of, split_of

from flagtui.service.errors import Fault
from flagtui.service.flags.rules.documents import check_document, check_size, config_version, patterns_of
from flagtui.service.responses import value_of


def fault_of(document: Any) -> tuple[str, str, str]:
    with pytest.raises(Fault) as caught:
        check_document(document)
    body = value_of(caught.value.content.decode())
    return body["attr"].removeprefix("filters__"), body["detail"], body["code"]


def defaults(return_type: str, *values: Any) -> list[dict[str, Any]]:
    return [document_of(return_type=return_type, default_value=value) for value in (*values, None)]


VALID: Final = [
    *defaults("boolean", True, False),
    *defaults("string", "a"),
    *defaults("number", 0, -1.5, 2**53 - 1),
    *defaults("object", {}, {"a": [1, None, True]}),
    document_of(rule_of(description="d", metadata={"owner": "a"})),
    document_of(rule_of("percentage_rollout", assign_by="person", rollout_percentage=33.34)),
    document_of(rule_of("experiment")),
    document_of(rule_of("experiment", holdout={"id": None, "seed": "h", "exclusion_percentage": 5})),
    document_of(split_of({**CONTROL, "weight": 0}, {**TEST, "weight": 100})),
    document_of(property_of(None, ["a"])),
    document_of(property_of("is_set", None, negation=True, label="x")),
    document_of(property_of("gt", 5)),
    document_of(property_of("icontains_multi", ["a"])),
    document_of(property_of("is_date_after", "-7d")),
    document_of(property_of("semver_gte", "1.2.3")),
    document_of(property_of("regex", "^a+$")),
]


@pytest.mark.parametrize("document", VALID)
def test_valid_documents_pass(document: dict[str, Any]) -> None:
    check_document(document)


FAULTS: Final[dict[str, list[tuple[Any, str, str]]]] = {
    "invalid_input": [
        ([], "filters", "Must be an object."),
        (document_of(version="2"), "version", "Must be config version 2."),
        (document_of(return_type="json"), "return_type", "Must be boolean, string, number or object."),
        (document_of(return_type="boolean"), "default_value", "Must be true or false, or null."),
        (document_of(default_value=""), "default_value", "Must be a non-empty string, or null."),
        (document_of() | {"rules": {}}, "rules", "Must be an array."),
        (document_of(1), "rules__0", "Must be an object."),
        (document_of(rule_of(id="x")), "rules__0__id", "Must be a UUID."),
        (document_of({**rule_of(), "rule_type": []}),
         "rules__0__rule_type", "Must be targeted_release, percentage_rollout or experiment."),
        (document_of(rule_of(rule_type="split")),
         "rules__0__rule_type", "Must be targeted_release, percentage_rollout or experiment."),
        (document_of(rule_of(value=None)), "rules__0__value", "Must be a non-empty string."),
        (document_of(rule_of(value="$true")),
         "rules__0__value", "Must be a non-empty string other than $false or $true."),
        (document_of(rule_of(description=1)), "rules__0__description", "Must be a string."),
        (document_of(rule_of("percentage_rollout", on_rollout_miss="stop")),
         "rules__0__on_rollout_miss", "Must be continue or return_default."),
        (document_of(rule_of("percentage_rollout", assignment_algorithm="md5")),
         "rules__0__assignment_algorithm", "Must be sha1_60_v1."),
        (document_of(rule_of("percentage_rollout", assign_by=None)),
         "rules__0__assign_by", "Must be person."),
        (document_of(rule_of("percentage_rollout", seed="")),
         "rules__0__seed", "Must be between 1 and 400 characters."),
        (document_of(split_of(CONTROL)), "rules__0__variants", "At least 2 variants are required."),
        (document_of(split_of(CONTROL, {**TEST, "key": "a b"})),
         "rules__0__variants__1__key", "Must be letters, digits, hyphens or underscores."),
        (document_of(split_of(CONTROL, {**TEST, "weight": 66.65})),
         "rules__0__variants", "Variant weights must total exactly 100."),
        (document_of(rule_of("experiment", holdout={"id": 3, "seed": "h", "exclusion_percentage": 5})),
         "rules__0__holdout__id", "Must be null: a rule without an experiment has a rule-local holdout. "
         "Shared holdouts are not available yet."),
    ],
    "required": [
        ({"version": 2}, "return_type", "This field is required."),
    ],
    "unknown_field": [
        (document_of(extra=1), "extra", "Unknown field."),
        (document_of(rule_of("experiment", colour="red")), "rules__0__colour", "Unknown field."),
        (document_of(groups=[]),
         "groups", "Config version 1 fields are not allowed in a config version 2 document."),
        (document_of(rule_of(seed="s")),
         "rules__0__seed", "Only percentage_rollout and experiment rules have this field."),
        (document_of(rule_of("experiment", value="a")),
         "rules__0__value", "Experiment rules return the values of their variants."),
    ],
    "unsupported": [
        (document_of(aggregation_group_type_index=0),
         "aggregation_group_type_index", "Group-assigned flags are not available yet."),
        (document_of(rule_of("experiment", experiment_id=7)),
         "rules__0__experiment_id", "Linking an experiment is not available yet. "
         "Use null for a rule without an experiment."),
    ],
    "limit_exceeded": [
        (document_of(*[0] * 101), "rules", "At most 100 rules are allowed."),
        (document_of(rule_of(metadata={"a": "x" * 4_000})),
         "rules__0__metadata", "The rule metadata is too large."),
        (document_of(split_of(*[CONTROL] * 21)), "rules__0__variants", "At most 20 variants are allowed."),
        (document_of(rule_of(targeting={"properties": [1] * 101})),
         "rules__0__targeting__properties", "At most 100 properties are allowed per rule."),
    ],
    "not_unique": [
        (document_of(rule_of(), rule_of()), "rules__1__id", "Rule ids must be unique."),
        (document_of(split_of(CONTROL, {**TEST, "key": "control"})),
         "rules__0__variants__1__key", "Variant keys must be unique."),
    ],
}  # fmt: skip
"""By code: a document, and the place and the text of its first fault."""


@pytest.mark.parametrize(
    ("document", "attr", "detail", "code"), [(*row, code) for code, rows in FAULTS.items() for row in rows]
)
def test_first_fault_is_named_with_its_place(document: Any, attr: str, detail: str, code: str) -> None:
    assert fault_of(document) == (attr, detail, code)


@pytest.mark.parametrize(("percentage", "detail"), [
    ("50", "Must be a finite number."),
    (True, "Must be a finite number."),
    (100.01, "Must be between 0 and 100."),
    (-1, "Must be between 0 and 100."),
    (10**400, "Must be between 0 and 100."),
    (0.001, "Must have at most 2 decimal places."),
])  # fmt: skip
def test_percentages_have_two_decimals_at_most(percentage: Any, detail: str) -> None:
    rule = rule_of("percentage_rollout", rollout_percentage=percentage)
    assert fault_of(document_of(rule))[:2] == ("rules__0__rollout_percentage", detail)


@pytest.mark.parametrize(("rule", "field", "detail"), [
    (property_of("exact", type="pet"), "type", "Must be person, cohort, group or flag."),
    (property_of("exact", type="cohort"), "type",
     "Targeting by cohort is not available yet. Only person properties are available."),
    (property_of("min", 1), "operator", "Unknown operator."),
    (property_of(""), "operator", "Unknown operator."),
    (property_of(["exact"]), "operator", "Unknown operator."),
    (property_of("exact", negation=1), "negation", "Must be true or false."),
    (property_of("in", 1), "operator", "Only cohort or flag properties use this operator."),
    (property_of("gt", None), "value", "Must be a number or a string."),
    (property_of("icontains", 1), "value", "Must be a string."),
    (property_of("icontains_multi"), "value", "Must be an array."),
    (property_of("semver_eq"), "value", "Must be a semver string."),
    (property_of("is_date_after"), "value", "Must be a date."),
    (property_of("regex", "["), "value", "Must be a valid regular expression."),
    (property_of("exact", color="red"), "color", "Unknown field."),
])  # fmt: skip
def test_property_filters_are_checked(rule: dict[str, Any], field: str, detail: str) -> None:
    attr, shown, _ = fault_of(document_of(rule))
    assert (attr, shown) == (f"rules__0__targeting__properties__0__{field}", detail)


def test_levels_bytes_and_stored_patterns_have_limits() -> None:
    value: Any = {}
    for _ in range(19):
        value = {"a": value}
    check_document(document_of(return_type="object", default_value=value))
    assert fault_of(document_of(return_type="object", default_value={"a": value}))[0] == "default_value"
    document = document_of(property_of("regex", "["))
    check_document(document, patterns_of(document))
    check_size({"a": "é"}, 11)
    with pytest.raises(Fault, match="too large"):
        check_size({"a": "é"}, 9)


VERSIONS: Final = [
    *[({}, 1), ({"version": 1.0}, 1), ({"version": 2}, 2), ({"version": 2.0}, 2)],
    *[({"version": version}, None) for version in ("2", True, None, 3)],
]


@pytest.mark.parametrize(("filters", "version"), VERSIONS)
def test_only_the_number_decides_the_version(filters: dict[str, Any], version: int | None) -> None:
    assert config_version(filters) == version
