"""Options and words as in other programs: in any position, with the formats of output that scripts need."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Service, require_done
from tests.cli.output.test_schemas import FOLDER

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.global_options import move_options
from flagtui.cli.plumbing.piped_names import names_in

LIST = ("flags", "list", "-L", "1", "--fields", "key")


@pytest.mark.parametrize("words", [
    ("--json", *LIST),
    ("flags", "--json", *LIST[1:]),
    ("-o", "json", "--project", "1", *LIST),
    ("-ojson", *LIST),
    ("flags", "--output=json", "--fields", "key", "list", "-L1"),
])  # fmt: skip
def test_options_may_precede_their_command(words: tuple[str, ...], signed_in: Run) -> None:
    done = require_done(signed_in(*words))
    assert done.records == [{"key": signed_in(*LIST).out.strip()}]


@pytest.mark.parametrize(("words", "moved"), [
    (["--json", "flags", "list", "-L1"], ["--", "flags", "list", "--json", "-L1"]),
    (["--json", "--", "flags", "list"], ["--", "flags", "list", "--json"]),
    (["-o", "json", "activity", "x"], ["--", "activity", "-o", "json", "x"]),
])  # fmt: skip
def test_options_before_another_command_follow_its_name(words: list[str], moved: list[str]) -> None:
    assert move_options(words, (), is_command=True) == moved


@pytest.mark.parametrize("words", [["--", "list"], ["--nonsense", "list"], ["-", "list"], ["--json"], []])
def test_other_words_stay_in_place(words: list[str]) -> None:
    assert move_options(words, ()) == words


def test_options_of_the_program_may_follow_a_command(signed_in: Run, tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    assert signed_in(*LIST, "--log", str(log)).code == 0
    assert "feature_flags" in log.read_text()
    done = signed_in("flags", "disable", "new-nav", "--yes", "--read-only")
    assert (done.code, "read-only" in done.err) == (3, True)


@pytest.mark.parametrize("place", [0, 2, 3])
def test_quiet_change_prints_nothing(place: int, signed_in: Run) -> None:
    words = ["flags", "tag", "new-nav", "checkout-redesign", "--add", f"quiet-{place}", "--yes"]
    loud = signed_in("flags", "tag", "new-nav", "--add", f"loud-{place}", "--yes", is_shown=True)
    assert "new-nav is changed" in " ".join(loud.out.split())
    words.insert(place, "-q")
    done = signed_in(*words, is_shown=True)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_jq_filters_the_document(signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "get", "new-nav", "--jq", ".records[] | .key, {id, tags}")
    key, rest = done.out.splitlines()
    assert (key, {*json.loads(rest)}) == ("new-nav", {"id", "tags"})


@pytest.mark.parametrize("options", [("--jq", ".["), ("--jq", ".", "-o", "tsv"), ("--jq", ".key | error")])
def test_wrong_filter_exits_with_2(options: tuple[str, ...], signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "get", "new-nav", *options)
    assert (done.code, done.out) == (2, ""), done


def test_filter_that_fails_hides_no_change(signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "tag", "new-nav", "--add", "filtered", "--yes", "--jq", ".records.key")
    report = json.loads(done.out)
    assert (done.code, report["records"][0]["ending"]) == (0, "saved"), done
    assert "--jq: Cannot index array" in done.err
    assert signed_in("flags", "tag", "new-nav", "--remove", "filtered", "--yes").code == 0


def test_flags_and_shares_are_named_as_elsewhere(signed_in: Run, service: Service) -> None:
    id = signed_in("flags", "get", "new-nav", "--fields", "id").out.strip()
    page = f"{service.address}/project/1/feature_flags/{id}"
    for address in (page, f"{page}?tab=history", f"{page}#top", f"#{id}"):
        done = signed_in("flags", "get", address, "--fields", "key")
        assert (done.code, done.out) == (0, "new-nav\n"), done.err
    words = ("flags", "rollout", "new-nav", "--dry-run", "--json", "--to")
    plans = [signed_in(*words, share).records for share in ("40", "40%", "40 %")]
    changes = [[(record["key"], record["changes"]) for record in records] for records in plans]
    assert changes[0]
    assert changes[0] == changes[1] == changes[2]


def test_schemas_are_printed(run: Run) -> None:
    names = run("schema").out.split()
    assert {"flag", "change-plan", "change-result"} <= {*names}
    for name in names:
        assert json.loads(run("schema", name).out) == json.loads((FOLDER / f"{name}.json").read_text())


def test_output_option_and_short_limit(signed_in: Run) -> None:
    listed = signed_in("flags", "list", "-L", "2", "-o", "json", "--fields", "key")
    keys = [flag["key"] for flag in listed.records]
    assert len(keys) == 2
    table = signed_in("flags", "list", "-L", "2", "-o", "table", "--fields", "key", "--no-headers")
    assert table.out.split() == keys
    rows = signed_in("flags", "list", "-L", "2", "-otsv", "--fields", "key", is_shown=True)
    assert rows.out.split() == keys


@pytest.mark.parametrize("words", [("-o", "json"), ("-ojson",), ("--output=ndjson",), ("--json",)])
def test_errors_are_json_where_the_output_is(signed_in: Run, words: tuple[str, ...]) -> None:
    done = signed_in("flags", "get", "gone", *words)
    assert (done.code, done.error["code"]) == (6, "not_found")


ROW = {"schema": "flag", "id": 7, "key": " a\tb "}


@pytest.mark.parametrize(("text", "names"), [
    ("new-nav\t12\ton\r\n\ntag:core\n", ["new-nav", "tag:core"]),
    (" blank \n", [" blank "]),
    ("{not json\n", ["{not json"]),
    (json.dumps(ROW) + "\n" + json.dumps(ROW | {"key": "c"}), [" a\tb ", "c"]),
    (json.dumps({"schema": "flag", "records": [ROW]}, indent=2), [" a\tb "]),
    (json.dumps({"schema": "flag", "records": []}), []),
    (json.dumps(ROW | {"key": " "}), ["7"]),
    ("", []),
])  # fmt: skip
def test_piped_names_are_exact(text: str, names: list[str]) -> None:
    assert list(names_in(text, "flag")) == names


def test_experiments_in_json_are_read_by_id_and_others_refused() -> None:
    assert list(names_in('{"schema": "whole-experiment", "id": 31, "key": "k"}', "experiment")) == ["31"]
    with pytest.raises(Trouble, match="this command takes flags"):
        list(names_in('{"schema": "experiment", "id": 31}', "flag"))


def test_lists_are_piped_back_and_queries_select_nothing(online: Run) -> None:
    listed = online("flags", "list", "--json").out
    keys = [record["key"] for record in json.loads(listed)["records"]]
    shown = online("flags", "get", "-", "--json", stdin=listed).out
    assert [record["key"] for record in json.loads(shown)["records"]] == keys
    done = online("flags", "disable", "-", "--yes", stdin="is:on\n")
    assert (done.code, done.out) == (6, "")
    assert "there is no flag is:on" in done.err


@pytest.mark.parametrize("words", ["flags get", "flags disable --yes", "events get", "experiments get"])
def test_half_a_document_names_no_record(words: str, closed: Run) -> None:
    done = closed(*words.split(), "-", stdin='{"records": [' + '{"key": "a"}, ' * 5_000)
    assert (done.code, done.out) == (6, "")
    assert "characters names no record" in done.err
    assert len(done.err) < 200
