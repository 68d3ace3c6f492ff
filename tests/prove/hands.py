"""Random input from a seed: keys, words, pastes, mouse, sizes, the palette, quick changes of tab."""

from collections.abc import Callable, Iterator, Sequence
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
    *("\r", "\x1b", "\x7f", "\x1b[3~", "\x1b[1;5A", "\x1b[1;5B", "\x1b[1;2A"),
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


class Hands(Random):
    """Random choices for a terminal of some size."""

    size = SIZES[0]


Way = Callable[[Hands], Iterator[Operation]]


def operations(seed: int) -> Iterator[Operation]:
    """Without an end; the same for the same seed."""
    hands = Hands(seed)
    while True:
        for operation in hands.choices([*_WAYS], [*_WAYS.values()])[0](hands):
            hands.size = operation.size or hands.size
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


def _one_of(keys: Sequence[str]) -> Way:
    """One key of these."""

    def press(random: Hands) -> Iterator[Operation]:
        yield Operation(random.choice(keys), rest=random.choice((0.0, 0.0, 0.0, 0.01, 0.02, 0.05)))

    return press


def _word(random: Hands) -> Iterator[Operation]:
    for letter in random.choice(WORDS)[: random.randint(1, 12)]:
        yield Operation(letter)


def _paste(random: Hands) -> Iterator[Operation]:
    yield Operation(f"\x1b[200~{random.choice(WORDS) * random.choice((1, 1, 1, 50))}\x1b[201~")


def _resize(random: Hands) -> Iterator[Operation]:
    for _ in range(random.randint(1, 4)):
        yield Operation(size=random.choice(SIZES), rest=random.choice((0.0, 0.0, 0.05)))
    yield Operation(size=random.choice(SIZES if random.random() < STAYS else SIZES[:4]))


def _tour(random: Hands) -> Iterator[Operation]:
    for _ in range(random.randint(1, 6)):
        yield Operation(random.choice(TABS), rest=random.choice((0.0, 0.0, 0.02)))


def _hold(random: Hands) -> Iterator[Operation]:
    """A key held down, which comes several times in one packet."""
    yield Operation(random.choice((*MOVES, "\r", "\x1b", " ", *LETTERS)) * random.randint(2, 12))


def _look_away(random: Hands) -> Iterator[Operation]:
    yield Operation(random.choice(("\x1b[I", "\x1b[O")))


def _rest(random: Hands) -> Iterator[Operation]:
    yield Operation(rest=random.uniform(0.1, 0.5))


def _mouse(random: Hands) -> Iterator[Operation]:
    def place() -> str:
        return f"{random.randint(1, random.size[0])};{random.randint(1, random.size[1])}"

    at = place()
    button = random.choice((0, 0, 0, 1, 2, 35, 64, 65))
    yield Operation(f"\x1b[<{button};{at}M")
    if button < 3:
        for _ in range(random.choice((0, 0, 3))):
            at = place()
            yield Operation(f"\x1b[<{button + 32};{at}M")
        yield Operation(f"\x1b[<{button};{at}m")


def _palette(random: Hands) -> Iterator[Operation]:
    yield Operation("\x10" * random.choice((1, 1, 2, 3)), rest=random.choice((0.0, 0.0, 0.1)))
    for letter in random.choice(("", "t", "pro", "he", "exp", "new", "hist", "che")):
        yield Operation(letter)
    yield Operation(random.choice(("\r", "\r", "\x1b", "\x10", "\x1b[B\r")), rest=random.choice((0.0, 0.1)))


def _visit(random: Hands) -> Iterator[Operation]:
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


def _change(random: Hands) -> Iterator[Operation]:
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


def _undo(_random: Hands) -> Iterator[Operation]:
    yield Operation("\x1b", rest=ESCAPE)
    yield Operation("u", rest=2.0, until_asked=True)
    yield Operation("y")


_WAYS: Final[dict[Way, int]] = {
    _one_of(LETTERS): 14, _one_of(MOVES): 12, _one_of((*CONTROL, *SPECIAL)): 8,
    _one_of(("\r", "\x1b", "\x1b", " ")): 12, _word: 4, _paste: 2, _mouse: 6, _resize: 3, _palette: 4,
    _tour: 5, _visit: 10, _change: 8, _hold: 4, _look_away: 1, _rest: 1, _undo: 2,
}  # fmt: skip
"""How often each comes."""
