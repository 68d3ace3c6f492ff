"""`flagtui staged evaluate`: what users are served once a set is applied."""

from collections.abc import Sequence
from typing import Final

import click

from flagtui.cli.commands.flags.flag_evaluations import SUBJECT, subject_of
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.proposal_files import STAGED
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.set_sources import find_source
from flagtui.cli.plumbing.value_types import SetName
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.set_evaluations import ValueChange, evaluate_set
from flagtui.evaluate.pattern_budget import limited_patterns

VALUE_CHANGE: Final[RecordSchema[ValueChange]] = RecordSchema(
    "value-change",
    "What a user is served before and after a change set.",
    (
        RecordField("key", "text", "Of the flag.", is_shown=True),
        RecordField("distinct_id", "text", "Of the user.", is_shown=True),
        RecordField(
            "before", "any", "The current value; null when not known or the flag is new.", is_shown=True
        ),
        RecordField("after", "any", "The value once the set is applied; null when not known.", is_shown=True),
    ),
)


@command(
    "evaluate",
    kind=VALUE_CHANGE,
    empty="The set changes no flag.",
    operations=(
        *("flags.get", "flags.test_evaluation", "flags.local_evaluation", "flags.definitions"),
        *("cohorts.list", "projects.get"),
    ),
    examples=("--for user_7", "--for 'user_7 plan=pro' --json"),
)
@click.argument("source", default=STAGED, metavar="[FILE|staged|PROPOSAL]", type=SetName())
@SUBJECT
async def evaluate_staged(
    session: ProjectSession, source: str, people: tuple[str, ...]
) -> Sequence[ValueChange]:
    """Show what users are served now and once the whole set is applied, also by flags that depend on it."""
    subjects = [subject_of(line) for line in dict.fromkeys(people)]
    changes = find_source(session, source).change_set.changes
    local = LocalDefinitions(session.client, ProjectCohorts(session.client))
    with limited_patterns():
        values = [await evaluate_set(subject, changes, session.client, local) for subject in subjects]
    if local.trouble is not None:
        warn(f"flags that depend on those of the set are not evaluated: {local.trouble.what}")
    return [value for each in values for value in each]
