"""Polls of a program whose project never opened: the connection is opened again."""

from types import SimpleNamespace
from typing import Any

import pytest

from flagtui.api.errors import ApiError, BadKey, Refused
from flagtui.app.shell.polling import Polling


@pytest.mark.parametrize(
    ("trouble", "is_connecting", "times"),
    [
        (Refused("Nothing listens there."), False, 1),
        # The attempt in progress is enough.
        (Refused("Nothing listens there."), True, 0),
        # Only another key helps, and the app asks for it.
        (BadKey("There is no API key."), False, 0),
        (None, False, 0),
    ],
)
async def test_unopened_project_is_connected_again_after_outages(
    trouble: ApiError | None, is_connecting: bool, times: int
) -> None:
    session = SimpleNamespace(monotonic=lambda: 0.0)
    app_state: Any = SimpleNamespace(
        session=session, workspace=None, trouble=trouble, is_connecting=is_connecting
    )
    attempts: list[int] = []
    await Polling(app_state, lambda: attempts.append(1)).poll()
    assert len(attempts) == times
