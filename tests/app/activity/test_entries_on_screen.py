"""Entries as rows, in the pane and on the clipboard: exact, short and harmless, whatever the server wrote."""

import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.fixtures import needs_fixtures, real_records
from tests.doubles.log_entries import log_entry
from tests.doubles.targeting import asks_cohort, group

from flagtui.app.activity.activity_columns import activity_columns, day_words, draw_time
from flagtui.app.activity.activity_search import ActivityFinder
from flagtui.app.activity.timeline_text import as_lines, as_markdown, one_line
from flagtui.app.flags.tabs.history_tab import entry_lines as log_entry_lines
from flagtui.app.flags.tabs.history_tab import log_line
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.widgets.column_layout import Slot
from flagtui.app.widgets.glyphs import ASCII, UNICODE, Glyphs
from flagtui.changes.flags.flag_consequences import activity_in_short
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.flag_details import NO_NAMES, FlagDetails, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.store.activity_listing import Centre
from flagtui.text.entry_lines import EntryView, distance, entry_lines, touches_payloads
from flagtui.text.flag_sentences import plain

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC).timestamp()
DAY = 86_400


def entry(changes: JSON = None, **fields: JSON) -> ChangeRow:
    usual = log_entry(about=("FeatureFlag", 12, "new-nav"), active=(True, False)).raw
    detail = usual["detail"] if changes is None else {"name": "new-nav", "changes": changes}
    return change_row(Activity.of({**usual, "id": "e1", "detail": detail, **fields}), -1)


def change_of(field: str, before: JSON, after: JSON) -> dict[str, JSON]:
    return {"field": field, "action": "changed", "before": before, "after": after}


def pane(row: ChangeRow, flag: FlagRow | None = None, **how: Any) -> str:
    return plain(entry_lines(EntryView(row, NOW, flag, **how)))


def draw(row: ChangeRow, glyphs: Glyphs = UNICODE, names: Names = NO_NAMES) -> str:
    columns = activity_columns(names)
    return "|".join(plain([column.draw(row, Slot(column.width, glyphs, NOW))]) for column in columns)


def markdown(*rows: ChangeRow, title: str = "Changes", names: Names = NO_NAMES) -> str:
    return as_markdown([*rows], title, lambda _row: "", names)


@pytest.mark.parametrize(("room", "words"), [
    (90, "@ 08:40 UTC  -60 … +15 min  1 change  experiments not read: The server failed (502)"),
    (80, "@ 08:40 UTC  1 change  experiments not read: The server failed (502)"),
    (40, "@ 08:40 UTC  experiments not read: The…"),
    (20, "@ 08:40 UTC  experiments…"),
])  # fmt: skip
def test_moment_stays_whole_beside_what_was_not_read(room: int, words: str) -> None:
    finder = ActivityFinder(lambda: NOW)
    finder.know(None, [entry()])
    finder.find("@ 20m")
    missing = ["experiments not read: The server failed (502)"]
    assert plain([finder.count_pieces(0, 0, "", missing, room)]) == words


def test_days_are_told_apart_in_six_cells() -> None:
    days = {-3: " 5 Mar", 0: "", 1: "Sun", 6: "Tue", 7: "23 Feb", 59: " 2 Jan", 61: "31 Dec", 400: "Jan'25"}
    assert {past: day_words(NOW - past * DAY, NOW) for past in days} == days


def test_row_draws_time_reach_flag_user_change_and_sign() -> None:
    assert draw(entry()) == "| 08:41|━●━|new-nav|Sam|turned off|"
    assert draw(entry(), ASCII).isascii()
    assert "?" in draw(entry(created_at=None))
    assert draw_time(entry(), Slot(6, UNICODE, NOW, changed=True))[0] == ("•", "info")


def test_cohort_has_its_name_wherever_it_is_known() -> None:
    after = {"groups": [{"properties": [asks_cohort(31)]}]}
    row, names = entry([change_of("filters", {"groups": [{}]}, after)]), Names(cohorts={31: "Beta testers"})
    assert "+ cohort 31|" in draw(row)
    texts = draw(row, names=names), as_lines([row], names), markdown(row, names=names)
    assert all("+ Beta testers" in text for text in texts)


def test_impersonating_staff_are_not_shown_as_the_user() -> None:
    row, study = entry(was_impersonated=True), Study(FlagDetails(FlagRow(12, "new-nav")), NOW)
    words = "staff of the product, signed in as sam@acme.test"
    assert "|staff as Sam|" in draw(row)
    assert "staff as S…" in plain([log_line(row.entry, study, 100)])
    for text in (pane(row), one_line(row), markdown(row), plain(log_entry_lines(row.entry, study))):
        assert words in text.replace("\n", " ")
    assert "staff" not in pane(entry()) + draw(entry())


