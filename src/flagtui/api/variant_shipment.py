"""What shipping a variant means for the targeting of its flag."""

from collections.abc import Mapping

from flagtui.api.errors import Invalid
from flagtui.models.json_value import JSON, as_dict, as_list


def shipped(filters: Mapping[str, JSON], variant: str, everyone: bool) -> dict[str, JSON]:
    """The flag's filters with one variant at 100 %, and with an open condition first for `everyone`."""
    variants = as_list(as_dict(filters.get("multivariate")).get("variants"))
    if variant not in {as_dict(item).get("key") for item in variants}:
        raise Invalid("The flag has no such variant.")
    shares = [
        {**item, "rollout_percentage": 100 if item.get("key") == variant else 0}
        for item in variants
        if isinstance(item, dict)
    ]
    opened = [{"properties": [], "rollout_percentage": 100}] if everyone else []
    return {
        **filters,
        "groups": opened + as_list(filters.get("groups")),
        "multivariate": {**as_dict(filters.get("multivariate")), "variants": shares},
    }
