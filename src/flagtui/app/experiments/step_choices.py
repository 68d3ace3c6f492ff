"""What a person chooses on the way to a step: a conclusion, a variant, what becomes of the flag."""

from collections.abc import Sequence
from dataclasses import replace

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.writing.changes import Changes
from flagtui.changes.experiments.steps import Choices, Step
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.record_fields import EXPERIMENT_FIELDS


class StepQuestions:
    """Asks; sends nothing."""

    def __init__(self, changing: Changes) -> None:
        self._changing = changing

    async def choose(self, step: Step, fresh: Experiment) -> Choices | None:
        """What the step needs to know; None when the person leaves."""
        match step.name:
            case "end":
                return await self._conclude()
            case "ship":
                return await self._ship(fresh)
            case "archive" if fresh.feature_flag is not None and fresh.feature_flag.active:
                return await self._archive(fresh.feature_flag_key)
            case "duplicate":
                return await self._copy(fresh)
        return Choices()

    async def choose_for_many(self, step: Step, fresh: Sequence[Experiment]) -> Choices | None:
        """The same for several, to which one answer applies; None when the person leaves."""
        flags = [one.feature_flag for one in fresh]
        if step.name == "end":
            return await self._conclude()
        if step.name == "archive" and any(flag is not None and flag.active for flag in flags):
            return await self._archive("each of them")
        return Choices()

    async def _conclude(self) -> Choices | None:
        kept = Choice("", "no conclusion yet", "an earlier one is erased")
        return await self._concluded("End with which conclusion?", kept, at_first=False)

    async def _concluded(self, title: str, without: Choice[str], *, at_first: bool) -> Choices | None:
        """A conclusion and a comment on it; `without` is the way past both."""
        options = EXPERIMENT_FIELDS["conclusion"].takes.options
        words = [Choice(one.value, one.words, one.about) for one in options]
        offered = [without, *words] if at_first else [*words, without]
        conclusion = await self._changing.ask(PickerScreen(title, offered))
        if not conclusion:
            return None if conclusion is None else Choices()
        about = "A comment for those who come later; leave it empty for none."
        comment = await self._changing.ask(PromptScreen(Prompt("Why?", about, read=_comment)))
        return None if comment is None else Choices(conclusion=conclusion, comment=comment.strip())

    async def _ship(self, fresh: Experiment) -> Choices | None:
        last = len(fresh.variants) - 1
        variants = [
            Choice(variant.key, variant.key, f"{variant.rollout:g} % now", place == last)
            for place, variant in enumerate(fresh.variants)
        ]
        variant = await self._changing.ask(PickerScreen("Ship which variant?", variants))
        if variant is None:
            return None
        people = [
            Choice(False, "those its conditions let in", "conditions stay as they are", True),
            Choice(True, "everyone", "an open condition is put before all others"),
        ]
        everyone = await self._changing.ask(PickerScreen(f"{variant} to whom?", people))
        if everyone is None:
            return None
        kept = Choice("", "leave the conclusion as it is", fresh.conclusion or "there is none")
        said = await self._concluded("Conclude with it?", kept, at_first=True)
        return None if said is None else replace(said, variant=variant, everyone=everyone)

    async def _archive(self, key: str) -> Choices | None:
        ways = [
            Choice(False, "leave its flag on", f"{key} is still served", True),
            Choice(True, "turn its flag off and archive it", "nobody gets a variant any more"),
        ]
        disable = await self._changing.ask(PickerScreen("Archive, and the flag?", ways))
        return None if disable is None else Choices(disable_flag=disable)

    async def _copy(self, fresh: Experiment) -> Choices | None:
        about = "Without a flag of its own, pausing or shipping the copy would do it to the original too."
        own = fresh.feature_flag_key

        def read(line: str) -> PromptReading:
            if line.strip() == own:
                return PromptReading(problem="this is the flag of the original")
            return PromptReading(
                problem="" if is_plain_key(line.strip()) else "letters, digits, - and _ only"
            )

        asked = Prompt("Flag key of the copy", about, f"{own}-copy", "a key of its own", read)
        key = await self._changing.ask(PromptScreen(asked))
        if key is None:
            return None
        named = Prompt("Name of the copy", "", f"{fresh.name} (Copy)")
        name = await self._changing.ask(PromptScreen(named))
        return None if name is None else Choices(flag_key=key.strip(), name=name.strip()[:400])


def _comment(line: str) -> PromptReading:
    return PromptReading(problem=EXPERIMENT_FIELDS["conclusion_comment"].takes.wrong(line))
