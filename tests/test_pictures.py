"""The moving picture of the documents shows each screen as it was, and no line of another."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def screens() -> Any:
    spec = importlib.util.spec_from_file_location("screen_svg", ROOT / "docs" / "screen_svg.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules["screen_svg"] = made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def frame(screens: Any, *lines: str) -> Any:
    look = (screens.TEXT, screens.GROUND, False)
    return tuple(((line.ljust(10), look),) for line in lines)


def shown_at(svg: str, part: float) -> list[str]:
    """The texts that are visible after so much of the whole, from 0 to 1."""
    root = ElementTree.fromstring(svg)
    style = root.findtext(f"{SVG}style", "")
    texts = []
    for group in root.iter(f"{SVG}g"):
        name, is_visible = group.get("class"), True
        if name is not None:
            steps = re.search(rf"@keyframes {name}\{{((?:[\d.]+%\{{visibility:\w+\}})+)\}}", style)
            assert steps is not None, name
            for at, what in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", steps[1]):
                if float(at) <= part * 100:
                    is_visible = what == "visible"
        texts += [text.text or "" for text in group.iter(f"{SVG}text") if is_visible]
    return sorted(texts)


def test_at_every_moment_one_whole_screen_is_seen(screens: Any) -> None:
    scenes = [
        screens.Scene(frame(screens, "head", "one", ""), "look", 1.0),
        screens.Scene(frame(screens, "head", "two <b>", "more"), "press", 3.0),
        screens.Scene(frame(screens, "head", "one", "more"), "back", 1.0),
    ]
    svg = screens.moving_picture(scenes)
    assert shown_at(svg, 0.0) == sorted(["head", "one", "look"])
    assert shown_at(svg, 0.19) == sorted(["head", "one", "look"])
    assert shown_at(svg, 0.21) == sorted(["head", "two <b>", "more", "press"])
    assert shown_at(svg, 0.99) == sorted(["head", "one", "more", "back"])


def test_a_reader_without_movement_sees_the_screen_that_stays_longest(screens: Any) -> None:
    scenes = [screens.Scene(frame(screens, text), text, length) for text, length in (("a", 1.0), ("b", 3.0))]
    root = ElementTree.fromstring(screens.moving_picture(scenes))
    seen = [text.text for group in root.iter(f"{SVG}g") if group.get("visibility") is None for text in group]
    assert seen == ["b", "b"]


def test_the_moving_picture_of_the_documents_is_small_and_whole() -> None:
    path = ROOT / "docs" / "pictures" / "find-off-undo.svg"
    assert path.stat().st_size < 200_000
    svg = path.read_text(encoding="utf-8")
    ElementTree.fromstring(svg)
    assert "<script" not in svg
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    for words in ("Turn OFF in DEMO", "new-nav is off", "undone: new-nav is on"):
        assert words in svg
