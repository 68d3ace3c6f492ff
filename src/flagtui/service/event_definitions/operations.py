"""The table of event definition operations."""

from flagtui.service.event_definitions import schemas
from flagtui.service.event_definitions.list import PARAMETERS, list_definitions
from flagtui.service.event_definitions.rows import by_name, metrics, primary_properties
from flagtui.service.event_definitions.typescript import typescript
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
        "GET",
        ALL,
        list_definitions,
        "List event definitions",
        READ,
        schemas.DEFINITION_PAGE,
        parameters=PARAMETERS,
    ),
    Operation("GET", ONE, retrieve, "One event definition", READ, schemas.DEFINITION),
    Operation("GET", f"{ONE}/metrics", metrics, "How often it is used", READ, schemas.METRICS, closed=True),
    Operation(
        "GET", f"{ALL}/by_name", by_name, "One by its name", READ, schemas.DEFINITION, parameters=("name",)
    ),
    Operation(
        "GET",
        f"{ALL}/primary_properties",
        primary_properties,
        "Primary properties by event",
        READ,
        schemas.PRIMARY,
        parameters=("names",),
    ),
    Operation("GET", f"{ALL}/typescript", typescript, "Types of the events", READ, schemas.SOURCE),
    Operation("POST", ALL, create, "Define an event", WRITE, schemas.DEFINITION, schemas.CREATE_BODY, (201,)),
    Operation(
        "PATCH",
        ONE,
        update,
        "Describe, own, tag, verify or hide an event",
        WRITE,
        schemas.DEFINITION,
        schemas.UPDATE_BODY,
    ),
    Operation("PUT", ONE, update, "The same as an update", WRITE, schemas.DEFINITION, schemas.UPDATE_BODY),
    Operation("DELETE", ONE, delete, "Forget what is written about an event", WRITE, statuses=(204,)),
    Operation(
        "POST",
        f"{ALL}/bulk_update_tags",
        bulk_update_tags,
        "Tag many events",
        WRITE,
        schemas.TAGS_DONE,
        schemas.TAGS_BODY,
    ),
    Operation(
        "POST",
        f"{ALL}/bulk_update_verified",
        bulk_update_verified,
        "Verify many events",
        WRITE,
        schemas.VERIFIED_DONE,
        schemas.VERIFIED_BODY,
    ),
)
