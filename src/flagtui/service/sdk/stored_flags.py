"""The flags of a project in the database, as a source for the endpoints of programs."""

from msgspec.structs import replace

from flagtui.evaluate.run import Group, Person
from flagtui.service.access import admit, owner_of, project_of
from flagtui.service.call import Call, Project
from flagtui.service.errors import authentication_failed, not_found, standard
from flagtui.service.evaluation.local import project_id_of_token
from flagtui.service.evaluation.operations import LOCAL_EVALUATION
from flagtui.service.evaluation.stored import evaluator_fields, load_definitions, load_groups, load_person
from flagtui.service.news import News
from flagtui.service.reader import remember
from flagtui.service.responses import value_of
from flagtui.service.sdk.flag_set import FlagRecord, FlagSet
from flagtui.service.sdk.program_scope import SCOPE_FIELDS
from flagtui.service.sdk.sdk_call import EvaluationContext

PUBLIC_PREFIX = "phc_"
_FLAGS = """
    SELECT *, EXISTS (SELECT 1 FROM experiments AS e WHERE e.flag_id = flags.id AND e.deleted = 0) AS tested
    FROM flags WHERE project_id = ? AND deleted = 0"""


class StoredFlags:
    """The project that the token or key of a request names, and its flags."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._project: Project | None = None

    def admit(self, token: str) -> None:
        """Find the project of a public token, or of a key that may read flags. Raises 401, 403."""
        call = self._call
        if not token:
            raise standard(401, "authentication_error", "missing_api_key", "No project token was sent.")
        if token.startswith(PUBLIC_PREFIX):
            self._project = project_of(call.db, project_id_of_token(call.db, token))
            return
        caller = owner_of(call.db, token)
        if caller is None:
            # SDKs send it in the body, the query or a header of their own.
            raise authentication_failed(place="")
        number = {"project_id": str(caller.current_project_id)}
        self._project = admit(call.db, caller, LOCAL_EVALUATION, number, call.settings)

    @property
    def project(self) -> Project:
        if self._project is None:
            raise not_found("Project not found.")
        return self._project

    def flag_set(self) -> FlagSet:
        """Return every flag that is not deleted, read once between two writes."""
        call, project = self._call, self.project
        serves_rules = call.settings.rules_v2

        def load() -> FlagSet:
            rows = call.db.execute(_FLAGS, (project.id,)).fetchall()
            names = ("version", "name", "is_remote_configuration", "has_encrypted_payloads", *SCOPE_FIELDS)
            records = (
                FlagRecord.of(
                    evaluator_fields(row)
                    | {name: row[name] for name in names}
                    | {"has_experiment": bool(row["tested"])}
                    | {"evaluation_contexts": value_of(row["evaluation_contexts"])}
                )
                for row in rows
            )
            definitions = load_definitions(call.db, project.id)
            return FlagSet(definitions, {record.key: record for record in records}, serves_rules)

        return remember(call.db, ("flag set", project.id), load)

    def person_of(self, context: EvaluationContext) -> Person:
        """Return the stored person; values that the program sends replace stored ones."""
        call, project = self._call, self.project
        groups = {
            name: Group(group.key, {**group.properties, **context.group_properties.get(name, {})})
            for name, group in load_groups(call.db, project.id, context.groups).items()
        }
        stored = load_person(call.db, project.id, context.distinct_id, groups, call.now)
        properties = {**stored.properties, **context.properties}
        return replace(stored, properties=properties, device_id=context.device_id)

    @property
    def news(self) -> News:
        """Return what announces writes."""
        return self._call.news

    def note_events(self, count: int) -> None:
        """Keep nothing."""
