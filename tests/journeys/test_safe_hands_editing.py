"""What was typed survives a key that stops working; old rows are never written on; undo shows three sides."""

from dataclasses import replace

import httpx
from tests.doubles.whole_program import KEY, Program, Setting, running, words
from tests.doubles.wire import Wire
from textual.widgets import Input, OptionList

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.service.keys import NewKey, create_key

REVOKED = {"type": "authentication_error", "code": "authentication_failed", "detail": "Invalid API key."}


def revoke_for_writes(wire: Wire) -> None:
    """From now on the server takes no change with this key."""

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_ours = request.headers["authorization"] == f"Bearer {KEY}"
        is_write = request.method == "PATCH" or request.url.path.endswith("/feature_flags/")
        return httpx.Response(401, json=REVOKED) if is_ours and is_write and request.method != "GET" else None

    wire.before = refuse


async def sign_in_again(program: Program) -> None:
    """Another key of the same person."""
    assert isinstance(program.app.screen, SignInScreen)
    program.app.screen.query_one(Input).value = create_key(program.database, NewKey("another", ("*",)))
    await program.press("enter")


async def describe(program: Program, text: str) -> None:
    """Type a description into the form that is open."""
    options = program.app.screen.query_one("#form", OptionList)
    options.highlighted = next(
        place
        for place in range(options.option_count)
        if "description" in str(options.get_option_at_index(place).prompt)
    )
    await program.press("enter", "end", "ctrl+u", *text, "enter")


async def test_a_form_keeps_what_was_typed_while_another_key_is_given(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("e")
        await describe(program, "careful")
        revoke_for_writes(program.wire)
        await program.press("ctrl+s", "y")
        await sign_in_again(program)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert "careful" in words(program.screen)
        assert (await program.stored("new-nav")).name != "careful"
        await program.press("escape")
        assert isinstance(program.app.screen, FormScreen)
        assert "careful" in words(program.screen)
        await program.press("ctrl+s", "y")
        assert (await program.stored("new-nav")).name == "careful"


async def test_a_new_flag_is_asked_about_again_after_signing_in(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("n", "enter", "end", "ctrl+u", *"brand-new", "enter")
        revoke_for_writes(program.wire)
        await program.press("ctrl+s", "y")
        await sign_in_again(program)
        assert "Create in TEST" in words(program.screen)
        await program.press("y")
        assert (await program.stored("brand-new")).key == "brand-new"


async def test_nothing_is_written_on_rows_of_the_last_run_while_the_link_is_down(setting: Setting) -> None:
    kept = replace(setting, snapshots=True)
    async with running(kept):
        pass

    def cut(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down")

    async with running(kept, cut) as program:
        assert program.app.screen.query_one(RowList).shown == 248
        await program.go_to("new-nav")
        await program.press("space")
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.wire.writes() == []
        assert program.journal.entries() == []
        assert "new-nav" in program.notices[-1]


async def test_undoing_what_somebody_changed_since_shows_three_sides_first(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        before = (await program.stored("new-nav")).name
        await program.press("e")
        await describe(program, "mine")
        await program.press("ctrl+s", "y")
        flag = await program.stored("new-nav")
        assert flag.name == "mine"
        await program.colleague().flags.update(flag.id, {"name": "theirs"})
        await program.press("J", "z")
        asked = words(program.screen)
        assert "mine" in asked
        assert "theirs" in asked
        assert before[:20] in asked
        await program.press("y")
        assert (await program.stored("new-nav")).name == "theirs"
        await program.press("o")
        assert (await program.stored("new-nav")).name == before
