"""Who counts as having met an experiment, in words. Raw."""

from collections.abc import Mapping
from typing import Final

from flagtui.changes.experiments.metric_words import named_node
from flagtui.models.json_value import JSON, as_dict, as_text

SEVERAL: Final[Mapping[str, str]] = {
    "exclude": "left out of the results",
    "first_seen": "counted for the first one",
}
"""What becomes of people who met several variants."""


def exposed_by(criteria: Mapping[str, JSON]) -> str:
    """`its flag being called`, `signup (plan is pro)`, `action Signed up`."""
    config = as_dict(criteria.get("exposure_config"))
    return named_node(config) if config else "its flag being called"


def activated_by(criteria: Mapping[str, JSON]) -> str:
    """What has to follow the exposure before anybody counts; empty where nothing has to."""
    config = as_dict(criteria.get("activation_config"))
    return named_node(config) if config else ""


def counts_test_accounts(criteria: Mapping[str, JSON]) -> bool:
    """Servers leave test accounts out where that is asked for only; new experiments ask for it themselves."""
    return not criteria.get("filterTestAccounts")


def several_words(criteria: Mapping[str, JSON]) -> str:
    """What becomes of people who met several variants."""
    handling = as_text(criteria.get("multiple_variant_handling")) or "exclude"
    return SEVERAL.get(handling, handling)
