"""Flags as code meets them, read from pages of the flag list and completed by other lists."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from flagtui.evaluate import wire
from flagtui.evaluate.parts import for_everyone, read_flag
from flagtui.models.code_flags import CodeFlag
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import as_id
from flagtui.models.rows import FlagRow, RowPage, read_objects

DELETED_MARK: Final = ":deleted:"
"""The suffix that the server appends to the key of some deleted flags, before the id."""


class ListedFlag(msgspec.Struct, frozen=True):
    """A flag of a list page with the facts that other lists complete."""

    flag: CodeFlag
    cohorts: tuple[int, ...] = ()
    """Ids of the cohorts in its conditions."""

    @property
    def id(self) -> int:
        return self.flag.id


def read_listed_page(body: bytes) -> RowPage[ListedFlag]:
    """Return the flags of a page of the flag list. Raises NotJson."""
    page = read_flag_page(body)
    raws = {as_id(raw.get("id")): raw for raw in read_objects(body)}
    rows = tuple(_listed_flag(row, raws.get(row.id, {})) for row in page.rows)
    return page.with_rows(rows)


def _listed_flag(row: FlagRow, raw: Mapping[str, Any]) -> ListedFlag:
    parts = read_flag(raw)
    cohorts = {
        as_id(question.value)
        for condition in parts.conditions
        for question in condition.filters
        if question.kind == "cohort"
    }
    flag = CodeFlag(row, for_everyone(parts), _why_not_local(raw, has_continuity=parts.has_continuity))
    return ListedFlag(flag, tuple(sorted(id for id in cohorts if id)))


def _why_not_local(raw: Mapping[str, Any], *, has_continuity: bool) -> str:
    """Return the parts of this flag that the server's definitions for local evaluation lack."""
    if has_continuity:
        return "it keeps values across sign-in"
    if raw.get("has_encrypted_payloads") is True:
        return "its payloads are encrypted"
    return "" if wire.has_known_version(raw.get("filters")) else "it has rules (configuration version 2)"


def complete_flags(listed: Iterable[ListedFlag], static_cohorts: Collection[int]) -> list[CodeFlag]:
    """Return the flags; those on static cohorts, and those that depend on one, are not local."""
    by_id = {each.id: each.flag for each in listed}
    replace = msgspec.structs.replace
    for each in listed:
        if not each.flag.not_local and not set(each.cohorts).isdisjoint(static_cohorts):
            by_id[each.id] = replace(each.flag, not_local="it targets a static cohort")
    waiting = True
    while waiting:
        waiting = False
        for id, flag in by_id.items():
            needed = (by_id[other] for other in flag.row.depends_on if other in by_id)
            blocker = next((other for other in needed if other.not_local), None)
            if not flag.not_local and blocker is not None:
                by_id[id] = replace(flag, not_local=f"it depends on {blocker.key}")
                waiting = True
    return list(by_id.values())


def with_deleted(
    flags: Sequence[CodeFlag], deleted: Mapping[str, int], earlier: Iterable[CodeFlag]
) -> list[CodeFlag]:
    """Add the deleted flags: ids by key from the activity, and flags of an earlier copy that are gone."""
    present = {flag.key for flag in flags}
    present_ids = {flag.id for flag in flags}
    gone = {key.partition(DELETED_MARK)[0]: id for key, id in deleted.items()}
    for flag in earlier:
        # A flag with another key now was renamed: code that names the previous one gets nothing either.
        gone.setdefault(flag.key.partition(DELETED_MARK)[0], 0 if flag.id in present_ids else flag.id)
    added = [
        CodeFlag(FlagRow(id=id, key=key, deleted=True), has_value=False)
        for key, id in gone.items()
        if key and key not in present
    ]
    return [*flags, *added]
