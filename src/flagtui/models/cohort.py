"""A set of persons the server keeps."""

from flagtui.models.json_value import JSON, as_dict
from flagtui.models.record import Ids, Moment, Record, Whole


class Cohort(Record):
    """A cohort as it is made; its count comes later."""

    id: Whole = 0
    name: str = ""
    description: str | None = None
    is_static: bool = False
    is_calculating: bool = False
    """True while the server is still filling it."""
    count: Whole | None = None
    created_at: Moment | None = None
    experiment_set: Ids = ()

    @classmethod
    def in_answer(cls, raw: JSON) -> "Cohort":
        """The cohort inside `{"cohort": …}`."""
        return cls.of(as_dict(raw).get("cohort"))
