"""Thousands of generated requests against the schema document: no 5xx, no undocumented status or body.

Not collected with the tests; `make check-api` runs it: pytest tests/service/check_api.py
FLAGTUI_CASES sets how many requests each operation gets (25).
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import hypothesis
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.applications import Starlette

from flagtui.service import Settings, create_service
from flagtui.service.sample_data import sample

KEY = "phx_check"
CASES = int(os.environ.get("FLAGTUI_CASES", "25"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def start_service(*, newest: bool = False) -> Starlette:
    """Serve the sample from an application whose stop does not close the database."""
    path = Path(tempfile.mkdtemp(prefix="flagtui-check-")) / "x.db"
    # Every generated request starts and stops the application.
    lasting = Starlette()
    service = create_service(path, Settings(newest=newest), key=KEY, sample=sample())
    lasting.router.default = service.state.dispatcher
    return lasting


schema = schemathesis.openapi.from_asgi("/api/schema/", start_service())
schema.config.update(headers={"Authorization": f"Bearer {KEY}"})


def at_home(_: Any, case: "schemathesis.Case[Any]", __: dict[str, Any]) -> None:
    """Generated ids name nothing: most become the ones of the sample."""
    parameters = case.path_parameters
    for name, value in (("project_id", "1"), ("organization_id", "@current")):
        if name in parameters:
            parameters[name] = value
    for name in ("id", "version", "version_number"):
        if name in parameters and (seed := sum(str(parameters[name]).encode())) % 10:
            parameters[name] = str(1 + seed % 300)


schemathesis.hook("before_call")(at_home)


@schema.parametrize()
@hypothesis.settings(
    max_examples=CASES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), database=None
)
def test_answers_are_as_described(case: "schemathesis.Case[Any]") -> None:
    case.call_and_validate(checks=CHECKS)
