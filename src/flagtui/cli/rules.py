"""How careful a profile is, for the guard."""

from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.profiles import Profile


def rules_of(profile: Profile, *, read_only: bool) -> GuardRules:
    """The profile's rules; `read_only` wins over what it allows."""
    return GuardRules(
        level=Level.READ_ONLY if read_only else Level(profile.level),
        require_reason=profile.require_reason,
        place=profile.word,
        bulk_limit=profile.bulk_limit,
    )
