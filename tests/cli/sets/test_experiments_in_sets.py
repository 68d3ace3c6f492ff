"""Values of experiments are staged and applied like those of flags; their steps are not."""

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.sets.conftest import FLAG, is_on, records, require_done

from flagtui.cli.plumbing.errors import EXIT_CODES


def description_of(run: Run, id: str) -> object:
    (experiment,) = records(run("experiments", "get", id, "--json", "--fields", "description"))
    return experiment["description"]


def stopped_id(run: Run) -> str:
    return str(records(run("experiments", "list", "is:stopped", "--json", "--fields", "id"))[0]["id"])


def test_experiments_and_flags_apply_in_one_set(here: Run) -> None:
    id = stopped_id(here)
    before = description_of(here, id)
    require_done(here("experiments", "edit", id, "--field", "description=Once", "--stage"))
    require_done(here("experiments", "edit", id, "--field", "description=Twice", "--stage"))
    require_done(here("flags", "disable", FLAG, "--stage"))
    (change, _flag) = records(here("staged", "list", "--json"))
    assert "Twice" in str(change)
    assert description_of(here, id) == before
    require_done(here("apply", "staged", "--yes"))
    assert (description_of(here, id), is_on(here, FLAG)) == ("Twice", False)
    require_done(here("undo", "--yes"))
    assert (description_of(here, id), is_on(here, FLAG)) == (before, True)


def test_an_archived_experiment_is_staged_and_applied(here: Run) -> None:
    id = stopped_id(here)
    require_done(here("experiments", "archive", id, "--dry-run", "--out", "set.json"))
    require_done(here("apply", "set.json", "--yes"))
    (experiment,) = records(here("experiments", "get", id, "--json", "--fields", "archived"))
    assert experiment["archived"] is True
    assert require_done(here("apply", "set.json", "--yes")).out.count("applied already") == 1


def test_an_experiment_that_changed_since_is_a_conflict(here: Run) -> None:
    id = stopped_id(here)
    require_done(
        here("experiments", "edit", id, "--field", "description=Mine", "--dry-run", "--out", "set.json")
    )
    require_done(here("experiments", "edit", id, "--field", "description=Theirs", "--yes"))
    shown = here("apply", "set.json", "--yes")
    assert shown.code == EXIT_CODES["conflict"]
    assert "you changed description since" in shown.err
    assert "now     Theirs" in shown.err
    require_done(here("apply", "set.json", "--yes", "--overwrite"))
    assert description_of(here, id) == "Mine"


def test_what_a_set_cannot_hold_of_an_experiment_is_refused(here: Run) -> None:
    id = stopped_id(here)
    edit = ("experiments", "edit", id, "--field", "exposure_criteria={}", "--dry-run", "--out", "a.json")
    refused = here(*edit)
    assert refused.code == EXIT_CODES["refused"]
    assert "exposure cannot be staged" in refused.err
    refused = here("experiments", "archive", id, "--disable-flag", "--stage")
    assert "cannot be staged" in refused.err
    assert "this cannot be staged: it is a step" in here("experiments", "launch", id, "--stage").err
    require_done(here("experiments", "edit", id, "--field", "name=New", "--stage"))
    mixed = here("experiments", "archive", id, "--stage")
    assert "it is archived in a request of its own" in mixed.err
    assert "Apply the staged change first, or drop it." in mixed.err
    assert not Path("a.json").exists()