def test_changes_in_short_name_switches_conditions_and_descriptions() -> None:
    row = entry([change_of("active", "true", "false")])
    assert (row.kinds, row.weight, activity_in_short(row.entry)) == (("off",), 1.0, "turned off")
    before, after = {"groups": [group(25)]}, {"groups": [group(50)]}
    row = entry([change_of("filters", before, after), change_of("name", "Old", "New")])
    assert activity_in_short(row.entry) == "condition 1: rollout 25 % → 50 %, description changed"
    payloads = [{"groups": [], "payloads": {"true": payload}} for payload in ("1", "2")]
    assert activity_in_short(entry([change_of("filters", *payloads)]).entry) == "payload of true changed"


def test_pane_shows_exact_changes_and_their_age() -> None:
    row = entry([change_of("active", True, False), change_of("version", 4, 5)])
    text = pane(row, FlagRow(id=12, key="new-nav", version=7))
    age = "18 min ago", "2026-03-02 08:41 UTC", "sam@acme.test", "changed 2 times since; now v7"
    assert all(words in text for words in (*age, "v4 → v5", "active", "- true", "+ false"))
    assert "v5 is the current version" in pane(row, FlagRow(id=12, key="new-nav", version=5))


def test_the_pane_holds_the_entry_against_the_moment_asked_for() -> None:
    row, at = entry(), require(entry().at)
    assert "2 min before 08:43" in pane(row, centre=Centre(at + 120))
    assert distance(at, Centre(at - 3 * 3_600)) == "3 h after 05:41"
    assert distance(at, Centre(at)) == "at 08:41"


def test_payloads_show_only_where_known_to_be_unencrypted() -> None:
    row = entry([change_of("filters", {"payloads": {"true": '"a"'}}, {"payloads": {"true": '"geheim"'}})])
    assert touches_payloads(row)
    assert "geheim" in pane(row, is_secret=False)
    assert "geheim" not in pane(row) + one_line(row) + draw(row)
    row = entry([{"field": "filters", "action": "created", "after": {"payloads": {"true": "geheim"}}}])
    assert "geheim" not in pane(row)


def test_where_nothing_may_be_changed_the_pane_says_why() -> None:
    text = pane(entry(), can_write=False, why_not="the key lacks feature_flag:write")
    assert "the key lacks feature_flag:write" in text
    assert "revert it" not in text


def test_lines_for_a_report_are_in_the_order_of_time() -> None:
    older = change_row(Activity.of({"id": "a", "activity": "created", "detail": {"name": "x"}}), -2)
    lines = as_lines([entry(), older]).split("\n")
    assert lines[0] == "time not known  x  system  created  v1"
    assert lines[1] == "2026-03-02 08:41:12 UTC  new-nav  sam@acme.test  turned off"


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
odd_fields = {"field": st.sampled_from(["filters", "tags", "active", "key", "version"]) | odd}
odd_fields |= dict.fromkeys(("before", "after", "action"), odd)
odd_change = st.fixed_dictionaries({}, optional=odd_fields)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.lists(odd_change | odd, max_size=4) | odd, odd, st.text(max_size=10), odd)
def test_malformed_entries_break_no_row_pane_or_copy(
    changes: JSON, user: JSON, activity: str, at: JSON
) -> None:
    row = entry(changes, user=user, activity=activity, created_at=at)
    text = draw(row) + pane(row, is_secret=False) + one_line(row)
    categories = {unicodedata.category(each) for each in text if each not in "\n\u200d"}
    assert categories.isdisjoint(("Cc", "Cf", "Cs", "Zl", "Zp"))


@needs_fixtures
def test_every_entry_of_the_product_has_words() -> None:
    entries = real_records("activity/**/*.json", "activity")
    assert len(entries) > 10
    for raw in entries:
        row = change_row(Activity.of(raw), -1)
        assert draw(row)
        assert pane(row)


def test_a_markdown_timeline_has_days_times_people_and_addresses() -> None:
    rows = [
        entry(created_at="2026-03-02T08:41:12Z"),
        entry([change_of("version", 2, 3)], id="e0", created_at="2026-03-01T23:59:59Z"),
        entry(id="e2", created_at=None),
    ]
    rows = [replace(row, place=place) for place, row in zip((2, 1, 3), rows, strict=True)]
    text = as_markdown(rows, "What `we` did", lambda row: f"https://x.test/{row.record_id}")
    assert text.splitlines()[:3] == ["# What \\`we\\` did", "", "## 2026-03-01 (UTC)"]
    assert "- **08:41:12** `new-nav`: turned off by sam@acme.test <https://x.test/12>" in text.splitlines()
    assert "tags changed, or saved without a change by sam@acme.test (v3)" in text
    assert "## Time not known" in text
    assert as_markdown([], "None", str) == "# None\n\nNothing was changed.\n"
    assert "<" not in markdown(*rows)


def test_what_somebody_wrote_is_no_markup_of_the_timeline() -> None:
    hostile = entry([change_of("evaluation_runtime", "a", "](http://evil.test) **b**\n# c")], item_id="12")
    text = markdown(hostile)
    assert "\\](http" in text
    assert "**b**" not in text
    assert len([line for line in text.splitlines() if line.startswith("#")]) == 2
