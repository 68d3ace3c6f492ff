"""Toasts go with escape, and with the tab, the project or the profile they speak of."""

import time

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running
from textual.notifications import Notify
from textual.widgets._toast import ToastHolder

from flagtui.app.shell.toasts import READ, LastingNotification
from flagtui.app.widgets.dialog import Dialog


async def raise_toast(program: Program, text: str, seconds_ago: float) -> None:
    raised = LastingNotification(text, timeout=30.0, raised_at=time.time() - seconds_ago, markup=False)
    program.app.post_message(Notify(raised))
    await program.settle(shows=text)


def count_toasts(program: Program) -> int:
    return len(program.app.screen.query(ToastHolder))


@pytest.fixture(scope="module")
def shared_setting(shared_setting: Setting) -> Setting:
    return replace(shared_setting, neighbours=("eu",))


async def leave_the_new_one_alone(program: Program, *keys: str) -> None:
    """What was read goes with these keys, and what is new stays."""
    await raise_toast(program, "new-nav is off", READ)
    await raise_toast(program, "brand new", -60.0)
    assert count_toasts(program) == 2
    await program.press(*keys, shows="brand new", lacks="new-nav is off")
    assert count_toasts(program) == 1
    program.app.clear_notifications()


async def test_what_was_read_goes_with_escape_and_with_the_tab(shared: Program) -> None:
    for key in ("escape", "2"):
        await leave_the_new_one_alone(shared, key)


async def test_what_was_read_does_not_cover_a_dialog(shared: Program) -> None:
    for dialog in ("percent_sign", "colon", "Y"):
        await leave_the_new_one_alone(shared, "1", dialog)
        shared.see(front=Dialog)
        await shared.press("escape")


async def test_new_toast_leaves_a_dialog_once_it_is_read(shared: Program) -> None:
    await shared.press("1")
    await raise_toast(shared, "new-nav is off", 0.0)
    for toast in shared.app._notifications:
        # Others stay for the tests.
        toast.raised_at = time.time()
    await shared.press("percent_sign", front=Dialog)
    await quiet.settle(shared.app, lambda: bool(shared.app._notifications))
    shared.see(lacks="new-nav is off")
    await shared.press("escape")


async def test_escape_clears_toasts_before_the_query_and_the_marks(shared: Program) -> None:
    await shared.press("1", "/", *"nav", "enter", "x")
    for key, line, marks in (("escape", "nav", 1), ("escape", "", 1), ("escape", "", 0)):
        if line:
            await raise_toast(shared, "new-nav is off", READ)
        await shared.press(key)
        screen = shared.app.tabs.lists()[0]
        assert count_toasts(shared) == 0
        assert (screen.search.value, screen.marked) == (line, marks)


async def test_what_was_read_goes_with_the_project_and_the_profile(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("eu",))) as program:
        await leave_the_new_one_alone(program, "p", *"mobile", "enter")
        await leave_the_new_one_alone(program, "P", *"eu", "enter")


async def test_other_keys_and_the_same_tab_leave_them(shared: Program) -> None:
    await raise_toast(shared, "new-nav is off", READ)
    for key in ("down", "1", "slash"):
        await shared.press(key, shows="new-nav is off")


async def test_staging_removes_the_offer_to_undo(program: Program) -> None:
    await program.go_to("new-nav", "space", "y", shows="u to undo")
    await program.press("plus", shows="changes are collected", lacks="u to undo")
