"""What follows from a step, and what should make a person stop: above all, what becomes of the flag."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flagtui.changes.cautions import Caution
from flagtui.changes.consequences import Consequence, Tone
from flagtui.changes.experiments.fields import FOR_DRAFTS, METRICS, split_words
from flagtui.changes.experiments.steps import LIVE, Choices, Step
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_list, as_number
from flagtui.models.times import unix

DAY: Final = 86_400.0
WEEK: Final = 7.0
"""Days under which an experiment has not seen every day of a week."""


@dataclass(frozen=True, slots=True)
class Around:
    """What else is known when a step is planned."""

    now: float = 0.0
    flag_keys: frozenset[str] = frozenset()
    """Keys of the project's flags."""
    leading: str = ""
    """The first metric so far, in words."""
    dependents: tuple[str, ...] = ()
    """Keys of flags that are on and ask for its flag."""
    needs_code: bool | None = None
    """True when no recent event carried a flag."""


def consequences(fresh: Experiment, step: Step, choices: Choices, around: Around) -> Iterator[Consequence]:
    """All that is known to follow, in the order of a dialog."""
    match step.name:
        case "launch":
            yield from _launching(fresh)
        case "pause":
            yield _flag(fresh, "is turned off: nobody gets a variant until it is resumed", "danger")
            yield Consequence("Results", "no new people are counted while it is off")
        case "resume":
            yield _flag(fresh, "is turned on: its variants are served again", "good")
        case "end":
            yield _flag(fresh, "stays as it is: people keep getting their variants; W ships one", "warning")
            yield Consequence("Conclusion", _concluded(choices))
        case "ship":
            yield from _shipping(fresh, choices)
        case "archive" | "unarchive":
            yield from _archiving(fresh, step, choices)
        case "reset":
            yield Consequence("Results", "start, end and conclusion are erased; results begin anew", "danger")
            yield _left_serving(fresh)
        case "delete":
            yield _flag(fresh, "stays as it is, and is still served", "warning")
            yield Consequence(
                "Way back", f"by its number only, #{fresh.id}: no list shows deleted experiments"
            )
        case "restore":
            yield _flag(fresh, "stays as it is")
        case "reopen":
            yield from _reopening(fresh, choices)
    yield from _of_making(fresh, step, choices, around)
    if around.leading and step.name in ("end", "ship", "reset"):
        yield Consequence("So far", around.leading)


def _of_making(fresh: Experiment, step: Step, choices: Choices, around: Around) -> Iterator[Consequence]:
    match step.name:
        case "duplicate":
            yield from _copying(choices, around)
        case "create":
            yield from _creating(choices, around)
        case "edit":
            yield from _editing(fresh, choices)
        case "copy":
            yield Consequence("Copy", f"a draft in project #{choices.project}; shared metrics stay behind")
            yield Consequence("Flag", f"{choices.flag_key or fresh.feature_flag_key} is made there, off")
        case "cohort":
            yield Consequence("Cohort", f"everybody who called {fresh.feature_flag_key} since the start")


def cautions(fresh: Experiment, step: Step, choices: Choices, around: Around) -> Iterator[Caution]:
    """Reasons to look twice."""
    if step.name in ("end", "ship") and fresh.state in LIVE:
        yield from _peeking(fresh, around)
    if step.name == "launch":
        if not (fresh.metrics or fresh.saved_metrics):
            yield Caution(
                "targeting", "it has no metric: nothing will be measured", ("set one in the browser",)
            )
        if around.needs_code:
            text = "no event of the last 7 days carried a flag: the code is probably not there yet"
            yield Caution("targeting", text)
    if step.name == "end" and not choices.conclusion and fresh.conclusion:
        yield Caution("targeting", f"the conclusion it has, {fresh.conclusion}, is erased")
    if step.name == "duplicate" and choices.flag_key in around.flag_keys:
        text = f"the flag {choices.flag_key} exists: the copy takes its variants and shares it"
        yield Caution("linked experiment", text)
    if step.name == "ship" and fresh.feature_flag is not None and not fresh.feature_flag.active:
        yield Caution("targeting", "its flag is off: nobody gets the variant until it is turned on")


def _launching(fresh: Experiment) -> Iterator[Consequence]:
    flag = fresh.feature_flag
    if flag is not None and flag.active:
        yield _flag(fresh, "is on already: its variants are being served")
    else:
        yield _flag(fresh, "is turned on: its variants are served at once", "warning")
    split = " · ".join(f"{variant.key} {variant.rollout:g} %" for variant in fresh.variants)
    yield Consequence("Split", split)
    share = as_number(fresh.parameters.get("rollout_percentage"))
    if share is not None:
        yield Consequence("People", f"{share:g} % of those its conditions let in")
    count = len(fresh.metrics) + len(fresh.metrics_secondary) + len(fresh.saved_metrics)
    yield Consequence("Metrics", f"{count} measured from now on")


