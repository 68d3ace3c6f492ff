"""`flagtui undo`: takes back one change of this person, by the path of all changes."""

from typing import TypedDict, Unpack

import click

from flagtui.cli.options import PROFILE, named_profile, named_project


class UndoArguments(TypedDict):
    """The options."""

    profile: str
    project: str
    yes: bool
    typed: str
    reason: str
    overwrite: bool
    as_json: bool


@click.command("undo")
@click.argument("change", default="", metavar="[CHANGE_ID]")
@PROFILE
@click.option("--project", default="", metavar="ID", help="The project to work in instead of the profile's.")
@click.option("-y", "--yes", is_flag=True, help="Agree without being asked.")
@click.option(
    "--type", "typed", default="", metavar="TEXT", help="What has to be typed where y is not enough."
)
@click.option("--reason", default="", metavar="WHY", help="Why, for the journal.")
@click.option("--overwrite", is_flag=True, help="Give up what was changed there since.")
@click.option("--json", "as_json", is_flag=True, help="Say how it ended as JSON; asks nothing.")
def command(change: str, **given: Unpack[UndoArguments]) -> None:
    """Take back your last change, or the one with CHANGE_ID; flagtui journal shows the ids.

    It is held against today's record: what was changed there since, by somebody else or by you, is
    shown first and stays, unless you choose to overwrite it.
    """
    from flagtui.changes.guard import Confirmation
    from flagtui.cli.taking_back import take_back

    answer = Confirmation(
        yes=given["yes"], typed=given["typed"], reason=given["reason"], overwrite=given["overwrite"]
    )
    place = named_profile(given["profile"]), named_project(given["project"])
    is_read_only = click.get_current_context().find_root().params.get("read_only") is True
    raise SystemExit(take_back(change, place, answer, as_json=given["as_json"], read_only=is_read_only))
