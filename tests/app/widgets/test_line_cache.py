import pytest
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.list_app import ListApp
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip

from flagtui.app.widgets.row_surface import LineCache
from flagtui.models.rows import FlagRow

SIZE = (80, 11)


def flags(*keys: str) -> list[FlagRow]:
    return [FlagRow(id=at, key=key, active=at % 2 == 0, rollout=50) for at, key in enumerate(keys)]


def cells(strips: list[Strip]) -> list[list[tuple[str, object]]]:
    return [[(letter, style) for text, style, _ in strip for letter in text] for strip in strips]


@pytest.mark.parametrize("crop", [Region(0, 0, 80, 11), Region(0, 2, 80, 1), Region(5, 1, 30, 4)])
async def test_a_list_looks_as_if_textual_had_drawn_its_lines(app: ListApp, crop: Region) -> None:
    app.rows.show(flags("checkout", "日本語", "a\x1b[2Jb", "x" * 500))
    await app.pilot.pause()
    ours, theirs = LineCache(), StylesCache()
    assert cells(ours.render_widget(app.rows, crop)) == cells(theirs.render_widget(app.rows, crop))


async def test_only_dirty_lines_are_drawn_again(app: ListApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app.rows.show(flags("one", "two", "three"))
    await app.pilot.pause()
    cache, whole = LineCache(), Region(0, 0, *SIZE)
    before = cache.render_widget(app.rows, whole)
    drawn = watch_drawing(app.rows, monkeypatch)
    assert cache.render_widget(app.rows, whole) == before
    assert drawn == []
    cache.set_dirty(Region(0, 2, 80, 1))
    cache.render_widget(app.rows, whole)
    assert drawn == [2]
    app.rows.styles.background = "red"
    cache.render_widget(app.rows, whole)
    assert drawn == [2, *range(11)], "another background makes every line a different one"
