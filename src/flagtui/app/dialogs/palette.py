"""What the palette offers: every command that works here, and a jump to any record by name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from flagtui.app.commands.command import display_key
from flagtui.app.widgets.screen_lifecycle import Lifecycle, is_living
from flagtui.safe_text import safe_text

HINT = "a word of a command, or of a record's name"
JUMPS = 50
"""Names offered at most: matching a hundred thousand is quick, listing them is not."""


@dataclass(frozen=True)
class Jump:
    """A record the palette can go to. `name` is raw."""

    name: str
    about: str
    go: Callable[[], None]


@runtime_checkable
class Jumpable(Protocol):
    """A screen that can go to records by name."""

    def jumps(self, words: str, limit: int) -> Iterable[Jump]: ...


class CommandsHere(Provider):
    """The commands of the screen underneath, read from its live bindings."""

    async def discover(self) -> Hits:
        for title, run in self._commands():
            yield DiscoveryHit(Content(title), run, text=title)

    async def search(self, query: str) -> Hits:
        words = query.casefold().split()
        for place, (title, run) in enumerate(self._commands()):
            # Whole parts of words only: a name that fits must not drown in commands that nearly do.
            if all(word in title.casefold() for word in words):
                starts = (
                    any(part.startswith(words[0]) for part in title.casefold().split()) if words else True
                )
                score = (0.95 if starts else 0.4) - place / 1000
                yield Hit(score, Content(title), run, text=title)

    def _commands(self) -> Iterable[tuple[str, Callable[[], object]]]:
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if active.enabled and binding.tooltip and binding.action.removeprefix("app.") not in seen:
                seen.add(binding.action.removeprefix("app."))
                key = display_key(self.app, binding)
                run = partial(self._run, binding.action, active.node)
                yield f"{binding.tooltip}  ({key})", run

    async def _run(self, action: str, node: DOMNode) -> None:
        """What it belongs to may have been closed meanwhile."""
        if is_living(node):
            await self.app.run_action(action, node)


class RecordsByName(Provider):
    """The records of the screen underneath whose name has the words typed."""

    async def search(self, query: str) -> Hits:
        screen = self.screen
        if not isinstance(screen, Jumpable):
            return
        for place, jump in enumerate(screen.jumps(query, JUMPS)):
            name = safe_text(jump.name, 80)
            about = safe_text(jump.about, 100)
            # Below commands with a word that begins like this, above those that merely contain it.
            score = 0.8 - place / 1000
            yield Hit(score, Content(f"→ {name}"), jump.go, text=name, help=Content(about))  # type: ignore[arg-type]  # drawn as content


class Palette(Lifecycle[None], CommandPalette):
    """Textual's palette, over the commands and records of the screen underneath; one at a time."""

    IS_SINGLE = True

    def __init__(self) -> None:
        super().__init__({CommandsHere, RecordsByName}, placeholder=HINT)

    def _action_command_list(self, action: str) -> None:
        # Pages are counted in lines, and there are none before the first layout.
        if action not in ("page_up", "page_down") or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
