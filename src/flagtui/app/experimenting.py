"""The stories of experiment steps: choose what is meant, read again, plan, guard, ask, save, say."""

from dataclasses import replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.explain import explain_blocked, explain_error, explain_refusal
from flagtui.app.notices import Notice, Tone
from flagtui.app.screens.confirm import ConfirmScreen, Surface
from flagtui.app.screens.edit.prompt import Prompt, PromptScreen, Reading
from flagtui.app.screens.picker import Choice, PickerScreen
from flagtui.changes import guard
from flagtui.changes.blocking import Blocked, is_plain_key
from flagtui.changes.experiments.following import Around
from flagtui.changes.experiments.foreseeing import CONCLUSIONS, foresee_refusal
from flagtui.changes.experiments.plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.recovery import recover_steps
from flagtui.changes.experiments.saving import StepDesk, StepEnded, save_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.journal import JournalUnwritable
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace

_CONCLUSION_WORDS: Final[dict[str, str]] = {
    "won": "a variant is better",
    "lost": "the variants are worse",
    "inconclusive": "no difference that counts",
    "stopped_early": "ended for another reason",
    "invalid": "something was wrong with it",
}


class Experimenting:
    """Begins steps for experiments; each is confirmed and sent on its own."""

    def __init__(self, desk: Desk, changing: Changing) -> None:
        self._desk = desk
        self.changing = changing

    def start(self, name: StepName, row: ExperimentRow, leading: str = "") -> None:
        """Begin the path; `leading` says what the first metric shows so far."""
        self.changing.run(self._story(STEPS[name], row, leading))

    async def look_back(self) -> None:
        """Say what became of steps that an earlier run left open in this project."""
        workspace = self._desk.workspace
        if workspace is None:
            return
        here = self._desk.signature(workspace)
        try:
            found = await recover_steps(self._desk.session.journal, workspace.client.experiments, here)
        except JournalUnwritable as fault:
            self.changing.tell(Notice(f"The journal cannot be written: {fault}", "error"))
            return
        for one in found:
            tone: Tone = "warning" if one.truth == "is not known" else "information"
            self.changing.tell(Notice(f"Left open last time. {one.words}.", tone, seconds=12))

    async def _story(self, step: Step, row: ExperimentRow, leading: str) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            self.changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        fresh = await self.read(row.id, row.name, workspace)
        if fresh is None or self._is_refused(step, fresh):
            return
        choices = await self._choose(step, fresh)
        if choices is not None:
            await self.plan(ExperimentIntent(row.id, step, choices), fresh, workspace, leading)

    async def read(self, id: int, name: str, workspace: Workspace) -> Experiment | None:
        """The experiment as it is now; None, once that was said, when it cannot be read."""
        try:
            fresh = await workspace.client.experiments.get(id)
        except ApiError as error:
            if isinstance(error, NotFound):
                workspace.experiments.remove(id)
            self.changing.tell(explain_error(error, name))
            return None
        workspace.experiments.put(fresh.row())
        return fresh

    def is_read_only(self) -> bool:
        """Whether nothing can be written here, which is said then."""
        if self._desk.session.rules.level is not guard.Level.READ_ONLY:
            return False
        self.changing.tell(explain_refusal(guard.Refused("this profile is read-only")))
        return True

    def _is_refused(self, step: Step, fresh: Experiment) -> bool:
        """Whether the step cannot be taken whatever is chosen: nobody is asked for nothing."""
        if self.is_read_only():
            return True
        if step.name in ("ship", "duplicate"):
            variant = next((one.key for one in fresh.variants), "")
            probe = Choices(variant=variant, flag_key=f"{fresh.feature_flag_key}-"[:400])
        else:
            probe = Choices()
        refusal = foresee_refusal(fresh, step, probe)
        if refusal is not None:
            self.changing.tell(explain_blocked(refusal, fresh.name))
        return refusal is not None

    async def plan(
        self, intent: ExperimentIntent, fresh: Experiment, workspace: Workspace, leading: str = ""
    ) -> None:
        """Say what the step means, ask, and take it."""
        around = await gather(intent, fresh, workspace)
        around = replace(around, now=self._desk.session.clock(), leading=leading)
        plan = plan_step(intent, fresh, around)
        if isinstance(plan, Blocked):
            self.changing.tell(explain_blocked(plan, fresh.name))
        else:
            await self.confirm(plan, workspace)

    async def confirm(self, plan: ExperimentPlan, workspace: Workspace, undoes: str = "") -> None:
        """Ask, and take the step; `undoes` names the journal entry it takes back."""
        question = guard.guard([plan], self._desk.session.rules)
        if isinstance(question, guard.Refused):
            self.changing.tell(explain_refusal(question))
            return
        session = self._desk.session
        approved = await self.changing.ask(
            ConfirmScreen(question, Surface(session.colour, session.monotonic))
        )
        if approved is None:
            return
        desk = StepDesk(
            workspace.client.experiments,
            session.journal,
            self._desk.signature(workspace),
            session.timing,
            lambda words: self.changing.tell(Notice(words, "warning")),
        )
        ended = await self.changing.see_through(save_step(approved, desk, undoes))
        await believe(ended, workspace)
        self._desk.tell()
        self.changing.tell(words_for(ended))

    # What is meant

    async def _choose(self, step: Step, fresh: Experiment) -> Choices | None:
        match step.name:
            case "end":
                return await self._conclude()
            case "ship":
                return await self._ship(fresh)
            case "archive" if fresh.feature_flag is not None and fresh.feature_flag.active:
                return await self._archive(fresh)
            case "duplicate":
                return await self._copy(fresh)
        return Choices()

    async def _conclude(self) -> Choices | None:
        offered = [Choice(word, word.replace("_", " "), _CONCLUSION_WORDS[word]) for word in CONCLUSIONS]
        offered.append(Choice("", "no conclusion yet", "an earlier one is erased"))
        conclusion = await self.changing.ask(PickerScreen("End with which conclusion?", offered))
        if not conclusion:
            return None if conclusion is None else Choices()
        about = "A comment for those who come later; leave it empty for none."
        comment = await self.changing.ask(PromptScreen(Prompt("Why?", about)))
        return None if comment is None else Choices(conclusion=conclusion, comment=comment.strip())

    async def _ship(self, fresh: Experiment) -> Choices | None:
        last = len(fresh.variants) - 1
        variants = [
            Choice(variant.key, variant.key, f"{variant.rollout:g} % now", place == last)
            for place, variant in enumerate(fresh.variants)
        ]
        variant = await self.changing.ask(PickerScreen("Ship which variant?", variants))
        if variant is None:
            return None
        people = [
            Choice(False, "those its conditions let in", "conditions stay as they are", True),
            Choice(True, "everyone", "an open condition is put before all others"),
        ]
        everyone = await self.changing.ask(PickerScreen(f"{variant} to whom?", people))
        return None if everyone is None else Choices(variant=variant, everyone=everyone)

    async def _archive(self, fresh: Experiment) -> Choices | None:
        key = fresh.feature_flag_key
        ways = [
            Choice(False, "leave its flag on", f"{key} is still served", True),
            Choice(True, "turn its flag off and archive it", "nobody gets a variant any more"),
        ]
        disable = await self.changing.ask(PickerScreen("Archive, and the flag?", ways))
        return None if disable is None else Choices(disable_flag=disable)

    async def _copy(self, fresh: Experiment) -> Choices | None:
        about = "Without a flag of its own, pausing or shipping the copy would do it to the original too."
        own = fresh.feature_flag_key

        def read(line: str) -> Reading:
            if line.strip() == own:
                return Reading(problem="this is the flag of the original")
            return Reading(problem="" if is_plain_key(line.strip()) else "letters, digits, - and _ only")

        asked = Prompt("Flag key of the copy", about, f"{own}-copy", "a key of its own", read)
        key = await self.changing.ask(PromptScreen(asked))
        if key is None:
            return None
        named = Prompt("Name of the copy", "", f"{fresh.name} (Copy)")
        name = await self.changing.ask(PromptScreen(named))
        return None if name is None else Choices(flag_key=key.strip(), name=name.strip()[:400])


