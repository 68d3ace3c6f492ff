"""A line that names an evaluation subject, read and turned into a person."""

import pytest
from tests.doubles.expected import require

from flagtui.details.evaluations import EvaluationSubject, InvalidSubject, read_subject
from flagtui.details.subject_evaluations import person_of
from flagtui.evaluate.run import Group, Person
from flagtui.models.flag_responses import Trial


def test_subject_may_be_a_distinct_id_or_a_group_alone() -> None:
    assert require(read_subject("  anna=1@acme.com ")) == EvaluationSubject("anna=1@acme.com")
    assert not EvaluationSubject("anna=1@acme.com").is_hypothetical
    assert read_subject("   ") is None
    subject = require(read_subject("a group:company=acme group:company.plan=pro"))
    assert subject.person({}, is_complete=False).groups["company"].properties == {"plan": "pro"}


def test_properties_groups_device_and_cohorts_are_read() -> None:
    line = '"anna b" plan=pro seats=12 beta=true name="A B" group:company=acme device:d1 cohort:31'
    subject = require(read_subject(line))
    assert subject.is_hypothetical
    assert subject.properties == {"plan": "pro", "seats": 12, "beta": True, "name": "A B"}
    assert subject.groups == {"company": "acme"}
    assert subject.person({"plan": "free", "country": "DE"}, is_complete=True) == Person(
        "anna b",
        {**subject.properties, "country": "DE"},
        {"company": Group("acme", {})},
        device_id="d1",
        static_cohorts=frozenset({"31"}),
        is_complete=True,
    )


@pytest.mark.parametrize(("line", "words"), [
    ('anna "plan', "a quote is not closed"),
    ("'' plan=pro", "the distinct id is empty"),
    ("anna ben", "key=value, not ben"),
    ("anna =pro", "key=value"),
    ("anna group:company.plan=pro", r"which company\?"),
])  # fmt: skip
def test_what_names_nobody_says_why(line: str, words: str) -> None:
    with pytest.raises(InvalidSubject, match=words):
        read_subject(line)


@pytest.mark.parametrize(("sent", "is_complete"), [
    ({"conditions": [{"index": 0}]}, True),
    ({"conditions": [], "person_properties": {"plan": "pro"}}, True),
    ({"conditions": [], "person_properties": {}}, False),
], ids=["conditions", "rules", "off"])  # fmt: skip
def test_stored_properties_are_complete_where_the_server_sends_any(
    sent: dict[str, object], is_complete: bool
) -> None:
    assert person_of(EvaluationSubject("anna"), Trial.of(sent)).is_complete is is_complete
