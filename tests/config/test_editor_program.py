"""The editor: which program opens, and which one receives ctrl+c."""

import signal
import sys
from pathlib import Path

import pytest

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
