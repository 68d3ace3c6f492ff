"""Generated requests by the product's own description of its API, where FLAGTUI_FIXTURES has one.

Not collected with the tests: pytest tests/service/check_product_api.py
Asked are the operations this service has. No 5xx, and every answer 2xx fits the product's schema.
"""

import os
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance
from tests.doubles.fixtures import FOLDER, read_fixture
from tests.service.check_api import KEY, start_service

from flagtui.service.application import OPERATIONS

CASES = int(os.environ.get("FLAGTUI_CASES", "15"))
if not FOLDER.is_dir():
    pytest.skip("FLAGTUI_FIXTURES names no folder", allow_module_level=True)


def without_missing(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the operations this service does not have."""
    operations = {(operation.method.lower(), shape(operation.path + "/")) for operation in OPERATIONS}
    for path, methods in list(document["paths"].items()):
        for method in [
            name for name in methods if (name, shape(path)) not in operations and name != "parameters"
        ]:
            del methods[method]
        if not methods:
            del document["paths"][path]
    return document


def shape(path: str) -> str:
    """A path without the names of its parts."""
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


DOCUMENT = without_missing(read_fixture("openapi-subset"))
# The description omits that very old flags have none.
DOCUMENT["components"]["schemas"]["FeatureFlag"]["properties"]["version"]["type"] = ["integer", "null"]
# The hook of the other file changes its ids too.
schema = schemathesis.openapi.from_dict(DOCUMENT)
schema.app = start_service(newest=True)
schema.config.update(headers={"Authorization": f"Bearer {KEY}"})


@schema.parametrize()
@hypothesis.settings(
    max_examples=CASES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), database=None
)
def test_answers_fit_the_products_description(case: "schemathesis.Case[Any]") -> None:
    response = case.call()
    case.validate_response(response, checks=[not_a_server_error])
    if 200 <= response.status_code < 300 and response.content:
        case.validate_response(response, checks=[response_schema_conformance])
