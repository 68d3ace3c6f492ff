"""What of a flag means something in its own project only: a copy elsewhere would mean something else."""

from flagtui.models.flag import Flag


def bound_to_its_project(flag: Flag) -> str:
    """Why the flag cannot be copied to another project as it is; empty when it can."""
    targeting = flag.targeting
    if not targeting.is_editable:
        return "its targeting is of a newer kind"
    if targeting.cohorts:
        return "its conditions ask for cohorts, which have other numbers there"
    if targeting.depends_on:
        return "its conditions ask for other flags, which have other numbers there"
    indexes = [condition.group_type_index for condition in targeting.conditions]
    if targeting.group_type_index is not None or any(index is not None for index in indexes):
        return "its conditions are about groups, which may be of another type there"
    return ""
