"""Of all frames of a program only the one at rest is drawn, when nothing is left to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.app import App


@contextmanager
def drawn_at_rest() -> Iterator[None]:
    """Meanwhile a screen only gathers what changed on it, until `draw` draws that in one go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", lambda compositor, **how: None)
        yield


def draw(app: App[Any]) -> None:
    """Draw what changed since the last time; a widget that cannot be drawn raises here."""
    visible_screen_stack.set(app._background_screens)
    compositor = app.screen._compositor
    is_whole = compositor.size.region in compositor._dirty_regions
    update = compositor.render_full_update() if is_whole else compositor.render_partial_update()
    app._display(app.screen, update)
