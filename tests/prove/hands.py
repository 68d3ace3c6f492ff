"""Random input from a seed: keys, words, pastes, mouse, sizes, the palette, quick changes of tab."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

# fmt: off
SIZES: Final = (
    (132, 40), (100, 30), (80, 24), (60, 15), (40, 8), (39, 7), (20, 3), (200, 60), (132, 9),
    (1, 1), (2, 1), (1, 24), (5, 5), (7, 40), (8, 8), (39, 1), (200, 1),
)

_FUNCTION: Final = ("OP", "OQ", "OR", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~")
MOVES: Final = (
    *("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~", "\t", "\x1b[Z"),
)
LETTERS: Final = (
    "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 /?.,:;-_=+*#!<>[](){}'\"@&%$^~|\\`"
)
"""Every printable key but q, which leaves."""
CONTROL: Final = tuple(chr(code) for code in range(1, 27) if chr(code) not in "\x11\x1a")
"""ctrl with a letter, but for the ones that leave or stop."""
SPECIAL: Final = (
    "\r",
    "\x1b",
    "\x7f",
    "\x1b[3~",
    "\x1b[1;5A",
    "\x1b[1;5B",
    "\x1b[1;2A",
    *(f"\x1b{key}" for key in _FUNCTION),
)
WORDS: Final = (
    "check", "is:on", "type:experiment", "tag:x", "key:/a.*b/", "-is:off", "rollout:<50", "id:1", '"', "(",
    "flag", "tog", "help", "proj", "undo", "profile", "zz", "é", "日本", "👍", "💥" * 3,
    "50", "100", "new-flag", "x" * 300,
)
# fmt: on
ESCAPE: Final = 0.13
"""Seconds after which a terminal's escape is the key, and not the beginning of another."""
STAYS: Final = 0.15
"""How often the hands go on at a size that may be too small for anything."""
TABS: Final = ("1", "2", "3", "4")
OPENED: Final = ("1", "2", "3", "2", "3", "4")
"""The tabs whose records are opened: so flags, experiments and events come equally often."""


@dataclass(frozen=True)
class Operation:
    """One thing done, and how long the hands rest after it."""

    keys: str = ""
    size: tuple[int, int] | None = None
    rest: float = 0.0
    """Seconds."""
    until_asked: bool = False
    """The rest ends when a question takes an answer."""


def operations(seed: int) -> Iterator[Operation]:
    """Without an end; the same for the same seed."""
    random = Random(seed)
    size = SIZES[0]
    while True:
        for operation in _some(random, size):
            size = operation.size or size
            yield operation


def openings(seed: int) -> Iterator[Operation]:
    """Without an end: records of every list, opened and left before, while or after they are read."""
    random = Random(seed)
    while True:
        for tab in OPENED:
            yield Operation(tab, rest=0.4)
            for _ in range(10):
                yield Operation(random.choice(MOVES[:2]) * random.randint(1, 5))
                yield Operation("\r", rest=random.choice((0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8)))
                if random.random() < 0.2:
                    yield Operation(random.choice("]["), rest=random.choice((0.0, 0.1)))
                yield Operation("\x1b", rest=ESCAPE)


def _some(random: Random, size: tuple[int, int]) -> Iterator[Operation]:
    """A few operations that belong together."""
    return random.choices(_WAYS, _WEIGHTS)[0](random, size)