def _shipping(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    whom = "everyone" if choices.everyone else "everyone its conditions let in"
    yield _flag(fresh, f"gives {choices.variant} to {whom}, and no other variant to anybody", "danger")
    if choices.everyone:
        yield Consequence("Conditions", "an open condition of 100 % is put before all others", "warning")
    if fresh.state in LIVE:
        yield Consequence("Experiment", "ends with it", "experiment")


def _left_serving(fresh: Experiment) -> Consequence:
    if fresh.feature_flag is not None and not fresh.feature_flag.active:
        return _flag(fresh, "stays off: nobody gets a variant")
    return _flag(fresh, "stays as it is: people keep getting their variants", "warning")


def _reopening(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    fields, flag = choices.fields, fresh.feature_flag
    if fields.get("start_date") and flag is not None and not flag.active:
        yield _flag(fresh, "is turned on with it: its variants are served at once", "danger")
    else:
        yield _flag(fresh, "stays as it is")
    if "end_date" in fields and not fields["end_date"]:
        yield Consequence("Results", "count on until today, as if it had never ended", "warning")
    elif "start_date" in fields:
        yield Consequence("Results", "count from its old start again", "warning")


def _archiving(fresh: Experiment, step: Step, choices: Choices) -> Iterator[Consequence]:
    flag = fresh.feature_flag
    if step.name == "unarchive":
        yield _flag(fresh, "comes back with it if it was archived with it; it stays as it is")
    elif choices.disable_flag:
        yield _flag(fresh, "is turned off and archived with it: nobody gets a variant any more", "danger")
    elif flag is not None and flag.active:
        yield _flag(fresh, "stays on: it is still served", "warning")
    else:
        yield _flag(fresh, "is off; newer servers archive it too")


def _creating(choices: Choices, around: Around) -> Iterator[Consequence]:
    key, fields = choices.flag_key, choices.fields
    if key in around.flag_keys:
        yield Consequence("Flag", f"{key} is used as it is, with its variants, on or off as now")
    else:
        split = split_words(fields.get("parameters")) or "control 50 % · test 50 %"
        yield Consequence("Flag", f"{key} is made new: {split}, off")
    if fields.get("holdout_id"):
        yield Consequence("Flag", f"{key} leaves out the people of holdout #{fields['holdout_id']}")
    count = sum(len(as_list(fields.get(name))) for name in (*METRICS, "saved_metrics_ids"))
    yield Consequence("Metrics", f"{count} measured once it runs" if count else "none yet; e sets them")
    yield from _unseen(choices)


def _editing(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    fields = choices.fields
    if "parameters" in fields:
        yield _flag(fresh, "gets these variants and shares", "warning")
    if "holdout_id" in fields:
        yield _flag(fresh, "leaves out the people of the holdout, and of no other", "warning")
    if not FOR_DRAFTS & fields.keys():
        yield _flag(fresh, "stays as it is")
    if fresh.state in LIVE and {"metrics", "exposure_criteria", "stats_config"} & fields.keys():
        yield Consequence("Results", "are calculated anew under the new settings", "warning")
    yield from _unseen(choices)


def _unseen(choices: Choices) -> Iterator[Consequence]:
    if choices.fields.get("allow_unknown_events"):
        text = "one of them was never seen here: it counts nothing until it is sent"
        yield Consequence("Events", text, "warning")


def _copying(choices: Choices, around: Around) -> Iterator[Consequence]:
    yield Consequence("Copy", f"a draft named {choices.name}" if choices.name else "a draft, named as a copy")
    if choices.flag_key not in around.flag_keys:
        yield Consequence("Flag", f"{choices.flag_key} is made new, with the same variants, off")
    yield Consequence("Left behind", "dates, conclusion, holdout and exposure cohort")


def _peeking(fresh: Experiment, around: Around) -> Iterator[Caution]:
    """What looking at results and stopping when they please is worth."""
    started = unix(fresh.start_date)
    if started is None or not around.now:
        return
    days = max(0.0, (around.now - started) / DAY)
    planned = as_number((fresh.running_time_calculation or fresh.parameters).get("recommended_running_time"))
    worth = "a result that was watched until it pleased is less sure than it says"
    if planned and days < planned:
        yield Caution("stale", f"day {days:.0f} of {planned:g} that were planned: {worth}", ("let it run",))
    elif days < WEEK:
        yield Caution("stale", f"day {days:.0f}: not a whole week; {worth}", ("let it run a week at least",))


def _concluded(choices: Choices) -> str:
    words = choices.conclusion.replace("_", " ")
    return ": ".join(part for part in (words, choices.comment) if part) or "none; it can be set later"


def _flag(fresh: Experiment, text: str, tone: Tone = "plain") -> Consequence:
    return Consequence("Flag", f"{fresh.feature_flag_key} {text}", tone)
