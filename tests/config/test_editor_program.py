"""The editor that opens, and calls in a separate thread."""

import asyncio
import gc
import signal
import sys
import threading
from pathlib import Path

import pytest

from flagtui.config.credentials import await_call, start_call
from flagtui.config.editor_program import Editor, NoEditor, find_editor

INTERRUPT = "import os, signal; [os.kill(process, signal.SIGINT) for process in (os.getppid(), os.getpid())]"


def test_interrupt_ends_the_editor_alone(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert not Editor((sys.executable, "-c", INTERRUPT))(tmp_path / "flag.json")
    assert signal.getsignal(signal.SIGINT) is before


def test_editor_is_the_chosen_one_or_a_next_step(tmp_path: Path) -> None:
    editor = find_editor({"EDITOR": f"{sys.executable} -c pass"})
    assert editor == Editor((sys.executable, "-c", "pass"))
    assert editor.notice == ""
    with pytest.raises(NoEditor, match="set EDITOR"):
        find_editor({"PATH": str(tmp_path)})


@pytest.mark.parametrize(("programs", "name"), [(["vi", "nano"], "vi"), (["nano"], "nano")])
def test_without_a_choice_vi_or_nano_is_named(tmp_path: Path, programs: list[str], name: str) -> None:
    for program in programs:
        (tmp_path / program).touch(0o755)
    assert find_editor({"PATH": str(tmp_path)}).notice == f"EDITOR is not set; the editor is {name}"


class Odd(Exception):
    """What no keyring says it would raise."""


def refuse() -> str:
    raise Odd("no")


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "flagtui-call"]


async def test_whatever_the_work_raises_reaches_whoever_asked() -> None:
    with pytest.raises(Odd, match="no"):
        await await_call(refuse)
    assert isinstance(start_call(refuse).exception(10), Odd)
    assert start_call(lambda: "yes").result(10) == await await_call(lambda: "yes") == "yes"


async def test_abandoned_call_ends_silently_in_a_daemon_thread(caplog: pytest.LogCaptureFixture) -> None:
    gc.freeze()  # What other tests left is no matter.
    goes_on, has_begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> str:
        loop.call_soon_threadsafe(has_begun.set)
        goes_on.wait(10)
        return refuse()

    before = ours()
    waiting = asyncio.create_task(await_call(work))
    await has_begun.wait()
    (thread,) = (thread for thread in ours() if thread not in before)
    assert thread.daemon
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert thread.is_alive()
    goes_on.set()
    thread.join(10)
    assert not thread.is_alive()
    gc.collect()
    assert caplog.records == []
