"""The lifetime of a screen, a pane and their answers.

Pending results for an unmounted screen or pane are dropped here and nowhere else: the result that a
worker waits for, a callback, a notification of a change, a message still in the queue. A screen is closed
once, and only while it is on top.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, cast

from textual._styles_cache import StylesCache
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.dom import DOMNode, NoScreen
from textual.events import ScreenResume
from textual.geometry import Offset, Size
from textual.message_pump import MessagePump
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import Worker, WorkType
from textual.worker_manager import WorkerManager

Watcher = Callable[[], None]


def is_living(node: MessagePump | None) -> bool:
    """Return whether the node is mounted, not being removed, and on a screen that is open or cached."""
    while node is not None:
        if isinstance(node, App):
            return not node._exit
        if node._closing or node._closed or getattr(node, "_pruning", False):
            return False
        if isinstance(node, Screen) and not _is_kept(node):
            return False
        node = node._parent
    return False


def _is_kept(screen: Screen[Any]) -> bool:
    app = screen.app
    return screen in app.screen_stack or app.is_screen_installed(screen)


def screen_of(node: MessagePump) -> Screen[Any] | None:
    """Return the screen of a widget; None for what has none."""
    if not isinstance(node, Widget):
        return None
    try:
        return node.screen
    except NoScreen:
        return None


async def until_closed(node: MessagePump, handle_messages: Callable[[], Awaitable[None]]) -> None:
    """Go on handling messages after a fault, which Textual reports to the app before it leaves its loop."""
    while not (node._closing or node._closed):
        await handle_messages()


class WhileLiving(Coroutine[Any, Any, Any]):
    """Work that ends as if cancelled when it would go on although its node is gone."""

    def __init__(self, node: MessagePump, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._node = node
        self._begin = work
        self._work: Coroutine[Any, Any, Any] | None = None

    def send(self, value: Any) -> Any:
        if self._work is None:
            self._work = self._begin()
        return self._work.send(value) if is_living(self._node) else self._cancel(self._work)

    def throw(self, *fault: Any) -> Any:
        if self._work is None:
            self._work = self._begin()
        return self._work.throw(*fault) if is_living(self._node) else self._cancel(self._work)

    def close(self) -> None:
        (self._work or self._begin()).close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self

    def __iter__(self) -> "WhileLiving":
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def _cancel(self, work: Coroutine[Any, Any, Any]) -> Any:
        return work.throw(asyncio.CancelledError())


class LivingWorkers(WorkerManager):
    """Workers of screens and widgets go on only while these live; those of the app always do."""

    def _new_worker(
        self, work: WorkType[Any], node: DOMNode, *, thread: bool = False, **options: Any
    ) -> Worker[Any]:
        is_endless = isinstance(node, App) or thread
        guarded = work if is_endless else WhileLiving(node, partial(_begin, work))
        name = options.get("name") or str(getattr(work, "__name__", ""))
        return super()._new_worker(guarded, node, thread=thread, **{**options, "name": name})


async def _begin(work: WorkType[Any]) -> Any:
    begun = work if isawaitable(work) else work()
    return await cast(Awaitable[Any], begun)


if TYPE_CHECKING:
    ScreenBelow = Screen
else:

    class ScreenBelow(Generic[ScreenResultType]):
        """Textual takes the look of a class from the first of its bases that has one: this has none."""


class Lifecycle(ScreenBelow[ScreenResultType], Generic[ScreenResultType]):
    """Ensures that a screen gets no events after its end, and is closed once."""

    IS_SINGLE: ClassVar[bool] = False
    """Whether a second one is refused while one is open anywhere, not only directly below it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._followed: list[tuple[Watcher, Watcher]] = []
        """Watchers, each with the function that stops it."""
        self._due: set[Watcher] = set()
        """What is called with a message that waits in the queue."""
        self._was_on_top = False
        self.was_closed = False
        """Whether it was closed without an answer: not by its user, but with all that covered a list."""

    @property
    def opened_for(self) -> object:
        """The subject of the screen: two of a class on top of each other have different ones."""
        return None

    @property
    def has_edits(self) -> bool:
        """Whether leaving loses what was entered in it."""
        return False

    def keep_edits(self, above: Sequence[Screen[Any]]) -> str:
        """Store what leaving loses here and in the screens above; return the name of its record, if any.

        Called when the program ends, in the main thread but in any context. Raises OSError.
        """
        return ""

    def follow(self, watch: Callable[[Watcher], Watcher], watcher: Watcher) -> Watcher:
        """Call `watcher` after every change, until this is closed or the result is called.

        Changes that come before it was called are one, in all that it watches.
        """
        stop_watching = watch(partial(self.schedule, watcher))

        def stop() -> None:
            stop_watching()
            if followed in self._followed:
                self._followed.remove(followed)
            if all(watcher != other for other, _ in self._followed):
                self._due.discard(watcher)

        followed = watcher, stop
        self._followed.append(followed)
        return stop

    def schedule(self, callback: Watcher) -> None:
        """Call it with a message of this screen, so that a fault is the screen's; once for all until then."""
        if callback not in self._due and is_living(self) and self.call_later(self._call_due, callback):
            self._due.add(callback)

    def _call_due(self, callback: Watcher) -> None:
        if callback in self._due:
            self._due.remove(callback)
            if is_living(self):
                callback()

    def while_living(self, work: Coroutine[Any, Any, None]) -> Coroutine[Any, Any, None]:
        """Return the work, for a task of the app: it ends when this is closed."""
        return WhileLiving(self, lambda: work)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close this screen with an answer; nothing happens unless it is the one on top."""
        future = self._result_callbacks[-1].future if self._result_callbacks else None
        is_answered = future is not None and future.done()
        if not self.app.screen_stack or self.app.screen is not self or is_answered:
            return AwaitComplete()
        return super().dismiss(result)

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Return the widget drawn in that cell, which may be removed until the next layout."""
        widget, offset = super().get_widget_and_offset_at(x, y)
        is_gone = widget is not None and widget is not self and widget.parent is None
        return (None, None) if is_gone else (widget, offset)

    def _screen_resized(self, size: Size) -> None:
        # A screen that is opened gets a new size, so does every screen below it. Each layout sends the
        # screen its size again: two that are in flight at once would take turns for ever.
        if size == self.app.size and size != self._compositor.size:
            super()._screen_resized(size)

    def _pop_result_callback(self) -> None:
        # Closed without an answer: who waits must not wait for ever.
        future = self._result_callbacks[-1].future
        if future is not None and not future.done():
            future.set_result(None)
            self.was_closed = True
        super()._pop_result_callback()

    def on_unmount(self) -> None:
        for _, stop in tuple(self._followed):
            stop()
        # Textual keeps a thousand pairs of colours with what asked for them: all that gone widgets drew.
        StylesCache.get_inner_outer.cache_clear()

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Keep the computed styles of a screen that was just mounted, which Textual would compute again."""
        event.refresh_styles = event.refresh_styles and self._was_on_top
        self._was_on_top = True

    async def _pre_process(self) -> bool:
        # Textual sets the breakpoint classes with the first layout, and then lays out again.
        breakpoints = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for length, points in zip(self.app.size, breakpoints, strict=True):
            self.add_class(*self._get_breakpoint_classes(length, points or []), update=False)
        # What could not be composed or mounted is closed as everything else is, by its messages.
        await super()._pre_process()
        return True

    async def _process_messages_loop(self) -> None:
        await until_closed(self, super()._process_messages_loop)

    def _invoke_later(self, callback: Callable[[], Any], sender: MessagePump) -> None:
        super()._invoke_later(partial(_call, sender, callback), sender)


def keep_all_edits(screens: Sequence[Screen[Any]]) -> str:
    """Store what was entered in these screens and not saved; return the sentence about it."""
    try:
        edited = [
            screen.keep_edits(screens[place + 1 :])
            for place, screen in enumerate(screens)
            if isinstance(screen, Lifecycle)
        ]
    except (OSError, ValueError, RecursionError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else type(fault).__name__
        return f"What you entered could not be kept: {why}."
    names = ", ".join(filter(None, edited))
    return f"What you entered in {names} is kept, and offered there again." if names else ""


class OwnedScreen(Lifecycle[ScreenResultType], Screen[ScreenResultType], Generic[ScreenResultType]):
    """A screen that fills the terminal."""


async def _call(sender: MessagePump, callback: Callable[[], Any]) -> None:
    if is_living(sender):
        result = callback()
        if isawaitable(result):
            await result
