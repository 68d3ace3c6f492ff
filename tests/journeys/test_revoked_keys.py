"""A key that stops working is replaced, and nothing that was open is lost."""

import re
from dataclasses import replace

import pytest
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.keys import another_key, revoke, type_key

from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen


@pytest.mark.parametrize("server", ["default", "strict", "legacy"])
async def test_a_key_revoked_while_results_are_read_is_replaced_and_no_result_is_lost(
    setting: Setting, server: str
) -> None:
    options = () if server == "default" else ((server, True),)
    async with running(replace(setting, options=options, size=WIDE)) as program:
        await program.press("2", "slash", *"is:running", "enter", "enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        seen = results(program)
        assert seen
        revoke(program.wire)
        await program.press("R")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert results(program) == seen
        assert "not accepted" in words(program.screen)
        await program.press("R")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, ExperimentScreen)
        assert results(program) == seen
        assert "not accepted" not in words(program.screen)


def results(program: Program) -> list[str]:
    """Each metric with its numbers and its interval."""
    return [line.rpartition("┤")[0].strip(" ▌") for line in program.screen.splitlines() if "(funnel)" in line]


async def test_a_key_revoked_while_days_are_read_is_replaced_and_the_days_come(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await program.press("2", "slash", *"is:running", "enter", "enter")
        revoke(program.wire)
        await program.press("enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" in words(program.screen)
        await program.press("f5")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" not in words(program.screen)
        assert re.search(r"\d+ of \d+ days", words(program.screen))


async def test_a_key_revoked_before_the_question_is_replaced_and_the_question_comes(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        revoke(program.wire)
        await program.press("space")
        assert isinstance(program.app.screen, SignInScreen)
        await type_key(program, "phx_nobody_knows_this_one")
        assert isinstance(program.app.screen, SignInScreen)
        assert "not accepted" in words(program.screen)
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, ConfirmScreen)
        assert program.wire.writes() == []
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert len(program.wire.writes()) == 1


async def test_a_key_revoked_during_the_save_brings_the_question_back_and_sends_nothing_by_itself(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("space")
        revoke(program.wire, "PATCH")
        await program.press("y")
        assert isinstance(program.app.screen, SignInScreen)
        key = another_key(program)
        assert len(program.wire.writes()) == 1
        await type_key(program, key)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert len(program.wire.writes()) == 1
        assert (await program.stored("new-nav")).active
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert key not in program.screen
        ends = [entry.ending for entry in program.journal.entries()]
        assert ends == ["saved", "refused"]


async def test_signing_in_can_wait_and_the_list_stays_with_the_reason(setting: Setting) -> None:
    async with running(setting) as program:
        revoke(program.wire)
        await program.press("f5")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.app.screen.query_one(RowList).shown == 248
        assert "sign in again" in program.screen.splitlines()[0]
        await program.press("ctrl+l")
        await type_key(program, another_key(program, "feature_flag:read", "user:read"))
        assert "synced" in program.screen.splitlines()[0]
        assert "change flags: the key lacks feature_flag:write" in program.notices[-1]
