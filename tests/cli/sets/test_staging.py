"""Changes are staged and proposed instead of sent, and planned on the staged state."""

import os
import re
import shlex
from pathlib import Path

import httpx
import pytest
from tests.cli.conftest import Run, records, require_done, write_settings
from tests.cli.sets.conftest import FLAG, OTHER, is_on
from tests.doubles.command_tree import all_commands
from tests.doubles.faulty_service import FaultyService

from flagtui.cli.plumbing.errors import EXIT_CODES

SESSIONS = {
    "staged changes are sent by apply alone": """
        $ flags disable export-parquet billing-usage-alerts --stage --reason cleanup
        ! Nothing was sent. The staged set has 2 changes…
        $ flags get export-parquet billing-usage-alerts --fields active
        > true
        > true
        $ staged list --fields key
        > export-parquet
        > billing-usage-alerts
        $ apply staged --yes
        > export-parquet saved…
        > billing-usage-alerts saved…
        $ flags get export-parquet billing-usage-alerts --fields active
        > false
        > false
        $3 apply staged --yes
        """,
    "a later change is planned on the staged one": """
        $ flags disable export-parquet --stage
        $ flags disable export-parquet --stage
        > export-parquet unchanged is already off once the staged set is applied
        $ flags enable export-parquet --stage
        > export-parquet unchanged is not staged any more
        ! Nothing was sent. The staged set is empty now.
        $ staged list
        >
        """,
    "a new flag is changed in the set that creates it": """
        $ flags create brand-new --stage
        $6 flags enable brand-new --dry-run
        ! …there is no flag brand-new yet: the staged set creates it. Change it there with --stage…
        $ flags enable export-parquet brand-new --stage
        $ flags rollout brand-new --to 40 --stage
        $ flags enable brand-new --stage
        > brand-new unchanged is already on once the staged set is applied
        $ flags edit brand-new --field 'tags=["web"]' --field key=newer --stage
        > …key: brand-new → newer…
        $ staged list --fields id,changes
        > new:newer …"on"…condition 1: 40 % of everyone…tags: web…
        $ apply staged --yes
        $ flags get newer --fields active,rollout,tags
        > true 40 web
        $ undo --yes
        $6 flags get newer
        """,
    "a restored or renamed flag is changed in the set": """
        $ flags delete export-parquet --yes
        $ flags restore export-parquet --stage
        $ flags edit billing-usage-alerts --field key=renamed --stage
        $ flags disable export-parquet renamed --stage
        $ flags delete export-parquet --stage
        $ flags restore export-parquet --stage
        $ apply staged --yes
        $ flags get export-parquet renamed --fields active
        > false
        > false
        """,
    "a renamed experiment is changed in the set": """
        $ experiments edit keyboard-shortcuts --field 'name=Shortcut keys' --stage
        $ experiments edit 'Shortcut keys' --field 'description=x' --stage
        $6 experiments edit 'Shortcut keys' --field 'description=x' --yes
        $ apply staged --yes
        $ experiments get 'Shortcut keys' --fields description
        > x
        """,
    "a new flag of the set is not archived, and leaves it when deleted": """
        $ flags create brand-new --stage
        $3 flags archive brand-new --stage
        > …it is not created yet…
        $3 flags enable brand-new --if-version 1 --stage
        ! …is not created yet, so it has no…
        $ flags delete brand-new --stage
        $ staged list
        >
        """,
    "a renamed record of the set is shown and dropped by either name": """
        $ flags edit billing-usage-alerts --field key=renamed --stage
        $ staged get billing-usage-alerts --fields key
        > billing-usage-alerts
        $ staged drop renamed --fields key
        > billing-usage-alerts
        """,
    "a staged change is dropped by key": """
        $ flags disable export-parquet billing-usage-alerts --stage
        $ staged drop export-parquet --fields key
        > export-parquet
        $ staged get --fields key
        > billing-usage-alerts
        $6 staged drop export-parquet
        ! flagtui: the set does not change export-parquet. It changes: billing-usage-alerts.
        $ staged drop --all
        $3 staged get
        """,
    "a set does not grow over the limit of the profile": """
        $ flags disable export-parquet --stage
        $3 flags disable billing-usage-alerts --stage
        ! …2 changes; this profile allows 1…
        $ staged list --fields key
        > export-parquet
        """,
    "options may precede a proposed command": """
        $ propose --project 1 --fields key --reason unused -- flags disable export-parquet
        > export-parquet
        $ propose --reason unused --project 1 --fields key -- flags disable export-parquet
        > export-parquet
        $2 propose --reason x -- flags
        ! …flags changes nothing…
        """,
    "only changes that can wait are staged or proposed": """
        $2 propose --reason x -- flags list
        ! …flags list changes nothing…
        $2 propose --reason x -- flag disable export-parquet
        ! flagtui: there is no command 'flag'. See: flagtui --help
        $3 experiments launch 35 --stage
        ! flagtui: this cannot be staged: it is a step…
        $3 events delete $pageview --stage
        ! flagtui: this cannot be staged: …
        $3 undo --stage
        ! flagtui: this cannot be staged: …
        $2 flags disable export-parquet --stage --dry-run
        $2 flags disable export-parquet --out set.json
        """,
    "a change set without changes is not written": """
        $ flags disable export-parquet --yes
        $ flags disable export-parquet --dry-run --out set.json
        ! Nothing would change, so no change set was written.
        $3 flags edit export-parquet --field 'key=a b' --dry-run --out set.json
        ! Nothing can be changed, so no change set was written.
        $6 apply set.json --yes
        """,
    "undo reaches the copy in another project": """
        $ flags copy export-parquet --to-project 2 --yes
        $ undo --yes
        $ journal --fields project
        > 2
        > 2
        $ flags get export-parquet
        """,
    "the reason of each staged change is kept": """
        $ flags tag export-parquet --add first --stage --reason cleanup
        $ flags tag billing-usage-alerts --add first --stage --reason 'no longer called'
        $ flags tag billing-usage-alerts --add second --stage --reason cleanup
        $ apply staged --yes
        $ journal --fields reason
        > cleanup; no longer called
        > cleanup; no longer called
        """,
}


