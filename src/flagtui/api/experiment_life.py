"""An experiment from draft to archive, on servers with words for each step and on those with only PATCH."""

from collections.abc import Mapping
from dataclasses import dataclass

from flagtui import local_time
from flagtui.api.capabilities import NOT_HERE
from flagtui.api.errors import Invalid
from flagtui.api.flags import Flags
from flagtui.api.request import Answer
from flagtui.api.resource import Resource
from flagtui.api.variant_shipment import shipped
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON


@dataclass(frozen=True, eq=False)
class ExperimentLife(Resource):
    """Each step is sent once. PATCH checks nothing, so the fallbacks check the state themselves."""

    async def launch(self, id: int) -> Experiment:
        """Starts a draft; its flag is turned on."""
        return await self._step("launch", id, {"draft"}, {"start_date": self._now()})

    async def pause(self, id: int) -> Experiment:
        """Turns its flag off."""
        return await self._switch("pause", id, {"running"}, False)

    async def resume(self, id: int) -> Experiment:
        """Turns its flag on again."""
        return await self._switch("resume", id, {"paused"}, True)

    async def end(self, id: int, *, conclusion: str | None = None, comment: str | None = None) -> Experiment:
        """Stops measuring; variants are still served. Without a conclusion, an earlier one is erased."""
        said: dict[str, JSON] = {"conclusion": conclusion, "conclusion_comment": comment}
        given = {field: value for field, value in said.items() if value is not None}
        same = said | {"end_date": self._now()}
        return await self._step("end", id, {"running", "paused"}, same, given)

    async def archive(self, id: int, *, disable_flag: bool = False) -> Experiment:
        """Puts a stopped experiment away."""
        body = {"disable_feature_flag": True} if disable_flag else {}
        try:
            return self._experiment(await self._ask("experiments.archive", {"id": id}, body=body), id)
        except NOT_HERE:
            experiment = await self._in_state(id, {"stopped"})
            if disable_flag:
                await Flags(self.connection, self.project).update(_flag_id(experiment), {"active": False})
            return await self._patch(id, {"archived": True})

    async def unarchive(self, id: int) -> Experiment:
        """Brings it back."""
        return await self._step("unarchive", id, None, {"archived": False})

    async def reset(self, id: int) -> Experiment:
        """Back to a draft without results; people keep getting their variants."""
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
        """Gives this variant to all who get any; to everyone at all with `everyone`. Ends a running one.

        What is not said about its conclusion stays as it is.
        """
        given: dict[str, JSON] = {"conclusion": conclusion, "conclusion_comment": comment}
        said = {field: value for field, value in given.items() if value}
        body: dict[str, JSON] = {"variant_key": variant, "release_to_everyone": everyone, **said}
        try:
            return self._experiment(await self._ask("experiments.ship_variant", {"id": id}, body=body), id)
        except NOT_HERE:
            experiment = await self._in_state(id, {"running", "paused", "stopped"})
            await self._ship_by_flag(experiment, variant, everyone)
            ending: dict[str, JSON] = {} if experiment.end_date else {"end_date": self._now()}
            if ending or said:
                return await self._patch(id, ending | said)
            return self._experiment(await self._ask("experiments.get", {"id": id}), id)

    async def _step(
        self,
        word: str,
        id: int,
        states: set[str] | None,
        same: Mapping[str, JSON],
        body: Mapping[str, JSON] | None = None,
    ) -> Experiment:
        try:
            answer = await self._ask(f"experiments.{word}", {"id": id}, body=dict(body or {}))
            return self._experiment(answer, id)
        except NOT_HERE:
            await self._in_state(id, states)
            return await self._patch(id, same)

    async def _switch(self, word: str, id: int, states: set[str], on: bool) -> Experiment:
        try:
            return self._experiment(await self._ask(f"experiments.{word}", {"id": id}, body={}), id)
        except NOT_HERE:
            experiment = await self._in_state(id, states)
            await Flags(self.connection, self.project).update(_flag_id(experiment), {"active": on})
            return self._experiment(await self._ask("experiments.get", {"id": id}), id)

    async def _ship_by_flag(self, experiment: Experiment, variant: str, everyone: bool) -> None:
        flags = Flags(self.connection, self.project)
        flag = await flags.get(_flag_id(experiment))
        filters = shipped(flag.filters, variant, everyone)
        await flags.update(
            flag.id, {"filters": filters}, version=flag.version, original={"filters": flag.filters}
        )

    async def _in_state(self, id: int, states: set[str] | None) -> Experiment:
        experiment = self._experiment(await self._ask("experiments.get", {"id": id}), id)
        if states is not None and experiment.state not in states:
            raise Invalid(
                f"The experiment is {experiment.state}; this needs it to be {' or '.join(sorted(states))}."
            )
        return experiment

    async def _patch(self, id: int, changes: Mapping[str, JSON]) -> Experiment:
        return self._experiment(await self._ask("experiments.update", {"id": id}, body=dict(changes)), id)

    def _now(self) -> str:
        return local_time.iso(self.connection.clock.time())

    @staticmethod
    def _experiment(answer: Answer, id: int | None = None) -> Experiment:
        experiment = Experiment.of(answer.record("id", "name"))
        if experiment.id <= 0 or (id is not None and experiment.id != id):
            raise answer.unreadable("it is not the experiment that was asked for")
        return experiment


def _flag_id(experiment: Experiment) -> int:
    if experiment.feature_flag is None or experiment.feature_flag.id <= 0:
        raise Invalid("The experiment has no flag.")
    return experiment.feature_flag.id
