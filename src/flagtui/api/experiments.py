"""Experiments: list, read, change; what they measure is in `experiment_results`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.api.bodies import ExperimentBody
from flagtui.api.experiment_life import ExperimentLife
from flagtui.api.experiment_results import ExperimentResults
from flagtui.api.pagination import Pages
from flagtui.api.rate_limiter import Urgency
from flagtui.api.request import Query
from flagtui.api.resource import Listable
from flagtui.models.activity import ActivityPage
from flagtui.models.cohort import Cohort
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.json_value import JSON
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import ExperimentRow

_LISTING: Final = Listable("experiments.list", read_experiment_page, lambda row: row.id)
_NEVER_NULL: Final = ("metrics", "metrics_secondary", "secondary_metrics")


@dataclass(frozen=True, eq=False)
class Experiments(ExperimentLife, ExperimentResults):
    """The experiments of one project."""

    def pages(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.LOADING
    ) -> Pages[ExperimentRow]:
        """All experiments as rows, without the archived ones: those come with `{"archived": True}`, alone.

        Filter names are the server's: archived, status, created_by_id, search, order, feature_flag_id.
        Servers ignore filters they do not know, so callers filter the rows as well.
        """
        return self._pages(_LISTING, filters, urgency)

    async def page(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON
    ) -> RowPage[ExperimentRow]:
        """One page of rows; `limit` and `offset` are filters here."""
        return await self._page(_LISTING, filters or {}, urgency)

    async def get(self, id: int, *, urgency: Urgency = Urgency.PERSON) -> Experiment:
        """The whole experiment. Lists of newer servers have no metrics, so this comes before editing."""
        return self._experiment(await self._ask("experiments.get", {"id": id}, urgency=urgency), id)

    async def create(
        self, name: str, flag_key: str, more: ExperimentBody | Mapping[str, JSON] | None = None
    ) -> Experiment:
        """A new experiment, with the flag of that key or a new one. Never sent twice."""
        # Old servers fail without `parameters`.
        body = {"name": name, "feature_flag_key": flag_key, "parameters": {}} | _writable(more or {})
        return self._experiment(await self._ask("experiments.create", body=body))

    async def update(self, id: int, changes: ExperimentBody | Mapping[str, JSON]) -> Experiment:
        """Changes just these fields, once. `parameters` replaces the whole of it."""
        return await self._patch(id, _writable(changes))

    async def delete(self, id: int) -> Experiment:
        """Deletes it so that it can be restored. DELETE is never sent: the oldest servers would obey it."""
        return await self._patch(id, {"deleted": True})

    async def restore(self, id: int) -> Experiment:
        """Brings a deleted experiment back; its flag has to exist."""
        return await self._patch(id, {"deleted": False})

    async def duplicate(self, id: int, *, flag_key: str, name: str | None = None) -> Experiment:
        """A draft like it, with a flag of its own: without a new key both would share one."""
        body = {"feature_flag_key": flag_key} | ({"name": name} if name else {})
        return self._experiment(await self._ask("experiments.duplicate", {"id": id}, body=body))

    async def copy_to_project(
        self, id: int, project: int, *, flag_key: str | None = None, name: str | None = None
    ) -> Experiment:
        """Copies it as a draft to another project of the organisation; shared metrics are not copied."""
        more = {"feature_flag_key": flag_key, "name": name}
        body = {"target_team_id": project} | {field: value for field, value in more.items() if value}
        return self._experiment(await self._ask("experiments.copy_to_project", {"id": id}, body=body))

    async def create_exposure_cohort(self, id: int) -> Cohort:
        """A cohort of everybody who met the experiment since it started."""
        answer = await self._ask("experiments.create_exposure_cohort", {"id": id}, body={})
        return Cohort.in_answer(answer.record("cohort"))

    async def activity(self, id: int, *, limit: int = 10, page: int = 1) -> ActivityPage:
        """Who changed it, newest first; on newest servers only."""
        query = {"limit": limit, "page": page}
        return ActivityPage.of(
            (await self._ask("experiments.activity", {"id": id}, query=query)).record("results")
        )


def _writable(changes: Mapping[str, JSON]) -> dict[str, JSON]:
    """The changes, with empty lists for nulls that some servers store and then cannot read back."""
    return {
        field: [] if value is None and field in _NEVER_NULL else value for field, value in changes.items()
    }
