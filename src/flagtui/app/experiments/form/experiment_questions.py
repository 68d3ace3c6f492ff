"""The questions of an experiment form, one for each line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, cast

import msgspec

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.experiments.form.experiment_form_lines import (
    Companions,
    confidence_of,
    leaves_test_accounts_out,
)
from flagtui.app.experiments.form.metric_questions import MetricQuestions, role_words
from flagtui.app.forms.form_lines import (
    FormLine,
    Typed,
    ask_field,
    ask_item_share,
    ask_line,
    ask_new_key,
    ask_percent,
    ask_shared_line,
)
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, Place, Role
from flagtui.changes.experiments.experiment_fields import baseline_of
from flagtui.changes.experiments.metric_nodes import Item
from flagtui.changes.experiments.metric_words import SEVERAL, exposed_by, metric_words
from flagtui.changes.experiments.metrics import keep_settings
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.flag import Flag
from flagtui.models.json_value import as_dict, as_number, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count, percent
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice


class ChosenFlag(msgspec.Struct, frozen=True):
    """The flag of a new experiment; `flag` is the linked one, where the server lists eligible flags."""

    key: str
    is_linked: bool
    flag: Flag | None = None


async def ask_flag(runner: ChangeRunner, workspace: Workspace, name: str, now: str = "") -> ChosenFlag | None:
    """Ask for an eligible flag or a new key; None cancels."""
    eligible = await _eligible(workspace)
    choices = [Choice("", "a new flag", "created with the experiment, off", stays=True)]
    choices += [Choice(key, key, about, key == now) for key, (about, _) in eligible.items()]
    chosen = await runner.ask(PickerScreen("On which flag", choices))
    if chosen is None:
        return None
    if chosen:
        return ChosenFlag(chosen, True, eligible[chosen][1])
    about = "used by code; it cannot be changed later"
    rows, usual = workspace.flags.rows, suggested_key(name)
    usual = "" if any(row.key == usual for row in rows) else usual
    key = await ask_new_key(runner, rows, usual, about, "; pick it from the list")
    return None if key is None else ChosenFlag(key, False)


def suggested_key(name: str) -> str:
    """Return a key derived from a name; empty if the name has no letter or digit."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
    key = "-".join(words)[:100]
    return key if is_plain_key(key) else ""


async def _eligible(workspace: Workspace) -> Mapping[str, tuple[str, Flag | None]]:
    """Return flags that an experiment can use by key: a description, and the flag where it was read."""
    experiments = Counter(row.key for row in workspace.experiments.rows)
    try:
        flags = await workspace.client.results.eligible_flags()
    except ApiError:
        # Servers without this endpoint: every flag with variants is offered, and the server decides.
        kinds = ("multivariant", "experiment")
        rows = [row for row in workspace.flags.rows if row.type in kinds and not row.archived]
        return {row.key: (_about(row.active, 0, experiments[row.key]), None) for row in rows}
    eligible = [flag for flag in flags if flag.key and not flag.deleted]
    return {
        flag.key: (_about(flag.active, len(flag.targeting.variants), experiments[flag.key]), flag)
        for flag in eligible
    }


def _about(is_on: bool, variants: int, experiments: int) -> str:
    parts = ["on" if is_on else "off", f"{variants} variants" if variants else ""]
    return ", ".join(filter(None, (*parts, f"in {count(experiments, 'experiment')}" if experiments else "")))


NONE: Final = 0
METHODS: Final = (("bayesian", "bayesian", "chance to win"), ("frequentist", "frequentist", "p-values"))
ONE_OF: Final = {
    "multiple_variant_handling": ("exposure_criteria", "Users who saw several variants are", "exclude"),
    "method": ("stats_config", "Method", ""),
    "baseline_variant_key": ("stats_config", "Compared with", ""),
}
"""By setting: its field, the question, and the meaning of a missing value."""


