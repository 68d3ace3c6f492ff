"""Early access: people who opted in or out are decided by that, before a holdout or any condition."""

from flagtui.evaluate.conditions import evaluate_condition
from flagtui.evaluate.evaluation import Evaluation, Outcome, Reason
from flagtui.evaluate.manner import Rules
from flagtui.evaluate.parts import Flag
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import Unknown, Why


def by_enrollment(run: Run, flag: Flag, inherited: Vantage | None) -> Evaluation | Unknown | None:
    """None where early access has no say. It is always about the person, also in a flag about groups."""
    if flag.has_enrollment:
        return _by_opting_in(run, flag, inherited)
    older = flag.enrollment_condition
    if older is None or run.rules is Rules.LIBRARY:
        return None
    if not any(question.key in run.properties for question in older.filters):
        return None
    alone = Flag(flag.key, conditions=(older,), is_by_device=flag.is_by_device)
    return _enrolled(run, flag, evaluate_condition(run, alone, 0).outcome is Outcome.MATCHED)


def _by_opting_in(run: Run, flag: Flag, inherited: Vantage | None) -> Evaluation | Unknown | None:
    """Where not everything is known, a missing answer is no answer; a library has none for groups."""
    if inherited is not None and flag.group_index is not None:
        return Unknown(Why.PROPERTY_MISSING, flag.enrollment_key)
    properties = inherited.properties if inherited else run.properties
    if flag.enrollment_key in properties:
        answer = properties[flag.enrollment_key]
        return _enrolled(run, flag, answer is True or answer == "true")
    return None if run.is_complete else Unknown(Why.PROPERTY_MISSING, flag.enrollment_key)


def _enrolled(run: Run, flag: Flag, is_in: bool) -> Evaluation:
    """The server reports the first condition for it, whatever that asks."""
    is_server = run.rules is Rules.SERVER
    name = "true" if is_in else "false"
    payload = None if is_server and not is_in else flag.payloads.get(name)
    index = 0 if is_server else None
    return Evaluation(flag.key, is_in, Reason.ENROLLMENT, index, payload, enrollment=is_in)
