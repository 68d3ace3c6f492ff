"""Experiments: list, read, change; results are in `experiment_results`."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from flagtui import local_time
from flagtui.api.errors import Invalid
from flagtui.api.flags import Flags
from flagtui.api.operations import NOT_HERE, after_write
from flagtui.api.resource import PagedRecords
from flagtui.api.shipped_filters import ship_filters
from flagtui.api.whole_records import LoggedRecords
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.flag_responses import Cohort
from flagtui.models.json_value import JSON
from flagtui.models.rows import ExperimentRow

_NEVER_NULL: Final = ("metrics", "metrics_secondary", "secondary_metrics")


class Experiments(PagedRecords[ExperimentRow], LoggedRecords[Experiment]):
    """The experiments of one project.

    `pages` excludes archived experiments; `{"archived": True}` lists only them. Filters: archived, status,
    created_by_id, search, order, feature_flag_id. Servers ignore unknown filters, so callers filter the rows
    as well. Lists of newer servers have no metrics, so call `get` before editing.
    """

    read_page = staticmethod(read_experiment_page)
    family = "experiments"
    kind = Experiment

    async def create(self, name: str, flag_key: str, more: Mapping[str, JSON] | None = None) -> Experiment:
        """Create an experiment with the flag of that key or a new one. Never sent twice."""
        # Old servers fail without `parameters`.
        body = {"name": name, "feature_flag_key": flag_key, "parameters": {}} | _writable(more or {})
        return self._read(await self._ask("experiments.create", body=body))

    async def update(self, id: int, changes: Mapping[str, JSON]) -> Experiment:
        """Change only these fields, in one request. `parameters` is replaced as a whole."""
        return await self._whole("update", id, _writable(changes))

    async def delete(self, id: int) -> Experiment:
        """Soft-delete the experiment. DELETE is never sent: the oldest servers would obey it."""
        return await self._whole("update", id, {"deleted": True})

    async def restore(self, id: int) -> Experiment:
        """Restore a deleted experiment; its flag must exist."""
        return await self._whole("update", id, {"deleted": False})

    async def duplicate(self, id: int, *, flag_key: str, name: str | None = None) -> Experiment:
        """Create a draft like it with its own flag: without a new key both would share one."""
        body = {"feature_flag_key": flag_key} | ({"name": name} if name else {})
        return await self._take_step("duplicate", id, body)

    async def copy_to_project(
        self, id: int, project: int, *, flag_key: str | None = None, name: str | None = None
    ) -> Experiment:
        """Copy it as a draft to another project of the organisation; shared metrics are not copied."""
        more = {"feature_flag_key": flag_key, "name": name}
        body = {"target_team_id": project} | {field: value for field, value in more.items() if value}
        return await self._take_step("copy_to_project", id, body)

    async def create_exposure_cohort(self, id: int) -> Cohort:
        """Create a cohort of all users exposed to the experiment since its start."""
        response = await self._ask("experiments.create_exposure_cohort", {"id": id}, body={})
        return Cohort.in_response(response.record("cohort"))

    async def launch(self, id: int) -> Experiment:
        """Start a draft and turn its flag on."""
        return await self._step("launch", id, {"draft"}, {"start_date": self._now()})

    async def pause(self, id: int) -> Experiment:
        """Turn its flag off."""
        return await self._switch("pause", id, {"running"}, False)

    async def resume(self, id: int) -> Experiment:
        """Turn its flag on again."""
        return await self._switch("resume", id, {"paused"}, True)

    async def freeze_exposure(self, id: int) -> Experiment:
        """Restrict its flag to a cohort of the users exposed so far; the newest servers only."""
        return await self._whole("freeze_exposure", id, {})

    async def unfreeze_exposure(self, id: int) -> Experiment:
        """Remove what freezing added to its flag."""
        return await self._whole("unfreeze_exposure", id, {})

    async def end(self, id: int, *, conclusion: str | None = None, comment: str | None = None) -> Experiment:
        """Stop measuring; variants are still served. Without a conclusion, an earlier one is erased."""
        conclusions: dict[str, JSON] = {"conclusion": conclusion, "conclusion_comment": comment}
        given = {field: value for field, value in conclusions.items() if value is not None}
        same = conclusions | {"end_date": self._now()}
        return await self._step("end", id, {"running", "paused"}, same, given)

    async def archive(self, id: int, *, disable_flag: bool = False) -> Experiment:
        """Archive a stopped experiment."""
        body = {"disable_feature_flag": True} if disable_flag else {}
        try:
            return await self._whole("archive", id, body)
        except NOT_HERE:
            experiment = await self._in_state(id, {"stopped"})
            if not disable_flag:
                return await self._whole("update", id, {"archived": True})
            await Flags(self.connection, self.project).update(_flag_id(experiment), {"active": False})
            with after_write():
                return await self._whole("update", id, {"archived": True})

    async def unarchive(self, id: int) -> Experiment:
        return await self._step("unarchive", id, None, {"archived": False})

    async def reset(self, id: int) -> Experiment:
        """Reset it to a draft without results; users keep their variants."""
        same: dict[str, JSON] = {
            "start_date": None,
            "end_date": None,
            "archived": False,
            "conclusion": None,
            "conclusion_comment": None,
        }
        return await self._step("reset", id, {"running", "paused", "stopped", "exposure_frozen"}, same)

    async def ship_variant(
        self,
        id: int,
        variant: str,
        *,
        everyone: bool = False,
        conclusion: str | None = None,
        comment: str | None = None,
    ) -> Experiment:
        """Serve this variant to all participants, or to all users with `everyone`. Ends a running experiment.

        An argument that is None leaves the conclusion or comment unchanged.
        """
        given: dict[str, JSON] = {"conclusion": conclusion, "conclusion_comment": comment}
        conclusions = {field: value for field, value in given.items() if value}
        body: dict[str, JSON] = {"variant_key": variant, "release_to_everyone": everyone, **conclusions}
        try:
            return await self._whole("ship_variant", id, body)
        except NOT_HERE:
            experiment = await self._in_state(id, {"running", "paused", "stopped"})
            await self._ship_by_flag(experiment, variant, everyone)
            ending: dict[str, JSON] = {} if experiment.end_date else {"end_date": self._now()}
            with after_write():
                if ending or conclusions:
                    return await self._whole("update", id, ending | conclusions)
                return await self.get(id)

    async def _take_step(self, word: str, id: int, body: JSON) -> Experiment:
        return self._read(await self._ask(f"experiments.{word}", {"id": id}, body=body))

    async def _step(
        self,
        word: str,
        id: int,
        states: set[str] | None,
        same: Mapping[str, JSON],
        body: Mapping[str, JSON] | None = None,
    ) -> Experiment:
        try:
            return await self._whole(word, id, dict(body or {}))
        except NOT_HERE:
            experiment = await self._in_state(id, states)
            # Servers refuse other fields than the end of an experiment with old metrics, also if empty.
            changes = {name: value for name, value in same.items() if value != experiment.raw.get(name)}
            return await self._whole("update", id, changes)

    async def _switch(self, word: str, id: int, states: set[str], on: bool) -> Experiment:
        try:
            return await self._whole(word, id, {})
        except NOT_HERE:
            experiment = await self._in_state(id, states)
            await Flags(self.connection, self.project).update(_flag_id(experiment), {"active": on})
            with after_write():
                return await self.get(id)

    async def _ship_by_flag(self, experiment: Experiment, variant: str, everyone: bool) -> None:
        flags = Flags(self.connection, self.project)
        flag = await flags.get(_flag_id(experiment))
        if everyone and flag.version is not None:
            with suppress(*NOT_HERE):
                await flags.roll_out_to_everyone(flag.id, variant=variant, version=flag.version)
                return
        filters = ship_filters(flag.filters, variant, everyone)
        await flags.update(
            flag.id, {"filters": filters}, version=flag.version, original={"filters": flag.filters}
        )

    async def _in_state(self, id: int, states: set[str] | None) -> Experiment:
        experiment = await self.get(id)
        if states is not None and experiment.state not in states:
            raise Invalid(
                f"The experiment is {experiment.state}; this needs it to be {' or '.join(sorted(states))}."
            )
        return experiment

    def _now(self) -> str:
        return local_time.iso(self.connection.clock.time())


def _writable(changes: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the changes with empty lists for nulls that some servers store and cannot read back."""
    return {
        field: [] if value is None and field in _NEVER_NULL else value for field, value in changes.items()
    }


def _flag_id(experiment: Experiment) -> int:
    if experiment.feature_flag is None or experiment.feature_flag.id <= 0:
        raise Invalid("The experiment has no flag.")
    return experiment.feature_flag.id
