"""The one guard before every write: what confirms a change, and the only source of approvals."""

from collections.abc import Collection, Sequence
from typing import Any, Final, Generic
from uuid import uuid4
from weakref import WeakSet

import msgspec
from msgspec.structs import replace

from flagtui.changes.difference import Author, FieldConflict
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Caution, P, Proposal
from flagtui.config.guard_rules import GuardRules as GuardRules
from flagtui.config.guard_rules import Level as Level

COUNT_FROM: Final = 10
"""From this number of records, the user types it, whatever the level."""
ARMS_AFTER: Final = 0.5
"""Seconds a dialog ignores its confirm key, so that a key pressed for something else cannot reach it."""


CHANGES: Final = ("Last change", "Newer changes")
"""Labels of facts that the next change of the record makes untrue."""
OUTDATED: Final = Caution("changed elsewhere since this question was asked; cancel it and ask again")


class GuardRefused(msgspec.Struct, frozen=True):
    """The guard does not even ask."""

    reason: str
    next: str = ""


class Confirmation(msgspec.Struct, frozen=True):
    """The user's answer in the dialog, or the options of a command line."""

    yes: bool = False
    typed: str = ""
    reason: str = ""
    overwrite: bool = False
    """The user agreed to overwrite later changes of the same fields."""
    was_pasted: bool = False
    is_key_repeat: bool = False
    is_to_less: bool = False
    """The question gained a fact just before the answer."""
    without_journal: bool = False
    """Agreed to write without a journal entry, where the question offers it."""


class NotYet(msgspec.Struct, frozen=True):
    """The answer does not confirm the change; the missing parts."""

    why: str


def title_of_many(plans: Sequence[Proposal], counted: str) -> str:
    """Return the title of several plans; those of different verbs are changes."""
    return plans[0].title_of(counted) if len({plan.verb.name for plan in plans}) == 1 else f"Change {counted}"


def noun_of_all(plans: Sequence[Proposal]) -> str:
    """Return the noun of the records of plans: `flag`; `record` for several kinds."""
    nouns = {plan.noun for plan in plans}
    return nouns.pop() if len(nouns) == 1 else "record"


class Question(msgspec.Struct, Generic[P], frozen=True, kw_only=True):
    """The question about these plans, and the requirements for confirming them."""

    plans: tuple[P, ...]
    """Those that are meant, all of `planned` unless some were chosen."""
    planned: Planned[Any, P]
    place: str
    type_this: str | None
    """What to type: the key, the id of a flag whose key cannot be trusted, or how many flags there are."""
    reason_required: bool
    is_dialog: bool
    """False: one line and `y` are enough."""
    typed_from: int = 0
    """From how many plans their number is typed, where fewer are confirmed by a key; 0 elsewhere."""

    @property
    def title(self) -> str:
        """`Turn OFF in PROD`, `Turn OFF 12 flags in PROD`, or `Turn OFF 12 of 15 flags in PROD`."""
        first, count = self.plans[0], len(self.plans)
        # Those that name their kind may be of another one.
        alike = sum(skipped.kind is None for skipped in self.planned.skipped)
        chosen = count + alike
        place = f" in {self.place}" if self.place else ""
        of = f" of {chosen:,}" if alike else ""
        purpose = self.planned.purpose
        if of and purpose is not None and not purpose.part and purpose.name in ("Undo", "Redo"):
            # Its words count the skipped changes, too.
            purpose, of = replace(purpose, part=f"{count:,}{of}"), ""
        if purpose is not None and not purpose.part:
            return f"{purpose.name}: {purpose.words}{place}"
        is_one = count == 1 and not of
        counted = f"{count:,}{of} {first.noun}s"
        what = first.title.removesuffix(" of") if is_one else title_of_many(self.plans, counted)
        return f"{what}{place}" if purpose is None else f"{purpose.name} {purpose.part}: {what}{place}"

    @property
    def accept_words(self) -> str:
        """The words of the key that confirms: `Turn OFF`, `Delete the experiment`, `Delete 3 experiments`."""
        if self.planned.purpose is not None:
            return self.planned.purpose.name
        first, count = self.plans[0], len(self.plans)
        words = first.title.removesuffix(" of")
        if count == 1:
            return words
        counted = title_of_many(self.plans, f"{count:,} {first.noun}s")
        return words if counted.startswith(words) else counted

    @property
    def is_divisible(self) -> bool:
        """Whether the user may choose some of its plans: an undo of several changes, confirmed by a key."""
        purpose = self.planned.purpose
        is_undo = purpose is not None and purpose.name == "Undo" and not purpose.part
        is_whole = not (self.planned.skipped or self.planned.without_journal)
        is_plain = is_whole and not (self.reason_required or self.conflicts)
        return is_undo and is_plain and self.typed_from > 0 and len(self.plans) > 1

    def only(self, places: Collection[int]) -> "Question[P]":
        """Return the question about the plans at these places alone; about all of them without places."""
        purpose = self.planned.purpose
        if not places or purpose is None or not self.is_divisible:
            return self
        plans = tuple(plan for place, plan in enumerate(self.plans) if place in places)
        part = replace(purpose, part=f"{len(plans):,} of {len(self.plans):,}")
        typed = str(len(plans)) if len(plans) >= self.typed_from else None
        return replace(self, plans=plans, planned=replace(self.planned, purpose=part), type_this=typed)

    def warn_of_changes(self, ids: Collection[int | str]) -> "Question[P]":
        """Return the question with a caution about records that were changed elsewhere since it was asked."""
        plans = tuple(_add_caution(plan) if plan.id in ids else plan for plan in self.plans)
        return replace(self, plans=plans)

    @property
    def undo_words(self) -> str:
        """The effect of `u` after these plans: `turn it on again`; empty if it can undo none."""
        if self.planned.without_journal or not all(plan.verb.undo for plan in self.plans):
            return ""
        count = len(self.plans)
        words = {plan.verb.undo_of(count) for plan in self.plans}
        return words.pop() if len(words) == 1 else f"undo the {count:,} changes"

    @property
    def conflicts(self) -> tuple[FieldConflict, ...]:
        """The conflicts that a confirmation would overwrite."""
        return tuple(conflict for plan in self.plans for conflict in plan.conflicts)

    @property
    def overwritten(self) -> Author:
        """The author of the values that would be overwritten; `others` if any is of another user."""
        authors = {conflict.by for conflict in self.conflicts}
        return "others" if "others" in authors else "you" if authors == {"you"} else ""

    @property
    def conflict_words(self) -> str:
        """Name the other side of the conflicts: `another user changed this`."""
        words = {"you": "you changed this later", "others": "another user changed this"}
        return words.get(self.overwritten, "this was changed since")

    def settle(self, answer: Confirmation) -> "Approved[P] | NotYet":
        """Return the approval, or the missing parts."""
        conflict = f"{self.conflict_words}; agree to overwrite it" if self.conflicts else ""
        lacks_journal = bool(self.planned.without_journal) and not answer.without_journal
        for is_so, why in (
            (answer.was_pasted, "pasted text does not confirm; type it"),
            (answer.is_to_less, "the question changed; read it and confirm again"),
            (answer.is_key_repeat, "pressed too soon to answer this question; press it again"),
            (self.type_this is not None and not answer.typed, "it has to be confirmed by typing"),
            (self.type_this not in (None, answer.typed), "the typed text does not match"),
            (self.type_this is None and not answer.yes, "not confirmed"),
            (conflict and not answer.overwrite, conflict),
            (self.reason_required and not answer.reason.strip(), "a reason is required here"),
            (lacks_journal, f"{self.planned.without_journal}; confirm to continue without it"),
        ):
            if is_so:
                return NotYet(why)
        approved = Approved(_SEAL, self, answer)
        _unused.add(approved)
        return approved


