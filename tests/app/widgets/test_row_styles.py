from typing import Any

from tests.doubles.list_app import ListApp

from flagtui.models.rows import FlagRow

SIZE = (80, 11)


def make_flags(count: int, start: int = 0, **same: Any) -> list[FlagRow]:
    return [
        FlagRow(id=n, key=f"flag-{n:03}", active=True, rollout=50, **same)
        for n in range(start, start + count)
    ]


async def test_losing_focus_redraws_only_the_line_of_the_cursor(app: ListApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        app.rows.show(make_flags(3))
        app.rows.focus()
        await pilot.pause()
        before = [app.rows.render_line(y) for y in (1, 2, 3)]
        app.screen.set_focus(None)
        await pilot.pause()
        after = [app.rows.render_line(y) for y in (1, 2, 3)]
        assert [one is other for one, other in zip(before, after, strict=True)] == [False, True, True]


async def test_another_theme_draws_every_line_in_its_colours(app: ListApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        app.rows.show(make_flags(2))
        await pilot.pause()
        before = [segment.style for segment in app.rows.render_line(2)]
        app.theme = "textual-light"
        await pilot.pause()
        after = [segment.style for segment in app.rows.render_line(2)]
        assert not set(map(str, before)) & set(map(str, after))
