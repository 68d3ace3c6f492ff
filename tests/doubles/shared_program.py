"""One running program for many journeys that only look: each finds it as it was when it had just started."""

from tests.doubles.whole_program import Program

from flagtui.app.lists.list_screen import ListScreen

_ROWS = 2
"""The first line of the search and the rows; the tabs above count what was read meanwhile."""


class SharedProgram:
    """A program that has just started, to hand to one journey after the other."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._began = program.timing.now
        self._first = program.screen.splitlines()[_ROWS:]

    async def start_over(self) -> Program:
        """Close and take back all that a journey opened, typed, marked and ordered.

        Raises AssertionError where something is left of it: such a journey needs a program of its own.
        """
        program, app = self.program, self.program.app
        program.wire.heal()
        program.wire.held = lambda request: False
        app.clear_notifications()
        app.uncover_list()
        await program.settle()
        for screen in app.tabs.lists():
            if isinstance(screen, ListScreen) and screen.is_mounted:
                screen.search.set_line("")
                screen.rows.action_clear_marks()
                if screen._finder.ranking.sort != screen.description.sort:
                    screen._sort_by(screen.description.sort)
                screen.rows.action_first()
                screen.set_focus(screen.rows)
        app.tabs.open("1")
        program.timing.now = self._began
        app.ages.pass_minute()
        await program.settle()
        assert program.screen.splitlines()[_ROWS:] == self._first
        assert program.wire.writes() == []
        program.wire.passed.clear()
        return program