def play(run: Run, session: str) -> None:
    """Run the commands of a session one after the other.

    `$ words` is a command that ends with 0, `$3 words` one that ends with 3. Behind it are the lines of its
    output, with `>`, and of its messages, with `!`, in which `…` is any text and blanks are one space; where
    there are none, any are right.
    """
    for part in re.split(r"^\s*\$", session, flags=re.MULTILINE)[1:]:
        line, *expected = part.rstrip().splitlines()
        code, _, words = line.partition(" ")
        done = run(*shlex.split(words))
        assert done.code == int(code or 0), f"{line}: {done}"
        for sign, text in ((">", done.out), ("!", done.err)):
            lines = [each.strip()[1:].strip() for each in expected if each.strip().startswith(sign)]
            pattern = re.escape("\n".join(lines)).replace("…", r"[\s\S]*")
            shown = "\n".join(" ".join(each.split()) for each in text.strip().splitlines())
            assert not lines or re.fullmatch(pattern, shown), f"{line}: {pattern}\n{shown}"


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
def test_sessions_of_a_staged_set(session: str, here: Run, home: Path) -> None:
    if "this profile allows 1" in session:
        write_settings(home, f'[profiles.prod]\nhost = "{os.environ["FLAGTUI_HOST"]}"\nbulk_limit = 1\n')
    play(here, session)


def test_staged_flag_and_event_of_one_name_need_an_id(here: Run) -> None:
    require_done(here("flags", "create", "signup_completed", "--stage"))
    (event,) = records(here("events", "list", "name:/^signup_completed$/", "--json"))
    require_done(here("events", "tag", "signup_completed", "--add", "x", "--stage"))
    assert "2 records would change" in here("apply", "staged", "--yes", "--max-changes", "1").err
    refused = here("staged", "drop", "signup_completed")
    ids = f"Name its id: new:signup_completed (flag) or {event['id']} (event_definition).\n"
    assert (refused.code, refused.err.endswith(ids)) == (EXIT_CODES["usage"], True)
    require_done(here("staged", "drop", f"#{event['id']}"))
    assert [each["verb"] for each in records(here("staged", "get", "signup_completed", "--json"))] == [
        "create"
    ]