async def gather(intent: ExperimentIntent, fresh: Experiment, workspace: Workspace) -> Around:
    """What only the server knows. Hints that cannot be had are left out: the server still decides."""
    around = Around(flag_keys=frozenset(row.key for row in workspace.flags.rows))
    flag, client = fresh.feature_flag, workspace.client
    try:
        if intent.step.name == "launch":
            around = replace(around, needs_code=await client.experiments.requires_flag_implementation())
        if flag is not None and (intent.step.name == "pause" or intent.choices.disable_flag):
            off = {row.id for row in workspace.flags.rows if not row.active}
            found = await client.flags.dependents(flag.id)
            around = replace(around, dependents=tuple(one.key for one in found if one.id not in off))
    except ApiError:
        return around
    return around


async def believe(ended: StepEnded, workspace: Workspace) -> None:
    """Put what the server said into the lists: the experiment, and the flag that went with it."""
    record, step = ended.record, ended.plan.step.name
    if ended.ending == "saved" and step == "delete":
        workspace.experiments.remove(ended.plan.id)
        return
    if record is None or step == "copy":
        return
    workspace.experiments.put(record.row())
    if ended.ending != "saved" or record.feature_flag is None:
        return
    try:
        flag = await workspace.client.flags.get(record.feature_flag.id)
    except ApiError:
        # The list of flags will learn of it when it looks for changes.
        return
    workspace.flags.put(flag.row())


def words_for(ended: StepEnded) -> Notice:
    """The toast after a step."""
    plan, key = ended.plan, ended.plan.key
    if ended.ending == "saved":
        undo = f"\nu to {plan.verb.undo}" if plan.verb.undo and ended.journal_id else ""
        note = f"\n{ended.note}" if ended.note else ""
        return Notice(f"{key} {plan.verb.done}{undo}{note}", "warning" if ended.note else "information")
    if ended.ending == "unknown":
        text = f"{key}: no answer came, and whether it was done is not known.\nIt was not sent twice."
        return Notice(text, "error", "not known")
    reason = ended.reason[:1].upper() + ended.reason[1:]
    now = "Nothing was changed." if ended.record is None else f"It is {ended.record.state} now."
    text = "\n".join(part for part in (f"{key}: {reason}", now, ended.next) if part)
    title = "needs approval" if ended.ending == "awaiting approval" else "not saved"
    return Notice(text, "warning" if ended.ending == "awaiting approval" else "error", title)
