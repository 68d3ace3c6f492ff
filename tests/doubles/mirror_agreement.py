"""A mirror of the sample on a port, its people, and the values that the evaluator has for them."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from tests.service.evaluation.conftest import SAMPLE_KEY, Port

from flagtui.api import Client
from flagtui.details.evaluations import EvaluationSubject
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason
from flagtui.evaluate.flags import evaluate_all
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.upstream import ServerUpstream
from flagtui.models.override import Override, Share
from flagtui.service.sdk.program_scope import ProgramScope
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

SECRET: Final = "of-the-agreement"
ORIGIN: Final = "http://localhost:3000"
PEOPLE: Final = 50


@dataclass(frozen=True)
class SampleMirror:
    """A mirror that serves the sample."""

    mirror: Mirror
    port: int
    people: list[tuple[str, dict[str, Any]]]
    """Distinct ids with their properties."""

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def types(self) -> dict[str, str]:
        """Return what a caller of OpenFeature asks for, by flag key."""
        records = self.mirror.flags.flag_set().records
        return {
            key: "object" if each.is_remote_configuration else "string" if each.has_variants else "boolean"
            for key, each in records.items()
        }

    def values_of(
        self, distinct_id: str, device_id: str | None = None, runtime: str = "all"
    ) -> dict[str, Any]:
        """Return the values by `flagtui flags evaluate`, with the overrides; None for what it cannot decide.

        So are those of other runtimes. The command evaluates a person whose properties are typed in from
        the definitions alone.
        """
        properties = dict(self.people)[distinct_id]
        subject = EvaluationSubject(distinct_id, properties, device_id=device_id)
        definitions = Definitions.of_document(
            self.mirror.flags.document, time_zone=self.mirror.flags.time_zone
        )
        outside = self.mirror.flags.flag_set().outside(ProgramScope(runtime))
        overridden: dict[str, Any] = {}
        overrides = [each for each in self.mirror.flags.overrides if not isinstance(each.value, Share)]
        for override in sorted(overrides, key=lambda each: each.person is not None):
            if override.person in (None, distinct_id):
                overridden[override.key] = override.value
        decided = {
            key: Evaluation(key, value, Reason.CONDITION_MATCH)
            for key, value in (dict.fromkeys(outside, False) | overridden).items()
        }
        evaluations = evaluate_all(subject.person({}, is_complete=False), definitions, decided=decided)
        values = {key: each.value for key, each in evaluations.items()}
        return values | dict.fromkeys(outside) | overridden


@contextmanager
def mirroring_sample(port: Port) -> Iterator[SampleMirror]:
    """Serve the sample's definitions on a free port."""
    client = Client(port.url, SAMPLE_KEY, 1, read_only=True)
    mirror = Mirror(ServerUpstream(client, "the sample"), MirroredFlags(), logging.info)

    asyncio.run(mirror.start())
    with port.application.state.dispatcher.database.reading() as db:
        rows = db.execute(
            "SELECT d.distinct_id, p.properties FROM distinct_ids AS d"
            " JOIN persons AS p ON p.id = d.person_id WHERE d.project_id = 1"
            " ORDER BY p.id % 97, p.id LIMIT ?",
            (PEOPLE,),
        ).fetchall()
    people = [(row["distinct_id"], json.loads(row["properties"])) for row in rows]
    table = MirrorEndpoints(mirror, SECRET).table()
    application = make_sdk_application(mirror.flags, table, mirror.running)
    with serving_in_thread(application, Place(port=0, origins=(ORIGIN,))) as number:
        yield SampleMirror(mirror, number, people)


def overrides_of(sample: SampleMirror) -> list[Override]:
    """Return overrides of every kind: every tenth flag, for everyone and for the first person."""
    types = sample.types()
    first = sample.people[0][0]
    overrides: list[Override] = []
    for number, key in enumerate(sorted(types)):
        value: Any = (number % 20 == 0) if types[key] == "boolean" else "forced"
        if number % 10 == 0:
            overrides.append(Override(key, value))
        elif number % 10 == 5:
            overrides.append(Override(key, value, first))
    return [*overrides, Override("brand-new", True), Override("brand-new", False, first)]
