"""Whether a response agrees with an example: the same keys, with values of the same types."""

from collections.abc import Collection
from typing import Any, Final

KEYED_BY_DATA: Final = {
    *("keys", "cohorts", "group_type_mapping", "primary_properties", "person_properties"),
    *("timeseries", "total_exposures"),
}
OUTSIDE: Final = {"fingerprint"}
"""A metric outside an experiment is computed in no particular way, so it has no fingerprint."""
ERROR_KEYS: Final = ("type", "code", "detail", "attr")


def agree(actual: Any, expected: Any, place: str, any_json: Collection[str] = ()) -> None:
    """Every key of the example is there, with a value of its type; null fits everything."""
    if actual is None or expected is None or place.rpartition(".")[2] in any_json:
        return
    if isinstance(expected, dict):
        assert isinstance(actual, dict), place
        if place.rsplit(".", 1)[-1] in KEYED_BY_DATA or place == "flags.evaluation_reasons.answer":
            for key, value in actual.items():
                agree(value, next(iter(expected.values()), None), f"{place}.{key}", any_json)
            return
        missing = expected.keys() - actual.keys() - (OUTSIDE if place.endswith(".query") else set())
        assert not missing, f"{place} has no {missing}"
        for key in expected.keys() & actual.keys():
            agree(actual[key], expected[key], f"{place}.{key}", any_json)
    elif isinstance(expected, list):
        assert isinstance(actual, list), place
        for number, item in enumerate(actual if expected else ()):
            agree(item, expected[0], f"{place}[{number}]", any_json)
    elif isinstance(expected, bool) or isinstance(actual, bool):
        assert type(actual) is type(expected), place
    else:
        numbers = (int, float)
        assert isinstance(actual, numbers if isinstance(expected, numbers) else str), place