def _letter(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield _key(random, random.choice(LETTERS))


def _move(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield _key(random, random.choice(MOVES))


def _special(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield _key(random, random.choice((*CONTROL, *SPECIAL)))


def _usual(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield _key(random, random.choice(("\r", "\x1b", "\x1b", " ")))


def _word(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    for letter in random.choice(WORDS)[: random.randint(1, 12)]:
        yield Operation(letter)


def _paste(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield Operation(f"\x1b[200~{random.choice(WORDS) * random.choice((1, 1, 1, 50))}\x1b[201~")


def _resize(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    for _ in range(random.randint(1, 4)):
        yield Operation(size=random.choice(SIZES), rest=random.choice((0.0, 0.0, 0.05)))
    yield Operation(size=random.choice(SIZES if random.random() < STAYS else SIZES[:4]))


def _tour(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    for _ in range(random.randint(1, 6)):
        yield Operation(random.choice(TABS), rest=random.choice((0.0, 0.0, 0.02)))


def _hold(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    """A key held down, which comes several times in one packet."""
    yield Operation(random.choice((*MOVES, "\r", "\x1b", " ", *LETTERS)) * random.randint(2, 12))


def _look_away(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield Operation(random.choice(("\x1b[I", "\x1b[O")))


def _rest(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield Operation(rest=random.uniform(0.1, 0.5))


def _key(random: Random, keys: str) -> Operation:
    return Operation(keys, rest=random.choice((0.0, 0.0, 0.0, 0.01, 0.02, 0.05)))


def _mouse(random: Random, size: tuple[int, int]) -> Iterator[Operation]:
    x, y = random.randint(1, size[0]), random.randint(1, size[1])
    button = random.choice((0, 0, 0, 1, 2, 35, 64, 65))
    yield Operation(f"\x1b[<{button};{x};{y}M")
    if button < 3:
        for _ in range(random.choice((0, 0, 3))):
            x, y = random.randint(1, size[0]), random.randint(1, size[1])
            yield Operation(f"\x1b[<{button + 32};{x};{y}M")
        yield Operation(f"\x1b[<{button};{x};{y}m")


def _palette(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield Operation("\x10" * random.choice((1, 1, 2, 3)), rest=random.choice((0.0, 0.0, 0.1)))
    for letter in random.choice(("", "t", "pro", "he", "exp", "new", "hist", "che")):
        yield Operation(letter)
    yield Operation(random.choice(("\r", "\r", "\x1b", "\x10", "\x1b[B\r")), rest=random.choice((0.0, 0.1)))


def _visit(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    """Open a record and leave it again, before, while or after its answers come."""
    yield Operation(random.choice("1234"), rest=random.choice((0.0, 0.02)))
    yield Operation(random.choice(("\x1b[B", "\x1b[6~", "\x1b[H")) * random.randint(1, 5))
    yield Operation("\r", rest=random.choice((0.0, 0.0, 0.01, 0.05, 0.1, 0.2, 0.4)))
    for _ in range(random.randint(0, 3)):
        yield Operation(
            random.choice(("]", "[", "\t", "h", "v", "j", *LETTERS)), rest=random.choice((0.0, 0.05))
        )
    yield Operation("\x1b", rest=random.choice((0.0, 0.05, ESCAPE)))
    yield Operation("\x1b", rest=random.choice((0.0, ESCAPE)))


def _change(random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    """Begin a change, look at the question, and answer it one way or the other."""
    for _ in range(random.randint(1, 3)):
        yield Operation("\x1b", rest=ESCAPE)
    tab = random.choice("11111123")
    yield Operation(tab, rest=0.05)
    yield Operation("\x1b[B" * random.randint(0, 9))
    for _ in range(random.choice((0, 0, 0, 3))):
        yield Operation("x")
        yield Operation("\x1b[B")
    key = random.choice((*" " * 9, *"uUdarvhplm"))
    # A question takes no answer before it was quiet for a moment.
    is_patient = random.random() < 0.7
    yield Operation(key, rest=2.0 if is_patient else 0.2, until_asked=is_patient)
    yield Operation(random.choice(("y", "y", "y", "\x1b", "\r", "o")), rest=random.choice((0.0, 0.3)))


def _undo(_random: Random, _size: tuple[int, int]) -> Iterator[Operation]:
    yield Operation("\x1b", rest=ESCAPE)
    yield Operation("u", rest=2.0, until_asked=True)
    yield Operation("y")


_WAYS: Final = (
    *(_letter, _move, _special, _usual, _word, _paste, _mouse, _resize),
    *(_palette, _tour, _visit, _change, _hold, _look_away, _rest, _undo),
)
_WEIGHTS: Final = (14, 12, 8, 12, 4, 2, 6, 3, 4, 5, 10, 8, 4, 1, 1, 2)
