"""The table of event definition operations."""

from flagtui.service.event_definitions import schemas
from flagtui.service.event_definitions.bulk import bulk_update_tags, bulk_update_verified
from flagtui.service.event_definitions.list import PARAMETERS, list_definitions
from flagtui.service.event_definitions.lookups import by_name, metrics, primary_properties
from flagtui.service.event_definitions.typescript import typescript
from flagtui.service.event_definitions.write_operations import create, delete, retrieve, update
from flagtui.service.operations import PROJECT, Operation

DEFINITIONS = f"{PROJECT}/event_definitions"
ONE = f"{DEFINITIONS}/{{id}}"
READ, WRITE = "event_definition:read", "event_definition:write"

_ONE_ANSWER = {200: schemas.DEFINITION}

_READING = (
    Operation(
        "GET",
        DEFINITIONS,
        list_definitions,
        "List event definitions",
        scope=READ,
        parameters=PARAMETERS,
        answers={200: schemas.DEFINITION_PAGE},
    ),
    Operation("GET", ONE, retrieve, "One event definition", scope=READ, answers=_ONE_ANSWER),
    Operation(
        "GET",
        f"{ONE}/metrics",
        metrics,
        "How often it is used",
        scope=READ,
        closed=True,
        answers={200: schemas.METRICS},
    ),
    Operation(
        "GET",
        f"{DEFINITIONS}/by_name",
        by_name,
        "One by its name",
        scope=READ,
        parameters=("name",),
        answers=_ONE_ANSWER,
    ),
    Operation(
        "GET",
        f"{DEFINITIONS}/primary_properties",
        primary_properties,
        "Primary properties by event",
        scope=READ,
        parameters=("names",),
        answers={200: schemas.PRIMARY},
    ),
    Operation(
        "GET",
        f"{DEFINITIONS}/typescript",
        typescript,
        "Types of the events",
        scope=READ,
        answers={200: schemas.SOURCE},
    ),
)

_WRITING = (
    Operation(
        "POST",
        DEFINITIONS,
        create,
        "Define an event",
        scope=WRITE,
        writes=True,
        success=201,
        body=schemas.CREATE_BODY,
        answers={201: schemas.DEFINITION},
    ),
    Operation(
        "PATCH",
        ONE,
        update,
        "Describe, own, tag, verify or hide an event",
        scope=WRITE,
        writes=True,
        body=schemas.UPDATE_BODY,
        answers=_ONE_ANSWER,
    ),
    Operation(
        "PUT",
        ONE,
        update,
        "The same as an update",
        scope=WRITE,
        writes=True,
        body=schemas.UPDATE_BODY,
        answers=_ONE_ANSWER,
    ),
    Operation(
        "DELETE",
        ONE,
        delete,
        "Forget what is written about an event",
        scope=WRITE,
        writes=True,
        success=204,
    ),
    Operation(
        "POST",
        f"{DEFINITIONS}/bulk_update_tags",
        bulk_update_tags,
        "Tag many events",
        scope=WRITE,
        writes=True,
        body=schemas.TAGS_BODY,
        answers={200: schemas.TAGS_DONE},
    ),
    Operation(
        "POST",
        f"{DEFINITIONS}/bulk_update_verified",
        bulk_update_verified,
        "Verify many events",
        scope=WRITE,
        writes=True,
        body=schemas.VERIFIED_BODY,
        answers={200: schemas.VERIFIED_DONE},
    ),
)

OPERATIONS = (*_READING, *_WRITING)