def _add_caution(plan: Any) -> Any:
    facts = tuple(fact for fact in plan.consequences if fact.label not in CHANGES)
    return replace(plan, consequences=facts, cautions=(OUTDATED, *plan.cautions))


def refuse_early(rules: GuardRules, number: int, noun: str, *, is_least: bool = False) -> GuardRefused | None:
    """Return the refusal that needs no plans: the profile is read-only, or so many records are too many.

    With `is_least`, there may be more of them.
    """
    if rules.level is Level.READ_ONLY:
        return GuardRefused("this profile is read-only", "use a profile that may write")
    if number > rules.bulk_limit:
        at_least = "at least " if is_least else ""
        reason = f"{at_least}{number:,} {noun}s at once; this profile allows {rules.bulk_limit:,}"
        return GuardRefused(reason, "choose fewer, or raise bulk_limit in the profile")
    return None


def guard(planned: Planned[Any, P], rules: GuardRules) -> GuardRefused | Question[P]:
    """Return whether and how a user may confirm these plans together."""
    plans = planned.plans
    if refused := refuse_early(rules, len(plans), noun_of_all(plans)):
        return refused
    if not plans:
        return GuardRefused("there is nothing to change")
    if len({(plan.id, plan.key) for plan in plans}) < len(plans):
        return GuardRefused(f"the same {plans[0].noun} is in it twice", "change it once")
    name = plans[0].type_to_confirm if len(plans) == 1 else str(len(plans))
    is_unlocked = rules.is_unlocked and len(plans) == 1 and not plans[0].verb.is_grave
    is_typed = rules.level is Level.STRICT and not is_unlocked
    cannot_be_undone = any(plan.verb.is_typed for plan in plans)
    is_grave = any(plan.verb.is_grave or plan.conflicts for plan in plans)
    return Question(
        plans=tuple(plans),
        planned=planned,
        place=f"{rules.place} › {planned.place}" if planned.place else rules.place,
        type_this=name if is_typed or cannot_be_undone or len(plans) >= COUNT_FROM else None,
        reason_required=rules.require_reason,
        is_dialog=rules.level is not Level.RELAXED or is_grave or len(plans) + len(planned.skipped) > 1,
        typed_from=0 if rules.level is Level.STRICT or cannot_be_undone else COUNT_FROM,
    )


class Approved(Generic[P]):
    """A person agreed to exactly these plans. Made here alone, and good for one use."""

    __slots__ = ("__weakref__", "batch", "plans", "reason", "without_journal")

    def __init__(self, seal: object, question: Question[P], answer: Confirmation) -> None:
        if seal is not _SEAL:
            raise TypeError("only the guard approves changes")
        self.plans = question.plans
        self.reason = answer.reason.strip()
        self.without_journal = bool(question.planned.without_journal)
        planned, purpose = question.planned, question.planned.purpose
        batch = planned.batch or (purpose.batch if purpose is not None else "")
        self.batch = batch or (uuid4().hex if len(self.plans) > 1 else "")

    def __reduce__(self) -> str:
        raise TypeError("an approval cannot be copied")


_SEAL: Final = object()
_unused: Final[WeakSet[Approved[Any]]] = WeakSet()


def spend(approved: Approved[Any]) -> None:
    """Spend the approval. Raises ValueError if the guard did not give it, or if it was spent before."""
    if approved not in _unused:
        raise ValueError("this approval was used before, or the guard never gave it")
    _unused.discard(approved)
