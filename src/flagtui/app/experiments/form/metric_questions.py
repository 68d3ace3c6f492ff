"""The questions that build a metric: its kind, its events, its direction."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import uuid4

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.forms.completion import complete_event_properties, complete_events
from flagtui.app.forms.form_lines import ask_line
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.experiments import metrics
from flagtui.changes.experiments.metric_nodes import Item, events_of, nodes_of
from flagtui.changes.experiments.metric_words import metric_name, metric_words, return_words, window_words
from flagtui.changes.experiments.metrics import COUNTING, KINDS, OF_A_PROPERTY, UNITS, Counting, Kind
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.workspace import Workspace
from flagtui.text.key_signs import key_sign

MOST_EVENTS: Final = 2000
"""Events offered by name; the rest can be typed."""
UNSEEN: Final = ""
LONGEST: Final = 400
NO_END: Final = "for as long as it runs"
USUAL_RETURN: Final = "1 to 14 days"


class MetricQuestions:
    """Prompts for a metric and returns it; None to keep the current one."""

    def __init__(self, runner: ChangeRunner, workspace: Workspace, app_state: AppState) -> None:
        self._app_state = app_state
        self._runner = runner
        self._workspace = workspace
        self._events: list[EventDefinitionRow] | None = None

    async def new(self) -> Item | None:
        """Return a metric from events that are picked by name."""
        kinds = [Choice(kind, kind, about) for kind, about in KINDS.items()]
        kind = await self._runner.ask(PickerScreen("What kind of metric", kinds))
        made = await self._ask_metric(kind) if kind is not None else None
        if made is None:
            return None
        usual = metric_words(made)
        name = await self.name(usual)
        # With a number of its own it can trade places with others before it is saved.
        return None if name is None else {**made, "name": name or usual, "uuid": str(uuid4())}

    async def _ask_metric(self, kind: Kind) -> Item | None:
        match kind:
            case "mean":
                source = await self._ask_counted_event("Measure what")
                return metrics.mean_of(source) if source else None
            case "ratio":
                top = await self._ask_counted_event("Measure which event")
                bottom = await self._ask_counted_event("Per which event") if top else None
                return metrics.ratio_of(top, bottom) if top and bottom else None
            case "retention":
                return await self._retention()
        steps = await self._steps(())
        return metrics.funnel_of(steps) if steps else None

    async def _retention(self) -> Item | None:
        ends = await self._ends("", "")
        span = await self._span(USUAL_RETURN) if ends else None
        return metrics.retention_of(*ends, span) if ends and span else None

    async def _ends(self, start: str, completion: str) -> tuple[str, str] | None:
        """Ask for the first event and the return event."""
        did = await self.event("First event", start)
        again = await self.event("Return event", completion) if did else None
        return (did, again) if did and again else None

    async def change(self, metric: Item, others: str) -> Item | str | None:
        """Ask for a new value of one part of a metric; a word for what to do with the whole metric."""
        is_up = metric.get("goal") != "decrease"
        kind = as_text(metric.get("metric_type"))
        choices = [
            Choice("name", "name", metric_name(metric)),
            Choice("events", "what it measures", metric_words(metric)) if kind in KINDS else None,
            *_about_return(metric),
            Choice("goal", "lower wins" if is_up else "higher wins", "which way is better"),
            Choice("window", "how long it counts", window_words(metric) or NO_END),
            Choice("role", f"make it {others}", ""),
            Choice("remove", "remove it", f"{key_sign('form.remove')} does it too"),
        ]
        offered = [choice for choice in choices if choice is not None]
        match await self._runner.ask(PickerScreen(metric_name(metric)[:60], offered)):
            case "name":
                name = await self.name(as_text(metric.get("name")))
                return None if name is None else {**metric, "name": name}
            case "events":
                return await self._ask_events(metric, kind)
            case "goal":
                return {**metric, "goal": "decrease" if is_up else "increase"}
            case "window":
                return await self._window(metric)
            case "span":
                span = await self._span(return_words(metric) or USUAL_RETURN)
                return {**metric, **metrics.return_span(*span)} if span else None
            case "first_seen" | "last_seen" as handling:
                return {**metric, "start_handling": handling}
            case "role" | "remove" as word:
                return word
        return None

    async def _ask_events(self, metric: Item, kind: str) -> Item | None:
        """Replace the events it counts; steps that stay keep their settings."""
        old = [*nodes_of(metric)]
        if kind == "funnel":
            steps = await self._steps(events_of(metric))
            made = metrics.funnel_of(steps) if steps else None
            if made is None:
                return None
            return {**metric, "series": metrics.keep_settings(map(as_dict, as_list(made["series"])), old)}
        if kind == "retention":
            ends = await self._ends(*(as_text(node.get("event")) for node in old))
            nodes = metrics.retention_nodes(*ends) if ends else {}
            kept = metrics.keep_settings(map(as_dict, nodes.values()), old)
            return {**metric, **dict(zip(nodes, kept, strict=True))} if ends else None
        made = await self._ask_metric("mean" if kind == "mean" else "ratio")
        if made is None:
            return None
        return {**metric, **{key: made[key] for key in ("source", "numerator", "denominator") if key in made}}

    async def name(self, value: str) -> str | None:
        """Ask for the name of the metric."""
        problem = f"a name has at most {LONGEST} characters"
        line = await ask_line(
            self._runner, "Name of the metric", "", value, lambda line: problem * (len(line) > LONGEST)
        )
        return None if line is None else line.strip()

    async def _window(self, metric: Item) -> Item | None:
        before = window_words(metric).removeprefix("within ")
        about = "such as 7 days or 1 hour after exposure; empty for no end"
        line = await ask_line(self._runner, "Conversion window", about, before, window_problem)
        if line is None:
            return None
        kept = {key: part for key, part in metric.items() if not key.startswith("conversion_window")}
        count, unit = window_of(line)
        return {**kept, "conversion_window": count, "conversion_window_unit": unit} if count else kept

    async def _span(self, before: str) -> tuple[int, int, str] | None:
        about = f"from and to, such as {USUAL_RETURN} after the first event"
        line = await ask_line(self._runner, "Return window", about, before, _span_problem)
        return None if line is None else span_of(line)

    # Events

    async def _steps(self, before: tuple[str, ...]) -> list[str]:
        steps: list[str] = []
        while True:
            usual = before[len(steps)] if len(steps) < len(before) else ""
            title = f"Step {len(steps) + 1:,}, after exposure"
            event = await self.event(title, usual, may_end=bool(steps))
            if event is None:
                return []
            if event == UNSEEN:
                return steps
            steps.append(event)

    async def _ask_counted_event(self, title: str) -> Item | None:
        event = await self.event(title)
        if event is None:
            return None
        ways = [Choice(way, about, way) for way, about in COUNTING.items()]
        way: Counting | None = await self._runner.ask(PickerScreen(f"Of {event[:40]}", ways))
        if way is None or way not in OF_A_PROPERTY:
            return metrics.event_node(event, way) if way else None
        of = await ask_line(
            self._runner,
            "Which property",
            "a numeric property of the event, such as price",
            "",
            _property_problem,
            complete_event_properties(self._app_state, event),
        )
        return metrics.event_node(event, way, of.strip()) if of else None

    async def event(self, title: str, usual: str = "", *, may_end: bool = False) -> str | None:
        """Return an event by its name; empty for no more steps."""
        rows = await self._load_events()
        choices = [Choice("enough", "enough", "no more steps", not usual)] if may_end else []
        choices += [Choice(f"event {row.name}", row.name, row.description, row.name == usual) for row in rows]
        choices.append(Choice("type", "another name", "an event that is not listed", stays=True))
        chosen = await self._runner.ask(PickerScreen(title, choices))
        if chosen is None or chosen == "enough":
            return None if chosen is None else UNSEEN
        if chosen != "type":
            return chosen.removeprefix("event ")
        about = "exactly as code sends it; it counts nothing until it is sent"
        completion = complete_events(self._workspace)
        line = await ask_line(self._runner, "Name of the event", about, usual, _event_problem, completion)
        return None if line is None else line.strip()

    async def _load_events(self) -> list[EventDefinitionRow]:
        """Return the events of the project, its own before built-in ones; none if they cannot be read."""
        if self._events is None:
            rows = list(self._workspace.events.rows) or await self._request_events()
            rows.sort(key=lambda row: (row.hidden, row.is_builtin))
            self._events = rows[:MOST_EVENTS]
        return self._events

    async def _request_events(self) -> list[EventDefinitionRow]:
        try:
            page = await self._workspace.client.event_definitions.page({"limit": MOST_EVENTS})
        except ApiError:
            # Names can be typed still; the server decides about them.
            return []
        return list(page.rows)


def window_of(line: str) -> tuple[int | None, str]:
    """Parse `7 days` into number and unit; None for an empty or invalid line."""
    count, _, unit = line.strip().partition(" ")
    unit = unit.strip().removesuffix("s")
    if not count.isdigit() or not 0 < int(count) <= 100_000 or unit not in UNITS:
        return None, ""
    return int(count), unit


def window_problem(line: str) -> str:
    """Return why a line is not a valid window; empty if it is."""
    if not line.strip() or window_of(line)[0] is not None:
        return ""
    return f"a number and one of {', '.join(f'{unit}s' for unit in UNITS)}"


def span_of(line: str) -> tuple[int, int, str] | None:
    """Parse `1 to 14 days` into two numbers and the unit; None for any other line."""
    first, _, rest = line.strip().partition(" to ")
    last, unit = window_of(rest)
    if not first.strip().isdigit() or last is None or int(first) > last:
        return None
    return int(first), last, unit


def _span_problem(line: str) -> str:
    if span_of(line) is not None:
        return ""
    return f"such as {USUAL_RETURN}; units are {', '.join(f'{unit}s' for unit in UNITS)}"


def _about_return(metric: Item) -> Iterator[Choice[str]]:
    """Yield the choices that only a retention metric has."""
    if as_text(metric.get("metric_type")) != "retention":
        return
    yield Choice("span", "when they come back", return_words(metric))
    if metric.get("start_handling") == "last_seen":
        yield Choice("first_seen", "count from the first time", "it counts from the last")
    else:
        yield Choice("last_seen", "count from the last time", "it counts from the first")


def role_words(link: Mapping[str, JSON]) -> str:
    """Return the other role of a shared metric."""
    return "primary" if as_dict(link.get("metadata")).get("type") == "secondary" else "secondary"


def _property_problem(line: str) -> str:
    return "" if line.strip() else "the name of a property"


def _event_problem(line: str) -> str:
    return "" if 0 < len(line.strip()) <= LONGEST else f"1 to {LONGEST} characters"
