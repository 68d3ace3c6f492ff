"""Sentences about who sees a flag and what changed."""

import pytest
from tests.doubles.targeting import asks, asks_cohort, asks_flag, group, variants

from flagtui.changes.flags.flag_words import GROUP_TYPE, condition_in_short
from flagtui.evaluate.operator_words import OPERATOR_WORDS
from flagtui.models.filters import Filters, Property, Variant
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON
from flagtui.text.flag_sentences import manner_lines, plain, rest_words, state_lines, who_sees_it
from flagtui.text.property_sentences import property_pieces


def sentence(filters: JSON) -> str:
    return plain(who_sees_it(Filters.of(filters)))


def words_of(**raw: JSON) -> str:
    return plain([property_pieces(Property.of(raw))])


def test_share_of_users_with_two_properties_then_everyone_else() -> None:
    properties = asks("email", "ends_with", "@acme.com"), asks("country", "exact", ["DE", "FR"])
    groups: list[JSON] = [group(50, *properties, variant="test"), group(None)]
    assert sentence({"groups": groups, "multivariate": variants(test=100)}).splitlines() == [
        " 1 50 % of users, as test where",
        "      email ends with @acme.com",
        "  and country is any of DE, FR",
        " 2 100 % of everyone else",
    ]


PRO: JSON = {"key": "plan", "type": "person", "operator": "exact", "value": ["pro"]}
PLAN: dict[str, JSON] = {"properties": [PRO]}
PLAN_AND_MORE: dict[str, JSON] = {"properties": [PRO, {"key": "age", "operator": "gt", "value": 3}]}


@pytest.mark.parametrize(("filters", "words"), [
    ({}, "no one: it has no condition"),
    ({"groups": []}, "no one: it has no condition"),
    ({"version": 2, "rules": []}, "everyone, since there is no rule: the caller's default"),
    ({"groups": [{"rollout_percentage": 0.5}]}, "0.5 % of everyone"),
    ({"groups": [{"rollout_percentage": 99.999}]}, "99.999 % of everyone"),
    ({"groups": [{"rollout_percentage": 10, "aggregation_group_type_index": 0}]},
     "of all groups of type 0"),
    ({"groups": [{}], "aggregation_group_type_index": 0}, "100 % of all groups of type 0"),
    ({"groups": [{}], "holdout": {"id": 4, "exclusion_percentage": 5}},
     "5 % are held out of experiments and get holdout-4"),
    ({"groups": [PLAN, {**PLAN, "rollout_percentage": 40}]}, "condition 1 already matches them"),
    (
        {"groups": [{**PLAN, "rollout_percentage": 5}, PLAN_AND_MORE], "early_exit": True},
        "adds no one: condition 1 matches all of them and decides, even by its rollout",
    ),
    ({"groups": [{}], "feature_enrollment": True}, "opted in to early access"),
    ({"groups": ["odd"]}, " 1 never matches: it is no object"),
    ({"groups": [{"rollout_percentage": "50"}]}, "its rollout is no number"),
    ({"groups": "text"}, "no one: its conditions cannot be read, groups is not a list"),
    ({"groups": [{}], "version": "1"}, 'configuration version "1", which only its JSON shows'),
    ({"groups": [{}], "version": None}, "configuration version null, which only its JSON shows"),
    ({"groups": [{}, {"rollout_percentage": 10}]}, "adds no one: condition 1 already matches them"),
    ({"groups": [{}, {}], "early_exit": True}, "the first matching condition decides"),
    ({"groups": [{"variant": "gone"}, {}]}, "as gone (not a variant of this flag)\n 2 100 % of"),
    (None, "no one: its conditions cannot be read, filters is not an object"),
    ([], "no one: its conditions cannot be read, filters is not an object"),
    ({"groups": "text", "feature_enrollment": True},
     "no one else: its conditions cannot be read, groups is not a list"),
    ({"groups": ["odd", {}]}, "adds no one: condition 1 is malformed and ends the evaluation"),
    ({"groups": [{"rollout_percentage": 10}, {}], "early_exit": True},
     "adds no one: condition 1 matches everyone and decides, even by its rollout"),
    ({"groups": [{}], "holdout_groups": [{"rollout_percentage": 10, "variant": "holdout-3"}]},
     "holdout-3 on older servers, which hold out 10 %; newer servers ignore it"),
])  # fmt: skip
def test_malformed_and_newer_targeting_is_described(filters: JSON, words: str) -> None:
    assert words in sentence(filters)


@pytest.mark.parametrize(
    "holdout", [{"id": 4}, {"exclusion_percentage": 5}, {"id": 4, "exclusion_percentage": "x"}, 4]
)
def test_holdout_and_early_exit_without_effect_are_not_described(holdout: JSON) -> None:
    assert sentence({"groups": [{}], "holdout": holdout, "early_exit": True}) == " 1 100 % of everyone"


def test_uneven_variant_shares_are_explained() -> None:
    rest = {
        **dict.fromkeys([(50, 50), (33.33, 33.33, 33.34), ()], ""),
        (45, 45.1): "the other 9.9 % of matching users get plain true, unless a condition sets the variant",
        (0, 0): "matching users get plain true, unless a condition sets the variant",
        (60, 60, 10): "shares beyond 100 % reach no one: v1 gets 40 %, v2 gets 0 %",
    }
    for shares, words in rest.items():
        assert rest_words([Variant(f"v{place}", "", share) for place, share in enumerate(shares)]) == words


