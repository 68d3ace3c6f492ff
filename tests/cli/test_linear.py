"""The commands as lines and prompts: nothing is addressed on the screen, nothing is drawn in boxes."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Run, Service, server_variables
from tests.doubles.terminal import FOLDERS, Terminal


def test_commands_are_asked_for_and_answered_in_lines(tmp_path: Path, service: Service) -> None:
    environment = dict.fromkeys(FOLDERS, str(tmp_path)) | server_variables(service.address)
    with Terminal([*FLAGTUI, "--linear"], size=(100, 200), environment=environment) as terminal:
        terminal.wait_for("flagtui>")
        terminal.press("flags list new-nav\r", until=r"(?s)KEY; ID; .*new-nav; \d+; on; .*sidebar\n.*>")
        terminal.press("flags disable new-nav\r", until=r"\[y/N\]")
        terminal.press("n\r", until="(?s)y/N.*flagtui>")
        terminal.press("nothing like that\r", until="(?s)No such command.*ended with 2")
        terminal.press("flags get 'new\r", until="The line cannot be read")
        terminal.press("profiles\r", until="There is no profile yet")
        sent = bytes(terminal.sent)
        # Colours and the ends of lines alone.
        assert re.findall(rb"\x1b\[[\d;?]*[A-HJKSTfhlsu]", sent) == []
        assert re.findall("[\u2500-\u257f]", sent.decode()) == []
        assert KEY.encode() not in sent
        terminal.press("\x1b[A\x1b[A", until="flagtui> flags get 'new")
        terminal.press("\x15? flags disable\r", until="(?s)Turn flags off.*flagtui>")
        assert terminal.press_to_end("quit\r") == 0


def test_linear_mode_keeps_the_guard_of_its_options(signed_in: Run) -> None:
    done = signed_in("--read-only", "--linear", stdin="flags disable new-nav --yes\n")
    assert "ended with 3" in done.out, done.err


LINES = """flags disable new-nav --yes
flags get new-nav --fields active
flags get nothing-here --json
undo --yes
journal --fields verb
"""


@pytest.mark.usefixtures("demo_data")
@pytest.mark.parametrize("words", [("demo", "--linear"), ("--linear", "demo")])
def test_linear_demo_has_a_journal_of_its_own(words: tuple[str, ...], run_demo: Run, tmp_path: Path) -> None:
    def run_lines(*given: str, lines: str) -> list[str]:
        done = run_demo(*given, stdin=lines)
        assert done.code == 0, done.err
        return (done.out + done.err).replace("flagtui> ", "").splitlines()

    lines = run_lines(*words, lines=LINES)
    assert lines[1:7] == [
        *("new-nav\tsaved\tis off\t", "false", "ended with 6", "new-nav\tsaved\tis on\t"),
        *("turn on", "turn off"),
    ]
    assert json.loads(lines[-1])["error"]["code"] == "not_found"
    refused = run_lines("--read-only", *words, lines="flags disable new-nav --yes\nundo --yes\n")
    assert [line for line in refused if line.startswith("ended")] == ["ended with 3"] * 2
    assert not (tmp_path / "flagtui/journal").exists()
    staged = "flags tag new-nav --add linear --stage\nflagtui demo staged drop new-nav\nflagtui\n"
    copied = "\n".join(run_lines(*words, lines=staged))
    assert "flagtui demo apply staged" in copied
    assert "ended with" not in copied
    assert "Usage: flagtui" in copied
