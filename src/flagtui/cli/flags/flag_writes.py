"""Changes of flags from the command line: plans on today's records, sent as the app sends them."""

from collections.abc import Callable, Sequence

from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import look_around, plan_together, request_for
from flagtui.changes.flags.surroundings import Surroundings, rows_of
from flagtui.changes.proposal import LeftOut
from flagtui.cli.agreement import PlannedChange, carry_out
from flagtui.cli.flags.flag_selection import deleted_flags_of, flags_of
from flagtui.cli.options import WriteTerms
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import read_words
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow

MakeIntent = Callable[[Flag], Intent | LeftOut]
"""What is meant for one flag, or why it cannot be."""


def change_flags(
    words: Sequence[str],
    make: MakeIntent,
    terms: WriteTerms,
    *,
    are_deleted: bool = False,
) -> int:
    """PlannedChange every flag the words mean; the exit code. Raises Trouble."""
    wanted = read_words(words, FLAGS.is_query)

    async def work(session: ProjectSession) -> int:
        flags = await (deleted_flags_of if are_deleted else flags_of)(session, wanted)
        is_asked = terms.agreement.dry_run or not terms.agreement.yes
        change = await plan_flags(session, flags, make, is_asked=is_asked)
        return await carry_out(change, session, terms)

    return in_project(terms.place, work)


async def plan_flags(
    session: ProjectSession, flags: Sequence[Flag], make: MakeIntent, *, is_asked: bool
) -> PlannedChange[Plan]:
    """The plans for flags that were just read. Raises ApiError.

    For one flag and a question the server is asked what follows from it; for several the list is read.
    """
    intents = [(flag, make(flag)) for flag in flags]
    left_out = [intent for _flag, intent in intents if isinstance(intent, LeftOut)]
    meant = [(flag, intent) for flag, intent in intents if isinstance(intent, Intent)]
    rows: Sequence[FlagRow] = ()
    if len(meant) > 1:
        rows = await FLAGS.every(session)
    elif meant and is_asked:
        rows = await rows_of(session.client.flags.get, meant[0][0].targeting.depends_on)
        await session.me()
    looked = []
    for flag, intent in meant:
        surroundings = Surroundings(
            rows,
            await session.me() if is_asked else None,
            session.now,
            is_one_of_many=len(meant) > 1 or not is_asked,
        )
        request = request_for(intent)
        looked.append(await look_around(session.client.flags, flag, request, surroundings, adds_later=False))
    planned = plan_together(looked)
    return PlannedChange(
        planned.plans, FlagAdapter(session.client.flags), [*left_out, *planned.left_out], planned.settled
    )
