"""The consequences and warnings of a step: above all, for the flag."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from flagtui.changes.difference import without
from flagtui.changes.experiments.experiment_fields import (
    BASELINE,
    METRICS,
    split_words,
    stored_field,
    variants_in,
)
from flagtui.changes.experiments.metric_nodes import all_metrics
from flagtui.changes.experiments.metric_words import activated_by, exposed_by
from flagtui.changes.experiments.served_variants import (
    left_alone,
    matching_users,
    standing,
    starts_flag,
    still_given,
    turned_on,
    when_on,
)
from flagtui.changes.experiments.steps import LIVE, Choices, Step
from flagtui.changes.proposal import Caution, Consequence, Tone
from flagtui.local_time import DAY, unix
from flagtui.models.experiment import Experiment
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text, format_number
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.models.rows import state_word

NO_CODE: Final = "none of its events carried a flag in the last 7 days"
WEEK: Final = 7.0
"""Days under which an experiment has not seen every day of a week."""


class StepContext(msgspec.Struct, frozen=True):
    """Facts for planning a step."""

    now: float = 0.0
    leading: str = ""
    """The first metric so far, in words."""
    dependents: tuple[str, ...] = ()
    """Keys of flags that are on and ask for its flag."""
    flag: Flag | None = None
    """Its flag as a whole, for a step that turns it on; for a new experiment the flag with that key."""
    new_flag: str = "off; an existing flag is used unchanged"  # until its key is looked up
    needs_code: bool | None = None
    """True when none of its recent events carried a flag."""


def consequences(
    fresh: Experiment, step: Step, choices: Choices, context: StepContext
) -> Iterator[Consequence]:
    """Yield all known consequences, in the order of a dialog."""
    match step.name:
        case "launch":
            yield from _launching(fresh)
        case "pause":
            yield _flag(fresh, "is turned off: no one gets a variant until it is resumed", "danger")
            counted = f"no new {fresh.unit} are counted while it is off"
            if activated_by(fresh.exposure_criteria):
                before = f"{fresh.unit} exposed before count once they are activated"
                counted = f"no one is exposed while it is off; {before}"
            yield Consequence("Results", counted)
        case "resume":
            yield _flag(fresh, *turned_on(fresh, ": its variants are served again", "good"))
        case "end":
            more = "; ship one next" if standing(fresh) == "served" else ""
            words, tone = left_alone(fresh)
            yield _flag(fresh, words + more, tone)
            conclusion = ": ".join(filter(None, (choices.conclusion.replace("_", " "), choices.comment)))
            yield Consequence("Conclusion", conclusion or "none; it can be set later")
        case "ship":
            yield from _shipping(fresh, choices)
        case "archive" | "unarchive":
            yield _archiving(fresh, step, choices)
        case "reset":
            erased = "start, end and conclusion are erased; results start from zero"
            yield Consequence("Results", erased, "danger")
            yield _flag(fresh, *left_alone(fresh))
        case "delete":
            yield _flag(fresh, *left_alone(fresh))
            yield Consequence("Restore", f"with undo, or by its number, #{fresh.id}: no list shows it then")
        case "restore":
            yield _flag(fresh, "stays as it is")
        case "reopen":
            yield from _reopening(fresh, choices)
    yield from _of_exposure(fresh, step)
    yield from _of_making(fresh, step, choices, context)
    if context.leading and step.name in ("end", "ship", "reset"):
        yield Consequence("So far", context.leading)


def _of_making(
    fresh: Experiment, step: Step, choices: Choices, context: StepContext
) -> Iterator[Consequence]:
    match step.name:
        case "duplicate":
            yield from _copying(choices, context)
        case "create":
            yield from _creating(choices, context)
        case "edit":
            yield from _editing(fresh, choices)
        case "copy":
            yield Consequence("Copy", f"a draft in project #{choices.project}; shared metrics stay behind")
            key = choices.flag_key or fresh.feature_flag_key
            yield Consequence("Flag", f"{key} is created there, off; an existing flag is used unchanged")
        case "cohort":
            yield Consequence("Cohort", f"everyone who {_did(fresh)} since the start")


def cautions(fresh: Experiment, step: Step, choices: Choices, context: StepContext) -> Iterator[Caution]:
    """Yield reasons to reconsider the step."""
    if step.name in ("end", "ship") and fresh.state in LIVE:
        yield from _peeking(fresh, context)
    if step.name == "delete" and fresh.state in LIVE:
        yield Caution(f"it is {state_word(fresh.state)}: no list will show its results", ("end it first",))
    keys = [as_text(as_dict(each).get("key")) for each in variants_in(choices.fields.get("parameters"))]
    if keys and BASELINE not in keys:
        text = f"no variant is called {BASELINE}, as older servers require; newer ones compare with {keys[0]}"
        yield Caution(text)
    if step.name == "launch":
        if not any(all_metrics(fresh)):
            yield Caution("it has no metric: nothing will be measured", ("give it a metric first",))
        if context.needs_code:
            yield Caution(f"{NO_CODE}: the code is probably not deployed yet")
    if step.name == "end":
        # Ending sets both, and clears what is empty.
        if fresh.conclusion and not choices.conclusion:
            yield Caution(f"the conclusion it has, {fresh.conclusion.replace('_', ' ')}, is erased")
        if fresh.conclusion_comment and not choices.comment:
            yield Caution("the comment it has is erased")
    if step.name == "duplicate" and context.flag is not None:
        yield Caution(f"the flag {choices.flag_key} exists: the copy takes its variants and shares it")
    if step.name == "ship" and fresh.feature_flag is not None and not fresh.feature_flag.active:
        yield Caution("its flag is off: no one gets the variant until it is turned on")


def _launching(fresh: Experiment) -> Iterator[Consequence]:
    flag = fresh.feature_flag
    if flag is None or not flag.active:
        yield _flag(fresh, *turned_on(fresh, ": its variants are served at once", "warning"))
    elif when_on(fresh) == "no one":
        yield _flag(fresh, "is already on and matches no one: no one gets a variant", "warning")
    else:
        served = ": its variants are being served" if when_on(fresh) == "served" else ""
        yield _flag(fresh, f"is already on{served}")
    split = " · ".join(f"{variant.key} {format_number(variant.rollout)} %" for variant in fresh.variants)
    yield Consequence("Split", split)
    if people := matching_users(fresh):
        yield Consequence(fresh.unit.capitalize(), people)
    count = len(fresh.metrics) + len(fresh.metrics_secondary) + len(fresh.saved_metrics)
    yield Consequence("Metrics", f"{count} measured from now on")


def _shipping(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    flag = fresh.feature_flag
    filters = flag.targeting if flag is not None else Filters.of({})
    audience = "everyone" if choices.everyone else "everyone its conditions match"
    if not choices.everyone and filters.rollout <= 0:
        audience = "no one, since no condition matches"
    begins = "stays off; once it is on it " if flag is not None and not flag.active else ""
    yield _flag(fresh, f"{begins}serves {choices.variant} to {audience}", "danger")
    others = "; ".join(still_given(filters, choices.variant, to_everyone=choices.everyone, unit=fresh.unit))
    yield Consequence("Others", others or "no other variant is served")
    if choices.everyone:
        yield Consequence("Conditions", "an open condition of 100 % is put before all others", "warning")
    if fresh.state in LIVE:
        yield Consequence("Experiment", "ends with it", "experiment")


def _reopening(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    fields = choices.fields
    if starts_flag(fresh, choices):
        yield _flag(fresh, *turned_on(fresh, " with it: its variants are served at once", "danger"))
    else:
        yield _flag(fresh, *left_alone(fresh))
    if "start_date" in fields and not fields["start_date"]:
        yield Consequence("Results", "its start is erased; results start from zero", "danger")
    elif "end_date" in fields and not fields["end_date"]:
        yield Consequence("Results", "continue until today, as if it had never ended", "warning")
    elif "start_date" in fields:
        yield Consequence("Results", "count from its old start again", "warning")


def _of_exposure(fresh: Experiment, step: Step) -> Iterator[Consequence]:
    match step.name:
        case "freeze":
            yield _flag(fresh, "matches only users exposed so far; all others get no variant", "danger")
            yield Consequence("Cohort", "a static cohort of the users exposed so far is created")
            yield Consequence("Results", "exposed users still count; no new users do")
            yield Consequence("Code", "libraries cannot evaluate static cohorts locally; they ask the server")
        case "unfreeze":
            yield _flag(fresh, "matches new users again: its conditions lose the restriction", "warning")
            yield Consequence("Cohort", "its snapshot is deleted unless another flag uses it")
        case "ship" | "reset" if fresh.frozen_conditions:
            text = "is unfrozen: the flag matches new users again, and undo does not freeze it"
            yield Consequence("Exposure", text, "warning")


def _archiving(fresh: Experiment, step: Step, choices: Choices) -> Consequence:
    is_off = standing(fresh) == "off"
    if step.name == "unarchive":
        return _flag(fresh, "comes back with it if it was archived with it, on or off as it is")
    if choices.disable_flag and not is_off:
        return _flag(fresh, "is turned off and archived with it: no one gets a variant", "danger")
    if is_off:
        return _flag(fresh, "stays off: no one gets a variant; newer servers archive it too")
    return _flag(fresh, *left_alone(fresh))


def _did(fresh: Experiment) -> str:
    """Describe the members of the cohort: the exposure event, in its older place too."""
    criteria = fresh.exposure_criteria
    older = as_list(as_dict(fresh.parameters.get("custom_exposure_filter")).get("events"))
    if as_dict(criteria.get("exposure_config")):
        return f"did {exposed_by(criteria)}"
    if older:
        return f"did {as_text(as_dict(older[0]).get('id')) or 'what its old exposure filter names'}"
    return f"called {fresh.feature_flag_key}"


def _creating(choices: Choices, context: StepContext) -> Iterator[Consequence]:
    key, fields = choices.flag_key, choices.fields
    if context.flag is not None:
        yield Consequence("Flag", f"{key} is used with its variants, on or off as now")
    else:
        split = split_words(fields.get("parameters")) or "control 50 % · test 50 %"
        share = as_number(as_dict(fields.get("parameters")).get("rollout_percentage"))
        people = "" if share is None or share == 100 else f", for {format_number(share)} % of users"
        yield Consequence("Flag", f"{key} is created: {split}{people}, {context.new_flag}")
    if fields.get("holdout_id"):
        yield Consequence("Flag", f"{key} excludes the users of holdout #{fields['holdout_id']}")
    count = sum(len(as_list(fields.get(name))) for name in (*METRICS, "saved_metrics_ids"))
    yield Consequence("Metrics", f"{count} measured once it runs" if count else "none yet; edit sets them")
    yield from _unseen(choices)


def _editing(fresh: Experiment, choices: Choices) -> Iterator[Consequence]:
    fields = choices.fields
    if "parameters" in fields:
        yield _flag(fresh, "gets these variants and shares", "warning")
    if "holdout_id" in fields:
        held_out = f"the users of holdout #{fields['holdout_id']}"
        audience = held_out if fields["holdout_id"] else "no one"
        yield _flag(fresh, f"excludes {audience}", "warning")
    if not EXPERIMENT_FIELDS.having("for drafts") & fields.keys():
        yield _flag(fresh, "stays as it is")
    if fresh.start_date is not None and any(_changes_results(fresh, name, fields) for name in fields):
        yield Consequence("Results", "are recalculated under the new settings", "warning")
    yield from _unseen(choices)


def _changes_results(fresh: Experiment, name: str, fields: Mapping[str, JSON]) -> bool:
    """Return whether the new value changes what is measured: names and the order of metrics do not."""
    if name not in METRICS:
        return name in ("exposure_criteria", "stats_config")
    stored, new = (
        [{**as_dict(metric), "name": ""} for metric in as_list(side)]
        for side in (stored_field(fresh, name), fields[name])
    )
    return bool(without(new, stored))


def _unseen(choices: Choices) -> Iterator[Consequence]:
    for event in choices.unseen:
        text = f"{event} was never seen here: it counts nothing until it is sent"
        yield Consequence("Events", text, "warning")


def _copying(choices: Choices, context: StepContext) -> Iterator[Consequence]:
    yield Consequence("Copy", f"a draft named {choices.name}" if choices.name else "a draft, named as a copy")
    if context.flag is None:
        created = "is created with the same variants"
        yield Consequence("Flag", f"{choices.flag_key} {created}, {context.new_flag}")
    yield Consequence("Left behind", "dates, conclusion, holdout and exposure cohort")


def _peeking(fresh: Experiment, context: StepContext) -> Iterator[Caution]:
    """Yield the warning about peeking at results and stopping early."""
    started = unix(fresh.start_date)
    if started is None or not context.now:
        return
    days = max(0.0, (context.now - started) / DAY)
    planned = as_number((fresh.running_time_calculation or fresh.parameters).get("recommended_running_time"))
    worth = "stopping as soon as the result looks good overstates confidence"
    if planned and days < planned:
        yield Caution(f"day {int(days)} of {planned:g} that were planned: {worth}", ("let it run",))
    elif days < WEEK:
        yield Caution(f"day {int(days)}: not a whole week; {worth}", ("let it run a week at least",))


def _flag(fresh: Experiment, text: str, tone: Tone = "plain") -> Consequence:
    return Consequence("Flag", f"{fresh.feature_flag_key} {text}".strip(), tone)
