"""A program that has nothing left to do: every message handled, the layout made, short rests over.

Textual's own pilot guesses this from how busy the process is, 20 ms at a time; that is slow on a quiet
machine and wrong on a busy one.
"""

import asyncio
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App
from textual.events import Key
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen

LONGEST_REST = 0.3
"""One-shot timers up to this many seconds, such as the rest before a preview, end at once."""
PATIENCE = 20.0
"""Seconds until a program that is still busy fails its test."""
_ROUNDS = 3


class QuietPilot(Pilot[Any]):
    """A pilot whose pauses end when nothing is under way; rests take their time."""

    async def pause(self, delay: float | None = None) -> None:
        await settle(self.app, rests=False)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await press(self.app, key)
            await self.pause()


@asynccontextmanager
async def run_quietly(
    app: App[Any], *, size: tuple[int, int] = (80, 24), notifications: bool = False
) -> AsyncIterator[QuietPilot]:
    """Run the app without a terminal, for a pilot that waits for nothing but the app."""
    async with app.run_test(size=size, notifications=notifications):
        yield QuietPilot(app)


async def settle(app: App[Any], busy: Callable[[], bool] = lambda: False, *, rests: bool = True) -> None:
    """Return when nothing is under way in the app and `busy` agrees, and with `rests`, when those are over.

    Raises AssertionError after `PATIENCE`.
    """
    deadline = time.monotonic() + PATIENCE
    quiet = 0
    while quiet < _ROUNDS:
        if app._exception is not None or app._exit:
            return
        await asyncio.sleep(0)
        if any(map(_is_handling, _pumps(app))) or _draw(app) or (rests and await _end_rests(app)):
            quiet = 0
        elif busy():
            # Threads and sockets need real time.
            quiet = 0
            await asyncio.sleep(0.001)
        else:
            quiet += 1
        assert time.monotonic() < deadline, f"still busy: {[str(worker) for worker in app.workers]}"


async def press(app: App[Any], key: str) -> None:
    """Send one key as the terminal would, by its name or its character. Does not wait for what it does."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    try:
        character: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
    except KeyError:
        character = key if len(key) == 1 else None
    event = Key(key, character)
    event.set_sender(app)
    app.post_message(event)


def _pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    yield from list(app._registry)


def _draw(app: App[Any]) -> bool:
    """Do what the screens' own timers would do within a sixtieth of a second; whether there was anything."""
    screen, is_behind = app.screen, False
    if app._resize_timer is not None:
        app._check_resize()
        return True
    for below in app._background_screens:
        # It shows around a dialog. That it has to be painted is never taken back there.
        if _waits_for_layout(below) or below._dirty_widgets:
            is_behind = True
            below._on_timer_update()
            # Those out of sight stay in it.
            below._dirty_widgets.clear()
    is_moving = app.animator._animations or app.animator._scheduled
    if not (_waits_for_layout(screen) or screen._repaint_required or screen._dirty_widgets or is_moving):
        return is_behind
    screen._on_timer_update()
    return True


def _waits_for_layout(screen: Screen[Any]) -> bool:
    return bool(
        screen._layout_required or screen._scroll_required or screen._recompose_required or screen._callbacks
    )


def _is_handling(pump: MessagePump) -> bool:
    if not pump._running or pump._closed:
        return False
    waits_for_messages = bool(pump._message_queue.ready_event._waiters)
    return not waits_for_messages or not pump._message_queue.empty() or bool(pump._next_callbacks)


async def _end_rests(app: App[Any]) -> bool:
    """Let every short one-shot timer do now what it was set for; whether there was one."""
    ended = False
    for pump in _pumps(app):
        for timer in list(pump._timers):
            if timer._repeat == 0 and timer._task is not None and timer._interval <= LONGEST_REST:
                if timer._task.done():
                    continue
                timer.stop()
                await timer._tick(next_timer=0, count=1)
                ended = True
    return ended
