"""A clock that stands still until a test turns it: waiting on it sleeps until then."""

import asyncio

from msgspec.structs import replace
from tests.doubles.steady_clock import StoppedClock
from tests.doubles.whole_program import Program

from flagtui.app.shell.polling import Polling


class TurnedClock(StoppedClock):
    """Waiting on it takes no real time and never ends by itself."""

    def __init__(self, now: float) -> None:
        super().__init__(now)
        self._due: list[tuple[float, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        rung = asyncio.Event()
        alarm = (self.now + seconds, rung)
        self._due.append(alarm)
        try:
            await rung.wait()
        finally:
            self._due.remove(alarm)

    def turn(self, seconds: float) -> None:
        """Let time pass; those whose time has come go on."""
        self.now += seconds
        for when, rung in self._due:
            if when <= self.now:
                rung.set()

    @property
    def next_alarm(self) -> float | None:
        """Seconds until the next waiter goes on; None while there is none."""
        return min((when - self.now for when, rung in self._due if not rung.is_set()), default=None)


async def pass_time(program: Program, clock: TurnedClock, seconds: float) -> int:
    """Let time pass until the program waits again; how many requests that cost, without the schedule.

    The schedule is read every quarter of an hour, whatever the polls do.
    """
    before = _count_requests(program)
    program.timing.now += seconds
    clock.turn(seconds)
    await program.settle()
    while clock.next_alarm is None:
        await program.settle()
    await program.settle()
    return _count_requests(program) - before


def _count_requests(program: Program) -> int:
    return sum(1 for line in program.wire.passed if "scheduled_changes" not in line)


async def start_polling(program: Program, refresh: float) -> TurnedClock:
    """From now on the program looks by itself, as often as told, by a clock that the test turns."""
    app, clock = program.app, TurnedClock(program.timing.now)
    app.app_state.session = replace(app.app_state.session, refresh=refresh, clock=clock)
    app.server.polling = Polling(app.app_state, app.open_connection)
    app.run_worker(app.server.polling.run(), group="polling", exclusive=True)
    await program.settle()
    return clock
