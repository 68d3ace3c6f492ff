"""The record's page as a link of the terminal, as it really goes out."""

import re
import sys
from pathlib import Path

import pytest
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish

ROOT = Path(__file__).parents[2]
DEMO = [sys.executable, "-m", "tests.doubles.changed_demo", "paged", "demo"]
LINK = re.compile(rb"\x1b\]8;;([^\x1b]*)\x1b\\")
PAGE = re.compile(
    r"https://flags\.example\.com/project/\d+/(feature_flags|experiments|data-management/events)/[\w-]+"
)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> dict[str, str]:
    return {
        **furnish(tmp_path_factory.mktemp("home")),
        "FLAGTUI_NO_FIRST_FRAME": "1",
        "PYTHONPATH": ":".join([str(ROOT), *(path for path in sys.path if path)]),
    }


def test_names_link_to_their_own_server_and_links_are_closed(surroundings: dict[str, str]) -> None:
    with Terminal(DEMO, size=(132, 40), environment=surroundings) as terminal:
        terminal.wait_for("synced")
        terminal.wait_for("WHO SEES IT")
        terminal.press("\r", until="Overview")
        terminal.press("\x1b", until="KEY .*ROLLOUT")
        terminal.press("2", until="VARIANTS")
        assert terminal.press_to_end("q") == 0
        links = [link.decode() for link in LINK.findall(bytes(terminal.sent))]
        opened = [link for link in links if link]
        assert [link for link in opened if not PAGE.fullmatch(link)] == []
        assert {link.split("/")[-2] for link in opened} == {"feature_flags", "experiments"}
        assert links[-1] == ""
        assert len(links) <= 2 * len(opened)


@pytest.mark.parametrize("poor", [{"NO_COLOR": "1"}, {"TERM": "linux"}, {"STY": "1.pts"}], ids=str)
def test_a_terminal_without_links_gets_none(surroundings: dict[str, str], poor: dict[str, str]) -> None:
    with Terminal(DEMO, size=(132, 40), environment={**surroundings, **poor}) as terminal:
        terminal.wait_for("synced")
        terminal.press("1", until="WHO SEES IT")
        assert terminal.press_to_end("\x11") == 0
        assert LINK.findall(bytes(terminal.sent)) == []
