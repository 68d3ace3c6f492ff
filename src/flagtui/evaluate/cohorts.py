"""Cohorts: lists of people, or properties joined by all and any, nested and negated as deep as they like."""

from collections.abc import Callable
from typing import Any

from flagtui.evaluate.evaluation import Check, Gathering
from flagtui.evaluate.flag_json import id_text, mapping
from flagtui.evaluate.flag_json import question as read_question
from flagtui.evaluate.parts import Filter
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import Unknown, Verdict, Why

Ask = Callable[[Run, Vantage, Filter], Check]
Path = tuple[str, ...]


def check_cohort(run: Run, vantage: Vantage, question: Filter, ask: Ask) -> Check:
    return _check_cohort(run, vantage, question, _Asking(ask, ()))


class _Asking:
    """How plain questions are asked, and which cohorts led here."""

    def __init__(self, ask: Ask, path: Path) -> None:
        self.ask = ask
        self.path = path


def _check_cohort(run: Run, vantage: Vantage, question: Filter, asking: _Asking) -> Check:
    cohort_id = id_text(question.value)
    if cohort_id in asking.path:
        return Check(question, Unknown(Why.COHORT_CIRCULAR, cohort_id, is_final=True))
    if cohort_id not in run.definitions.cohorts:
        return _check_static(run, question, cohort_id)
    if question.operator not in {"exact", "in", "not_in"}:
        return Check(question, Unknown(Why.OPERATOR_UNKNOWN, question.operator))
    inside = _Asking(asking.ask, (*asking.path, cohort_id))
    found = _gather(run, vantage, run.definitions.cohorts[cohort_id], inside)
    return Check(question, _as_asked(question, found.verdict), parts=found.parts)


def _check_static(run: Run, question: Filter, cohort_id: str) -> Check:
    if cohort_id not in run.definitions.static_cohorts:
        return Check(question, Unknown(Why.COHORT_UNKNOWN, cohort_id, is_final=True))
    is_in = cohort_id in run.person.static_cohorts
    return Check(question, _as_asked(question, is_in), is_present=True, actual=is_in)


def _as_asked(question: Filter, verdict: Verdict) -> Verdict:
    return verdict if question.operator != "not_in" else _opposite(verdict)


def _opposite(verdict: Verdict) -> Verdict:
    return verdict if isinstance(verdict, Unknown) else not verdict


def _gather(run: Run, vantage: Vantage, raw: Any, asking: _Asking) -> Gathering:
    """Every part is asked, even when one has decided: a part that only the server knows outweighs it."""
    if raw == {}:
        return Gathering(needs_all=True, verdict=True)
    group = mapping(raw)
    members, kind = group.get("values"), group.get("type")
    if kind not in ("AND", "OR") or not isinstance(members, list):
        return Gathering(True, Unknown(Why.COHORT_MALFORMED, _name_of(asking), is_final=True))
    parts = tuple(_part(run, vantage, member, asking) for member in members)
    return Gathering(kind == "AND", _joined(kind == "AND", parts), parts)


def _part(run: Run, vantage: Vantage, raw: Any, asking: _Asking) -> Check | Gathering:
    if not isinstance(raw, dict):
        return Gathering(True, Unknown(Why.COHORT_MALFORMED, _name_of(asking), is_final=True))
    if raw == {} or "values" in raw or raw.get("type") in ("AND", "OR"):
        return _gather(run, vantage, raw, asking)
    question = read_question(raw)
    if question.kind == "cohort":
        return _check_cohort(run, vantage, question, asking)
    return asking.ask(run, vantage, question)


def _joined(needs_all: bool, parts: tuple[Check | Gathering, ...]) -> Verdict:
    """Nothing to ask is a yes, of both kinds."""
    verdicts = [_effective(part) for part in parts]
    unknowns = [verdict for verdict in verdicts if isinstance(verdict, Unknown)]
    final = next((unknown for unknown in unknowns if unknown.is_final), None)
    if final:
        return final
    if any(verdict is (not needs_all) for verdict in verdicts):
        return not needs_all
    if unknowns:
        return unknowns[0]
    return needs_all or not parts


def _effective(part: Check | Gathering) -> Verdict:
    is_negated = isinstance(part, Check) and part.filter.is_negated
    return _opposite(part.verdict) if is_negated else part.verdict


def _name_of(asking: _Asking) -> str:
    return asking.path[-1] if asking.path else ""
