"""Records that are made beside a flag: a cohort, a dashboard, more data on it."""

from typing import Any

import pytest
from tests.changes.conftest import flag
from tests.doubles.expected import expect

from flagtui.api import Client
from flagtui.changes.related.creation import What, made_beside
from flagtui.changes.skipped import Blocked


@pytest.mark.parametrize(("what", "fields", "refusal"), [
    ("cohort", {"deleted": True}, ("it is deleted", "restore it first")),
    ("dashboard", {"usage_dashboard": 4}, ("it has usage dashboard #4 already", "")),
    ("enrich", {}, ("it has no usage dashboard", "make one first")),
    ("enrich", {"usage_dashboard": 4}, ("its program sends no enriched data for it", "")),
])  # fmt: skip
async def test_record_that_cannot_be_made_is_refused_with_a_reason(
    what: What, fields: dict[str, Any], refusal: tuple[str, str]
) -> None:
    client = Client("http://127.0.0.1:1", "phx_key", 1)
    blocked = expect(await made_beside(what, flag(**fields), client), Blocked)
    assert (blocked.reason, blocked.next) == refusal