class ExperimentQuestions:
    """Prompts for values and puts them into the working copy."""

    def __init__(
        self, copy: ExperimentCopy, runner: ChangeRunner, workspace: Workspace, app_state: AppState
    ) -> None:
        self.copy = copy
        self.known = Companions()
        self._runner = runner
        self._workspace = workspace
        self._metrics = MetricQuestions(runner, workspace, app_state)

    async def open(self, line: FormLine) -> None:
        """Ask the question of one line."""
        match line.part:
            case "field":
                await self._field(line.name)
            case "metric":
                await self._metric(cast(Place, line.name), line.place)
            case "add metric":
                await self._add_metric(cast(Place, line.name))
            case _:
                await ask_shared_line(self._runner, self.copy, line)

    async def share(self, line: FormLine, typed: Typed = str) -> None:
        """Ask for the share of a variant, or of all users."""
        if line.part == "variant":
            await ask_item_share(self._runner, self.copy, *self.copy.variants_path, line.place, typed=typed)
        else:
            await self._people(typed)

    # Fields

    async def _field(self, name: str) -> None:
        match name:
            case "name" | "description" | "conclusion" | "conclusion_comment":
                answer = await ask_field(self._runner, EXPERIMENT_FIELDS[name], self.copy.values.get(name))
                if answer is not None:
                    self.copy.set(name, answer.value)
            case "feature_flag_key":
                await self._flag()
            case "rollout_percentage":
                await self._people()
            case "holdout_id":
                await self._holdout()
            case "exposure_config":
                await self._exposed_by()
            case "filterTestAccounts":
                is_excluded = leaves_test_accounts_out(self.copy)
                self.copy.change_settings("exposure_criteria")[name] = not is_excluded
            case "confidence":
                await self._confidence()
            case _:
                await self._one_of(name)

    async def _flag(self) -> None:
        before = self.copy.fresh
        chosen = await ask_flag(self._runner, self._workspace, before.name, before.feature_flag_key)
        if chosen is not None:
            self.copy.change_flag(chosen.key, is_linked=chosen.is_linked, flag=chosen.flag)

    async def _people(self, typed: Typed = str) -> None:
        before = as_number(self.copy.settings("parameters").get("rollout_percentage"))
        share = await ask_percent(self._runner, before, "Share of participants", typed)
        if share is not None:
            self.copy.change_settings("parameters")["rollout_percentage"] = share

    async def _holdout(self) -> None:
        now = self.copy.values["holdout_id"]
        choices = [Choice(NONE, "none", "everyone can take part", now is None)]
        choices += [
            Choice(id, holdout.name or f"#{id}", f"{percent(holdout.share)} held out", id == now)
            for id, holdout in self.known.holdouts.items()
        ]
        chosen = await self._runner.ask(PickerScreen("Holdout", choices))
        if chosen is not None:
            self.copy.set("holdout_id", chosen or None)

    # Exposure and statistics

    async def _exposed_by(self) -> None:
        field = "exposure_criteria"
        settings = self.copy.settings(field)
        before = as_dict(settings.get("exposure_config"))
        ways = [
            Choice("flag", "a call of its flag", "the default", not before),
            Choice(
                "event",
                "an event",
                exposed_by(settings) if before else "such as a view of its page",
                bool(before),
            ),
        ]
        way = await self._runner.ask(PickerScreen("A user is exposed by", ways))
        if way == "flag":
            self.copy.change_settings(field).pop("exposure_config", None)
        elif way == "event" and (
            event := await self._metrics.event("Which event", as_text(before.get("event")))
        ):
            chosen: Item = {"kind": "ExperimentEventExposureConfig", "event": event, "properties": []}
            self.copy.change_settings(field)["exposure_config"] = keep_settings([chosen], [before])[0]

    async def _one_of(self, name: str) -> None:
        """Choose one of a few values."""
        field, title, usual = ONE_OF[name]
        settings = self.copy.settings(field)
        now = as_text(settings.get(name)) or usual
        if name == "baseline_variant_key":
            now = baseline_of(settings, self.copy.variant_keys)
        offered = [Choice(way, words, about, way == now) for way, words, about in self._ways(name)]
        if not offered:
            self._runner.show_toast(Notice("The variants of this flag are not known here."))
            return
        chosen = await self._runner.ask(PickerScreen(title, offered))
        if chosen is not None and chosen != now:
            self.copy.change_settings(field)[name] = chosen

    def _ways(self, name: str) -> Sequence[tuple[str, str, str]]:
        """Return the values, each with its words and an explanation."""
        if name == "multiple_variant_handling":
            return [(way, about, "") for way, about in SEVERAL.items()]
        if name == "method":
            return METHODS
        return [(key, key, "") for key in dict.fromkeys(self.copy.variant_keys)]

    async def _confidence(self) -> None:
        before = confidence_of(self.copy.settings("stats_config"))
        shown = f"{95 if before is None else before:g}"
        about = "the confidence level in percent, such as 95"
        line = await ask_line(self._runner, "Intervals", about, shown, confidence_problem)
        if line is None or line == shown:
            return
        level, settings = round(float(line) / 100, 8), self.copy.change_settings("stats_config")
        if settings.get("method") == "frequentist":
            kept = as_dict(settings.get("frequentist"))
            settings["frequentist"] = {**kept, "alpha": round(1 - level, 8)}
        else:
            settings["bayesian"] = {**as_dict(settings.get("bayesian")), "ci_level": level}

    # Metrics

    async def _add_metric(self, place: Place) -> None:
        if place == "saved_metrics_ids":
            await self._share_metric()
        elif (metric := await self._metrics.new()) is not None:
            self.copy.change_metrics(place).append(metric)

    async def _share_metric(self) -> None:
        taken = {as_dict(link).get("id") for link in self.copy.metrics("saved_metrics_ids")}
        offered = [
            Choice(id, metric.name or f"#{id}", metric_words(metric.query))
            for id, metric in self.known.saved_metrics.items()
            if id not in taken
        ]
        if not offered:
            none = "all are used here" if self.known.saved_metrics else "there is none"
            offered = [Choice(NONE, none, "experiments create-metric makes one, or the browser")]
        chosen = await self._runner.ask(PickerScreen("Which shared metric", offered))
        if not chosen:
            return
        roles: list[Choice[Role]] = [
            Choice("primary", "primary", "it decides"),
            Choice("secondary", "secondary", "it should not get worse"),
        ]
        role = await self._runner.ask(PickerScreen("As which", roles))
        if role is not None:
            self.copy.share_metric(chosen, role, self.known.saved_metrics[chosen].name)

    async def _metric(self, place: Place, at: int) -> None:
        metrics = self.copy.metrics(place)
        if place == "saved_metrics_ids":
            other = role_words(as_dict(metrics[at]))
            remove = Choice("remove", "remove it", f"{key_sign('form.remove')} does it too")
            ways = [Choice("role", f"make it {other}"), remove]
            answer: Item | str | None = await self._runner.ask(PickerScreen("Shared metric", ways))
        else:
            other = "secondary" if place == "metrics" else "primary"
            answer = await self._metrics.change(as_dict(metrics[at]), other)
        if answer == "role":
            self.copy.change_role(place, at)
        elif answer == "remove":
            self.copy.remove_metric(place, at)
        elif isinstance(answer, dict):
            self.copy.change_metrics(place)[at] = answer


def confidence_problem(line: str) -> str:
    """Return why a line is no confidence level."""
    try:
        level = float(line)
    except ValueError:
        return "a number, such as 95"
    return "" if 50 <= level <= 99.9 else "between 50 and 99.9"
