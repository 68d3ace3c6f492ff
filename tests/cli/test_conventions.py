"""What users of other programs type: their words, percent signs, spans of time, addresses of pages."""

import json

import pytest
from tests.cli.conftest import Run, Service
from tests.cli.output.test_schemas import FOLDER

from flagtui.changes.related.schedules import read_moment
from flagtui.local_time import on_day, read_clock

NOW = 1_780_000_000.0


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        ("flags show new-nav", "get"),
        ("flags on new-nav", "enable"),
        ("flags off new-nav", "disable"),
        ("flags toggle new-nav", "enable or disable"),
        ("flags update new-nav", "edit"),
        ("experiments stop 31", "end or pause"),
        ("off new-nav", "flags disable"),
        ("show new-nav", "flags get"),
        ("login", "auth login"),
        ("whoami", "auth status"),
        ("version", "flagtui --version"),
        ("help", "flagtui --help"),
    ],
)
def test_words_of_other_programs_get_a_suggestion(run: Run, words: str, suggestion: str) -> None:
    done = run(*words.split())
    assert done.code == 2
    assert f"Did you mean {suggestion}" in done.err


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+2h30m", NOW + 9_000),
        ("+1d 2h", NOW + 93_600),
        ("2h", NOW + 7_200),
        ("tomorrow 09:00", on_day(read_clock("09:00"), NOW, 1)),
        ("Tomorrow  9:00", on_day(read_clock("09:00"), NOW, 1)),
    ],
)
def test_moment_is_a_span_or_a_time_of_a_day(text: str, moment: float) -> None:
    assert read_moment(text, NOW) == moment


@pytest.mark.parametrize(
    "text", ["today 00:00", "yesterday 09:00", "+2h30", "tomorrow", "tomorrow 25:00", "+"]
)
def test_moment_of_the_past_or_of_no_day_is_refused(text: str) -> None:
    assert isinstance(read_moment(text, NOW), str)


def test_flags_and_shares_are_named_as_elsewhere(signed_in: Run, service: Service) -> None:
    id = signed_in("flags", "get", "new-nav", "--fields", "id").out.strip()
    page = f"{service.address}/project/1/feature_flags/{id}"
    for address in (page, f"{page}?tab=history", f"{page}#top"):
        done = signed_in("flags", "get", address, "--fields", "key")
        assert (done.code, done.out) == (0, "new-nav\n"), done.err
    words = ("flags", "rollout", "new-nav", "--dry-run", "--json", "--to")
    plans = [json.loads(signed_in(*words, share).out)["records"] for share in ("40", "40%", "40 %")]
    changes = [[(record["key"], record["changes"]) for record in records] for records in plans]
    assert changes[0]
    assert changes[0] == changes[1] == changes[2]
    assert signed_in(*words, "%").code == 2


@pytest.mark.parametrize(
    "address",
    [
        "https://other.example/project/1/feature_flags/842",
        "HOST/project/2/feature_flags/842",
        "HOST/project/1/experiments/31",
        "HOST/project/1/feature_flags/new",
    ],
)
def test_address_of_another_place_is_refused(signed_in: Run, service: Service, address: str) -> None:
    done = signed_in("flags", "disable", address.replace("HOST", service.address), "--yes")
    assert (done.code, done.out) == (2, "")
    assert "is not the page of a flag at" in done.err


def test_schemas_are_printed_and_unknown_formats_refused(run: Run) -> None:
    names = run("schema").out.split()
    assert {"flag", "change-plan", "change-result"} <= {*names}
    for name in names:
        assert json.loads(run("schema", name).out) == json.loads((FOLDER / f"{name}.json").read_text())
    assert run("schema", "gone").code == 6
    assert run("flags", "list", "-o", "xml").code == 2


def test_output_option_and_short_limit(signed_in: Run) -> None:
    listed = signed_in("flags", "list", "-L", "2", "-o", "json", "--fields", "key")
    keys = [flag["key"] for flag in json.loads(listed.out)["records"]]
    assert len(keys) == 2
    table = signed_in("flags", "list", "-L", "2", "-o", "table", "--fields", "key", "--no-headers")
    assert table.out.split() == keys
    rows = signed_in("flags", "list", "-L", "2", "-otsv", "--fields", "key", is_shown=True)
    assert rows.out.split() == keys


@pytest.mark.parametrize("words", [("-o", "json"), ("-ojson",), ("--output=ndjson",), ("--json",)])
def test_errors_are_json_where_the_output_is(signed_in: Run, words: tuple[str, ...]) -> None:
    done = signed_in("flags", "get", "gone", *words)
    assert (done.code, json.loads(done.err.splitlines()[-1])["error"]["code"]) == (6, "not_found")
