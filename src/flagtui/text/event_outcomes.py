"""How changes of event definitions ended, in words: what happened, what is true now, what to do next."""

from collections.abc import Iterator, Sequence

from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.text.notices import Notice

NAMED: int = 4
"""Refusals named in one toast; the rest is counted."""


def explain_ended(ended: Sequence[DefinitionEnded], planned: Sequence[EventPlan]) -> Notice:
    """The toast after a change, or after many that were confirmed together."""
    if len(planned) == 1 and len(ended) == 1:
        return _explain_one(ended[0])
    lines = [words_of(ended, planned), *_named(ended)]
    saved = sum(one.is_saved for one in ended)
    if saved:
        lines.append("u takes all of it back")
    tone = "information" if saved == len(planned) else "warning" if saved else "error"
    return Notice("\n".join(lines), tone)  # type: ignore[arg-type]  # one of the three words


def words_of(ended: Sequence[DefinitionEnded], planned: Sequence[EventPlan]) -> str:
    """`12 saved, 1 refused, 2 not sent`."""
    endings = [one.ending for one in ended]
    counted = [f"{endings.count(ending)} {ending}" for ending in dict.fromkeys(endings)]
    if left := len(planned) - len(ended):
        counted.append(f"{left} not sent")
    return ", ".join(counted)


def _named(ended: Sequence[DefinitionEnded]) -> Iterator[str]:
    bad = [one for one in ended if not one.is_saved]
    for one in bad[:NAMED]:
        yield f"{one.plan.key}: {one.reason.rstrip('.')}"
    if len(bad) > NAMED:
        yield f"and {len(bad) - NAMED} more"


def _explain_one(ended: DefinitionEnded) -> Notice:
    name = ended.plan.key
    if ended.is_saved:
        lost = f"\nthe server did not keep: {', '.join(ended.missing)}" if ended.missing else ""
        undo = f" · u would {ended.plan.verb.undo}" if ended.plan.verb.undo else ""
        return Notice(f"{name} {ended.plan.verb.done}{undo}{lost}", "warning" if lost else "information")
    if ended.ending == "unknown":
        text = f"{name}: {ended.reason}.\nWhether it will be is not known; {ended.next}."
        return Notice(text, "error", "not known")
    sentences = [ended.reason, "Nothing was changed", ended.next]
    text = ". ".join(part.rstrip(".") for part in sentences if part)
    return Notice(f"{name}: {text}.", "error", "not saved")