def test_bucketing_by_device_is_described() -> None:
    assert plain(manner_lines({"ensure_experience_continuity": True})) == (
        " ·  users keep their value across sign-in"
    )
    by_device = {"bucketing_identifier": "device_id"}
    assert plain(manner_lines(by_device)) == " ·  bucketed by device, not by user"
    for raw in ({**by_device, "filters": {GROUP_TYPE: 0}}, {"bucketing_identifier": "distinct_id"}):
        assert plain(manner_lines(raw)) == ""


def test_every_operator_has_its_own_words() -> None:
    for operator in OPERATOR_WORDS:
        words = words_of(**asks("plan", operator, "pro"))
        assert words.startswith("plan ")
        assert operator not in words.split() or operator == "regex"


@pytest.mark.parametrize(("raw", "words"), [
    (asks("age", "between", [18, 65]), "age is from 18 to 65"),
    ({"key": "created_at", "type": "person_metadata", "operator": "is_date_after", "value": "-30d"},
     "the person's own created_at is after 30 days ago"),
    (asks("joined", "is_date_before", "1m"), "joined is before 1 month ago"),
    (asks("joined", "is_date_exact", "2026-01-02"), "joined is exactly 2026-01-02"),
    (asks("joined", "exact", "-7d"), "joined is -7d"),
    (asks("joined", "is_date_after", "-10000d"), "joined is after -10000d (can never match)"),
    (asks_cohort(31, cohort_name="Beta"), "users in Beta"),
    (asks_cohort(31, "not_in"), "users not in cohort 31"),
    (asks_cohort(31, negation=True), "users in cohort 31"),
    (asks_flag("812", label="a"), "flag a is on"),
    (asks_flag("812", "test"), "flag 812 serves test"),
    (asks_flag("812", "true"), 'flag 812 serves "true"'),
    (asks_flag("812", 1), "flag 812 serves 1: matches no one"),
    (asks_flag(""), "a flag that is not named: matches no one"),
    ({"key": "x", "type": "person", "operator": "is_set"}, "x is set"),
    (asks("x", "brand_new", 1), "x brand_new 1 (can never match)"),
    (asks("x", "in", [1, 2]), "x in 1, 2 (can never match)"),
    (asks("x", "exact", None), "x is null (can never match)"),
    ({**asks("x", "exact", "y"), "type": "session"}, "x is y (can never match)"),
    (asks_cohort("abc"), "users in cohort abc (can never match)"),
    (asks_cohort(None, "not_in"), "users not in cohort null (can never match)"),
    (asks_cohort(31, "like"), "users like cohort 31 (can never match)"),
    (asks_cohort(31, cohort_name="Staff"), "users in Staff"),
    (asks_cohort(31, cohort_name=None), "users in cohort 31 (the cohort does not exist)"),
    ({"key": "x", "type": "person", "value": "y", "negation": True},
     "x is y (marked as negated, which counts in cohorts only)"),
])  # fmt: skip
def test_cohorts_flags_and_unknown_operators(raw: dict[str, JSON], words: str) -> None:
    assert words_of(**raw) == words


@pytest.mark.parametrize(("audience", "type", "index", "clause"), [
    (None, "group", 0, "the company's plan is pro"),
    (None, "group", 7, "the group of type 7's plan is pro"),
    (0, "group", 0, "plan is pro"),
    (0, "group", None, "plan is pro"),
    (1, "group", 0, "the company's plan is pro"),
    (0, "person", None, "the person's plan is pro"),
    (None, "person", None, "plan is pro"),
    (0, "cohort", None, "users in Beta"),
])  # fmt: skip
def test_clause_names_owner_of_property(audience: JSON, type: str, index: JSON, clause: str) -> None:
    item: dict[str, JSON] = {"key": "plan", "type": type, "value": "pro"}
    if type == "cohort":
        item = asks_cohort(3, cohort_name="Beta")
    raw = group(100, item | ({} if index is None else {"group_type_index": index}), **{GROUP_TYPE: audience})
    names = Names(groups={0: "company"})
    assert plain(who_sees_it(Filters.of({"groups": [raw]}), names)).splitlines()[1].strip() == clause
    assert condition_in_short(raw, names).endswith(f" where {clause}")


@pytest.mark.parametrize(("states", "words"), [
    ("active", ""),
    ("", "no one: the flag is off; once turned on, it matches"),
    ("archived", "no one: the flag is archived; once unarchived and turned on, it matches"),
    ("active deleted", "no one: the flag is deleted; once restored, it matches"),
    ("deleted", "no one: the flag is deleted; once restored and turned on, it matches"),
    ("active archived deleted",
     "no one: the flag is deleted; once restored and unarchived and turned on, it matches"),
])  # fmt: skip
def test_inactive_flag_is_seen_by_no_one(states: str, words: str) -> None:
    raw: dict[str, JSON] = {"id": 1, "key": "k", "active": False} | dict.fromkeys(states.split(), True)
    assert plain(state_lines(Flag.of(raw))) == words