def test_a_proposal_is_listed_shown_applied_and_dropped(here: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    words = ("propose", "--reason", "no longer called", "--", "flags", "disable", FLAG)
    shown = require_done(here(*words, is_shown=True)).out
    assert "Nothing was sent: the change set was written to a file." in shown
    (proposal,) = records(here("proposals", "list", "--json"))
    assert (proposal["reason"], proposal["keys"], proposal["state"]) == ("no longer called", [FLAG], "open")
    assert Path(proposal["file"]).parent == tmp_path / ".flagtui" / "proposals"
    assert [each["key"] for each in records(here("proposals", "get", proposal["id"], "--json"))] == [FLAG]
    require_done(here("apply", proposal["id"], "--yes"))
    assert records(here("proposals", "list", "--json"))[0]["state"] == "applied"
    assert records(here("journal", "--json"))[0]["reason"] == "no longer called"
    require_done(here("proposals", "drop", proposal["id"]))
    assert records(here("proposals", "list", "--json")) == []


def test_unreadable_proposal_leaves_the_others_usable(here: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    require_done(here("propose", "--reason", "off", "--", "flags", "disable", FLAG))
    folder = tmp_path / ".flagtui" / "proposals"
    (folder / "cut.json").write_text('{"schema": 1')
    (cut, proposal) = records(here("proposals", "list", "--json"))
    assert ("is truncated" in cut["state"], proposal["state"]) == (True, "open")
    refused = here("apply", "cut.json", "--yes")
    assert (refused.code, "cut.json is truncated" in refused.err) == (EXIT_CODES["usage"], True)
    require_done(here("apply", Path(proposal["file"]).name, "--yes"))
    assert not is_on(here, FLAG)
    require_done(here("proposals", "drop", "cut.json"))
    assert [each["id"] for each in records(here("proposals", "list", "--json"))] == [proposal["id"]]


def test_proposals_with_one_reason_are_apart_and_in_order(here: Run) -> None:
    files = []
    for key in (OTHER, FLAG):
        done = here("propose", "--reason", "same", "--json", "--", "flags", "tag", key, "--add", "same")
        files.append(records(done)[0]["file"])
    listed = [(each["keys"], each["file"]) for each in records(here("proposals", "list", "--json"))]
    assert listed == [([OTHER], files[0]), ([FLAG], files[1])]
    assert records(here("flags", "disable", FLAG, "--dry-run", "--json"))[0]["file"] == ""


def test_every_command_that_changes_flags_or_events_can_be_staged() -> None:
    direct = {name for name, each in all_commands().items() if each.writes and each.never_staged}
    others = {name for name in direct if not name.startswith("experiments ")}
    assert others == {
        *("events create", "events delete", "flags schedule", "flags cohort", "flags dashboard"),
        *("undo", "redo", "apply"),
    }


def test_evaluation_without_definitions_names_what_it_lacks(here: Run, line: FaultyService) -> None:
    require_done(here("flags", "rollout", FLAG, "--to", "0", "--stage"))
    quota = httpx.Response(402, json={"detail": "The quota is used up."})
    line.before = lambda request: quota if "local_evaluation" in request.url.path else None
    foretold = here("staged", "evaluate", "--for", "user_7", "--json")
    assert [each["key"] for each in records(foretold)] == [FLAG]
    assert "flags that depend on those of the set are not evaluated: " in foretold.err


def test_evaluation_names_a_flag_that_was_deleted_since(here: Run) -> None:
    name = "trial-of-30-days"
    require_done(here("flags", "disable", name, "--stage"))
    require_done(here("flags", "delete", name, "--yes"))
    (value,) = records(here("staged", "evaluate", "--for", "user_7", "--json"))
    assert (value["key"], value["before"], value["after"]) == (name, False, False)


def test_read_only_profile_can_propose(here: Run) -> None:
    done = here("--read-only", "propose", "--reason", "off", "--json", "--", "flags", "disable", FLAG)
    (plan,) = records(done)
    assert (plan["ending"], Path(plan["file"]).exists()) == ("saved", True)
    assert here("apply", plan["file"], "--read-only", "--yes").code == EXIT_CODES["refused"]
    assert is_on(here, FLAG)
    refused = here("--read-only", "flags", "disable", FLAG, "--dry-run")
    assert (refused.code, "this profile is read-only" in refused.err) == (EXIT_CODES["refused"], True)
