"""The table of event definition operations."""

from flagtui.service.event_definitions import schemas
from flagtui.service.event_definitions.generated_code import LANGUAGES
from flagtui.service.event_definitions.list import PARAMETERS, list_definitions
from flagtui.service.event_definitions.rows import by_name, metrics, primary_properties
from flagtui.service.event_definitions.write_operations import (
    bulk_update_tags,
    bulk_update_verified,
    create,
    delete,
    retrieve,
    update,
)
from flagtui.service.operations import PROJECT, Operation

ALL = f"{PROJECT}/event_definitions"
ONE = f"{ALL}/{{id}}"
READ, WRITE = "event_definition:read", "event_definition:write"

OPERATIONS = (
    Operation(
        "GET", ALL, list_definitions, "List event definitions", READ, schemas.DEFINITION_PAGE,
        parameters=PARAMETERS,
    ),
    Operation("GET", ONE, retrieve, "Get an event definition", READ, schemas.DEFINITION),
    Operation(
        "GET", f"{ONE}/metrics", metrics, "Count the queries that use an event", READ, schemas.METRICS,
        closed=True,
    ),
    Operation(
        "GET", f"{ALL}/by_name", by_name, "Get an event definition by name", READ, schemas.DEFINITION,
        parameters=("name",),
    ),
    Operation(
        "GET", f"{ALL}/primary_properties", primary_properties, "List the primary property of each event",
        READ, schemas.PRIMARY, parameters=("names",),
    ),
    *(
        Operation(
            "GET", f"{ALL}/{name}", language.handle, f"Get types for all events in {language.title}", READ,
            schemas.SOURCE,
        )
        for name, language in LANGUAGES.items()
    ),
    Operation(
        "POST", ALL, create, "Create an event definition", WRITE, schemas.DEFINITION, schemas.CREATE_BODY,
        (201,),
    ),
    Operation(
        "PATCH", ONE, update, "Change an event definition", WRITE, schemas.DEFINITION, schemas.UPDATE_BODY,
    ),
    Operation(
        "PUT", ONE, update, "Change an event definition, as PATCH does", WRITE, schemas.DEFINITION,
        schemas.UPDATE_BODY,
    ),
    Operation("DELETE", ONE, delete, "Delete an event definition permanently", WRITE, statuses=(204,)),
    Operation(
        "POST", f"{ALL}/bulk_update_tags", bulk_update_tags, "Tag several event definitions", WRITE,
        schemas.TAGS_DONE, schemas.TAGS_BODY,
    ),
    Operation(
        "POST", f"{ALL}/bulk_update_verified", bulk_update_verified, "Verify several event definitions",
        WRITE, schemas.VERIFIED_DONE, schemas.VERIFIED_BODY,
    ),
)  # fmt: skip
