"""Light or dark is found out from the terminal, asked once, without a wait that anybody would notice."""

import os
import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from flagtui.app.terminal import first_frame
from flagtui.app.terminal.background import ASK, PATIENCE, TerminalAnswers, asked_background

BELL, ST = b"\x07", b"\x1b\\"
ATTRIBUTES = b"\x1b[?62;22c"
WHITE, BLACK = b"\x1b]11;rgb:ffff/ffff/ffff" + ST, b"\x1b]11;rgb:0000/0000/0000" + ST


def expecting() -> TerminalAnswers:
    answers = TerminalAnswers()
    answers.expect()
    return answers


def test_the_answer_is_read_however_a_terminal_writes_it() -> None:
    for answer, is_light in (
        (WHITE, True),
        (b"\x1b]11;rgb:ff/ff/e0" + BELL, True),
        (BLACK, False),
        (b"\x1b]11;rgba:1e1e/1e1e/2e2e/ffff" + ST, False),
        (b"\x1b]11;rgb:f/f/f" + BELL, True),
        (b"", None),
    ):
        answers = expecting()
        assert answers.sift(answer + ATTRIBUTES) == b""
        assert (answers.is_light, answers.is_done) == (is_light, True)


def test_an_answer_in_pieces_is_no_key() -> None:
    whole = WHITE + ATTRIBUTES
    for cut in range(3, len(whole)):
        answers = expecting()
        assert answers.sift(whole[:cut]) + answers.sift(whole[cut:]) == b""
        assert answers.is_light


def test_keys_within_and_after_the_answers_are_kept() -> None:
    answers = expecting()
    kept = answers.sift(b"/n" + BLACK + b"av" + ATTRIBUTES + b"\x1b[B")
    assert kept == b"/nav\x1b[B"
    answers = expecting()
    answers.sift(ATTRIBUTES)
    assert answers.sift(b"\x1b]11;rgb:0/0/0\x07") == b"\x1b]11;rgb:0/0/0\x07"


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """This process on a terminal of its own: the terminal's end, and the program's."""
    outer, inner = os.openpty()
    before = [os.dup(number) for number in range(3)]
    for number in range(3):
        os.dup2(inner, number)
    try:
        yield outer, inner
    finally:
        first_frame.hand_over()
        for number, kept in enumerate(before):
            os.dup2(kept, number)
            os.close(kept)
        os.close(outer)
        os.close(inner)


@pytest.fixture(autouse=True)
def term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def test_terminal_response_during_loading_is_used() -> None:
    answers = TerminalAnswers()
    with terminal() as (outer, _), asked_background(answers):
        query = os.read(outer, 100)
        os.write(outer, b"j" + WHITE + ATTRIBUTES)
    assert query == ASK
    assert answers.is_light
    assert answers.typed == b"j"


def test_a_terminal_that_says_nothing_is_not_waited_for() -> None:
    answers = TerminalAnswers()
    with terminal():
        begun = time.monotonic()
        with asked_background(answers):
            pass
        waited = time.monotonic() - begun
    assert PATIENCE * 0.9 <= waited < PATIENCE + 5.0
    assert answers.is_light is None
    # It may say it later: that is no key either.
    assert answers.sift(WHITE + ATTRIBUTES + b"q") == b"q"


def test_failed_start_leaves_no_terminal_response_unread() -> None:
    answers = TerminalAnswers()
    with terminal() as (outer, inner):
        # As slow as a distant terminal, and longer than a start would wait.
        threading.Timer(PATIENCE * 2, os.write, (outer, ATTRIBUTES)).start()
        with pytest.raises(ValueError, match="settings"), asked_background(answers):
            raise ValueError("settings")
        left, _, _ = select.select([inner], [], [], 0)
    assert not left
    assert answers.is_done


@pytest.mark.parametrize("term", ["dumb", "linux", ""])
def test_terminal_that_would_print_question_is_not_asked(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    answers = TerminalAnswers()
    with terminal() as (outer, inner):
        with asked_background(answers):
            os.write(inner, b"nothing asked")
        output = os.read(outer, 100)
    assert output == b"nothing asked"
    assert answers.is_done
