"""What a person asked for of flags, before it is known whether it can be done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from flagtui.changes.flags.activity_revert import intended, plan_revert
from flagtui.changes.flags.flag_cautions import Caution
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_context import Context, Linked
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flags_together import Found
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


@dataclass(frozen=True)
class RequestedChange:
    """One record and what is to become of it."""

    record: int
    intent: Callable[[Flag], Intent]
    """What is meant, once the record has been read again."""
    plan: Callable[[Flag, Context], Found]
    is_switch: bool = False
    """Whether it turns the flag on or off and does nothing else."""


@dataclass(frozen=True)
class NewFlag:
    """A flag that is not there yet."""

    fields: Mapping[str, JSON]
    told: Sequence[Consequence] = ()
    """What the question says besides."""
    source: int = 0
    """The number of the flag it is a copy of."""


def request_for(intent: Intent) -> RequestedChange:
    """New values for some fields."""
    return RequestedChange(
        intent.id,
        lambda _fresh: intent,
        lambda fresh, context: plan_flag(intent, fresh, context),
        is_switch=intent.changes.keys() == {"active"},
    )


def request_along(switch: RequestedChange, obstacle: Linked, key: str) -> RequestedChange:
    """A flag that stands in the way of switching `key`, switched as well, and why."""

    def intent(fresh: Flag) -> Intent:
        return replace(switch.intent(fresh), id=obstacle.id, seen_version=fresh.version)

    def plan(fresh: Flag, context: Context) -> Found:
        meant = intent(fresh)
        found = plan_flag(meant, fresh, context)
        if not isinstance(found, Plan):
            return found
        goes_on = meant.changes["active"] is True
        why = f"also turned on: {key} depends on it" if goes_on else f"also turned off: it depends on {key}"
        return replace(found, cautions=(Caution("together", why), *found.cautions))

    return RequestedChange(obstacle.id, intent, plan)


def request_revert(record: int, entry: Activity) -> RequestedChange:
    """Anybody's change taken back, as the activity tells it."""
    return RequestedChange(
        record,
        lambda fresh: intended(entry, fresh),
        lambda fresh, context: plan_revert(entry, fresh, context),
    )
