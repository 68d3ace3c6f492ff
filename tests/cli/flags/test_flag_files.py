"""Flags are created and changed from files, in the format that `flags get --json` prints."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, Service, require_done

KEYS = ("new-nav", "checkout-redesign")
FIELDS = ("name", "active", "filters", "runtime", "continuity")


def print_flags(run: Run, *keys: str) -> list[dict[str, Any]]:
    return run("flags", "get", *keys, "--json").records


def write_records(file: Path, records: list[dict[str, Any]], form: str = "document") -> str:
    """Write the records in one of the accepted forms; return the name of the file."""
    document: dict[str, Any] = {"schema_version": 1, "schema": "whole-flag"}
    if form == "ndjson":
        text = "".join(json.dumps(document | record, ensure_ascii=False) + "\n" for record in records)
    else:
        text = json.dumps(records if form == "list" else document | {"records": records})
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize("form", ["document", "list", "ndjson"])
def test_file_changes_many_flags(form: str, signed_in: Run, tmp_path: Path) -> None:
    records = [record | {"name": f"From\u2028{form}"} for record in print_flags(signed_in, *KEYS)]
    file = write_records(tmp_path / "flags", records, form)
    done = signed_in("flags", "edit", "--from", file, "--yes", "--json")
    assert (done.code, done.endings) == (0, dict.fromkeys(KEYS, "saved"))
    assert [each["name"] for each in print_flags(signed_in, *KEYS)] == [f"From\u2028{form}"] * 2


def test_older_file_names_the_changes_since_it_was_printed(signed_in: Run, tmp_path: Path) -> None:
    (record, _other) = print_flags(signed_in, *KEYS)
    assert signed_in("flags", "edit", KEYS[0], "--field", "name=Since", "--yes").code == 0
    versions = f"v{record['version']} → v{record['version'] + 1} by"
    for changed, is_named in (({}, True), ({"id": record["id"] + 1}, False), ({"version": 99}, False)):
        file = write_records(tmp_path / "flags", [record | changed])
        planned = signed_in("flags", "edit", "--from", file, "--dry-run", is_shown=True)
        assert (planned.code, versions in planned.out) == (0, is_named), planned


def test_printed_flags_change_nothing_and_other_text_is_named(signed_in: Run, tmp_path: Path) -> None:
    text = signed_in("flags", "get", *KEYS, "--json").out
    done = signed_in("flags", "edit", "--from", "-", "--yes", "--json", stdin=text)
    assert (done.code, done.endings) == (0, dict.fromkeys(KEYS, "unchanged"))
    file = tmp_path / "flags.json"
    file.write_text("new-nav: on")
    done = signed_in("flags", "edit", "new-nav", "--from", str(file), "--yes")
    assert (done.code, "JSON" in done.err) == (2, True)


def test_file_changes_targeting_beside_an_encrypted_payload(
    signed_in: Run, service: Service, tmp_path: Path
) -> None:
    filters = {"groups": [{"properties": [], "rollout_percentage": 100}], "payloads": {"true": '{"a": 1}'}}
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    service.ask(lambda client: client.flags.create({"key": "secret", "filters": filters, **secret}))
    (record,) = print_flags(signed_in, "secret")
    payload = signed_in("flags", "payload", "secret").out
    assert record["encrypted_payloads"]
    record["filters"]["groups"][0]["rollout_percentage"] = 80
    file = write_records(tmp_path / "flags", [record | {"rollout": 80}])
    assert signed_in("flags", "edit", "--from", file, "--yes").code == 0
    assert print_flags(signed_in, "secret")[0]["rollout"] == 80
    assert signed_in("flags", "payload", "secret").out == payload
    copied = write_records(tmp_path / "flags", [record | {"key": "other", "rollout": 80}])
    refused = signed_in("flags", "create", "--from", copied, "--yes")
    assert (refused.code, "this is the mask of an encrypted payload" in refused.out) == (3, True)


def test_file_creates_flags_like_the_printed_ones(signed_in: Run, tmp_path: Path) -> None:
    originals = print_flags(signed_in, *KEYS)
    records = [record | {"key": f"{record['key']}-again"} for record in originals]
    file = write_records(tmp_path / "flags", records)
    require_done(signed_in("flags", "create", "--from", file, "--yes"))
    made = print_flags(signed_in, *(record["key"] for record in records))
    for original, copy in zip(originals, made, strict=True):
        assert {name: copy[name] for name in FIELDS} == {name: original[name] for name in FIELDS}
        assert sorted(copy["tags"]) == sorted(original["tags"])
    again = signed_in("flags", "create", "--from", file, "--yes", "--json")
    assert (again.code, {*again.endings.values()}) == (3, {"skipped"})
    # Other tests of this service look for the originals by the beginning of their keys.
    assert signed_in("flags", "delete", *(record["key"] for record in records), "--yes").code == 0


def test_key_changes_only_with_rename(signed_in: Run, tmp_path: Path) -> None:
    assert signed_in("flags", "create", "to-rename", "--yes").code == 0
    (record,) = print_flags(signed_in, "to-rename")
    file = write_records(tmp_path / "flag", [record | {"key": "renamed"}])
    refused = signed_in("flags", "edit", "to-rename", "--from", file, "--yes")
    assert (refused.code, "To rename the flag: --rename" in refused.err) == (2, True)
    require_done(signed_in("flags", "edit", "--from", file, "--rename", "--yes"))
    assert print_flags(signed_in, "renamed")[0]["id"] == record["id"]
    named = write_records(tmp_path / "flag", [record | {"id": "renamed"}])
    assert signed_in("flags", "edit", "--from", named, "--rename", "--yes").code == 2


WRONG: dict[int, tuple[str, ...]] = {
    2: (
        *("{}", "nonsense", '{"schema": "flag", "records": [{"key": "new-nav"}]}'),
        *('{"key": "new-nav", "nonsense": 1}', '[{"key": "new-nav"}, {"key": "new-nav"}]'),
        '{"key": "new-nav", "active": false, "active": true}',
        '{"schema": "whole-flag", "records": {"key": "new-nav"}}',
        *(
            '[{"key": "ID", "name": "by its id"}]',
            '[{"key": "ID", "name": "x"}, {"key": "new-nav", "name": "y"}]',
        ),
        '[{"key": "new-nav", "active": "yes"}]',
    ),
    3: ("", "[]"),
    6: ('[{"key": "none-such"}]',),
}


@pytest.mark.parametrize(("text", "code"), [(text, code) for code, texts in WRONG.items() for text in texts])
def test_wrong_file_changes_nothing(text: str, code: int, signed_in: Run) -> None:
    before = print_flags(signed_in, "new-nav")
    text = text.replace("ID", str(before[0]["id"]))
    done = signed_in("flags", "edit", "--from", "-", "--yes", stdin=text)
    assert (done.code, done.out) == (code, ""), done
    assert print_flags(signed_in, "new-nav") == before


@pytest.mark.parametrize(("text", "why"), [
    ('{"key": "new-nav", "active": NaN}', "NaN is not a JSON number"),
    ("[" * 100_000, "it is nested too deeply"),
    ('{"key": "new-nav", "name": "whole"}\n' * 120_000, "more than 4,000,000 characters"),
], ids=["NaN", "nested", "long"])  # fmt: skip
def test_refused_file_is_explained(text: str, why: str, signed_in: Run, tmp_path: Path) -> None:
    (tmp_path / "flags.json").write_text(text)
    for source in ("-", "flags.json"):
        done = signed_in("flags", "edit", "--from", source, "--yes", stdin=text)
        assert (done.code, why in done.err) == (2, True), done


def test_text_of_a_file_is_read_without_its_mark(signed_in: Run) -> None:
    text = "\ufeff" + json.dumps(print_flags(signed_in, "new-nav"))
    assert signed_in("flags", "edit", "--from", "-", "--yes", stdin=text).code == 0
    assert signed_in("flags", "get", "-", "--fields", "key", stdin="\ufeffnew-nav\n").out == "new-nav\n"
    done = signed_in("flags", "edit", "new-nav", "--field", "name=NaN", "--dry-run", "--json")
    assert done.records[0]["changes"][0]["after"] == "NaN"
    for more in ("--dry-run", "--yes"):
        done = signed_in("flags", "create", "--from", "-", more, stdin='{"key": "bare"}')
        assert (done.code, "a new flag needs at least one condition" in done.out) == (3, True), done


@pytest.mark.parametrize(("field", "value"), [("rollout", 3), ("deleted", True)])
def test_edited_value_that_a_file_cannot_change_is_refused(field: str, value: Any, signed_in: Run) -> None:
    (record,) = print_flags(signed_in, "new-nav")
    for words in ((), ("new-nav",)):
        text = json.dumps([record | {field: value, "name": "beside it"}])
        done = signed_in("flags", "edit", *words, "--from", "-", "--yes", stdin=text)
        assert (done.code, f"new-nav: {field} cannot be changed in a file" in done.err) == (2, True), done
    assert print_flags(signed_in, "new-nav") == [record]


def test_file_of_several_flags_edits_no_single_one(signed_in: Run) -> None:
    (record,) = print_flags(signed_in, "new-nav")
    written = {name: value for name, value in record.items() if name != "id"} | {"key": "other"}
    for text in (json.dumps({"records": [record, written]}), f"{json.dumps(record)}\n{json.dumps(written)}"):
        refused = signed_in("flags", "edit", "new-nav", "--from", "-", "--dry-run", stdin=text)
        sentence = "flagtui: the file has several flags. Leave out FLAG to change them all.\n"
        assert (refused.code, refused.err) == (2, sentence)


def test_file_may_keep_the_rollout_that_its_filters_change(signed_in: Run) -> None:
    (record,) = print_flags(signed_in, "new-nav")
    (group,) = record["filters"]["groups"]
    record["filters"]["groups"] = [group | {"rollout_percentage": 7}]
    for rollout in (record["rollout"], 7):
        text = json.dumps([record | {"rollout": rollout}])
        assert signed_in("flags", "edit", "--from", "-", "--yes", stdin=text).code == 0
    assert print_flags(signed_in, "new-nav")[0]["rollout"] == 7


@pytest.mark.parametrize("value", [{"rollout": 35.5}, {"archived": True}, {"deleted": True}])
def test_value_that_a_new_flag_cannot_have_is_refused(value: dict[str, Any], signed_in: Run) -> None:
    (record,) = print_flags(signed_in, "new-nav")
    text = json.dumps(record | {"key": "not-made"} | value)
    for terms in ("--yes", "--dry-run"):
        done = signed_in("flags", "create", "--from", "-", terms, stdin=text)
        assert (done.code, done.out, next(iter(value)) in done.err) == (2, "", True)
        assert "nothing was sent" in done.err
    assert signed_in("flags", "get", "not-made").code == 6


@pytest.mark.parametrize("command", ["flags edit new-nav", "flags create", "experiments edit 1"])
def test_empty_input_is_no_edit(command: str, signed_in: Run) -> None:
    for text in ("", "\ufeff\n"):
        done = signed_in(*command.split(), "--from", "-", "--yes", stdin=text)
        assert (done.code, done.out) == (3, "")
        assert "standard input is empty; nothing was done" in done.err
