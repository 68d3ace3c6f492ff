"""Conditions that ask for the value of another flag."""

from flagtui.evaluate.evaluation import Check, Evaluation
from flagtui.evaluate.manner import Rules
from flagtui.evaluate.parts import Filter, Flag
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import Unknown, Verdict, Why


def check_dependency(run: Run, vantage: Vantage, question: Filter) -> Check:
    """A question of the wrong shape matches nobody, as on the server."""
    if question.operator != "flag_evaluates_to" or not question.key or question.value is None:
        return Check(question, False)
    unknown = _evaluate_chain(run, vantage, question)
    if unknown:
        return Check(question, unknown, dependency=run.decided.get(question.key))
    evaluation = run.decided.get(question.key)
    if evaluation is None:
        return Check(question, Unknown(Why.FLAG_MISSING, question.key))
    verdict = _compare(question, evaluation)
    is_known = evaluation.value is not None
    return Check(question, verdict, is_known, evaluation.value, dependency=evaluation)


def _evaluate_chain(run: Run, vantage: Vantage, question: Filter) -> Unknown | None:
    chain = question.chain
    if not chain:
        is_there = question.key in run.definitions.flags
        return Unknown(Why.FLAG_CIRCULAR if is_there else Why.FLAG_MISSING, question.key)
    flags = run.definitions.flags
    missing = next((key for key in chain if key not in run.decided and key not in flags), None)
    if missing is not None:
        run.decided[missing] = None
        return Unknown(Why.FLAG_MISSING, missing)
    for key in chain:
        if key not in run.decided:
            unknown = _evaluate_step(run, vantage, flags[key])
            if unknown:
                return unknown
    return None


def _evaluate_step(run: Run, vantage: Vantage, flag: Flag) -> Unknown | None:
    """The server evaluates it like any flag, with its own group; a library with that of the first."""
    if flag.key in run.under_way:
        return Unknown(Why.FLAG_CIRCULAR, flag.key, is_final=True)
    inherited = Vantage(vantage.properties, run.identifier) if run.rules is Rules.LIBRARY else None
    evaluation = run.evaluate(run.inside(flag.key), flag, inherited)
    unknown = evaluation.unknown
    if unknown is None or not unknown.is_final:
        run.decided[flag.key] = evaluation
    return unknown and Unknown(Why.FLAG_UNKNOWN, flag.key, unknown.is_final)


def _compare(question: Filter, evaluation: Evaluation) -> Verdict:
    """True asks for any variant, text for exactly that variant; everything else matches nobody."""
    wanted, value = question.value, evaluation.value
    if value is None:
        return Unknown(Why.FLAG_UNKNOWN, question.key)
    if isinstance(wanted, bool):
        return wanted == bool(value)
    return isinstance(wanted, str) and isinstance(value, str) and wanted == value
