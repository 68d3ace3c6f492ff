"""The way of every change, held by a kind of record that nobody has: what an adapter gets without asking."""

import asyncio
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.errors import ApiError, ErrorFacts, RateLimited, Unanswered, Unreachable
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.pipeline import (
    LOOKS,
    STOPPED,
    Concluded,
    Remembered,
    look_up,
    stops_all,
    write,
    write_together,
)

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"
HERE: Final = Signature("alice@acme.com", "prod", "https://us.example", "1")
SLOW_DOWN: Final = ErrorFacts("POST", True, status=429, retry_after=3)


@dataclass(frozen=True)
class Kettle:
    """What is to be boiled."""

    key: str
    water: float


@dataclass(frozen=True)
class Boiled:
    """How it ended."""

    ending: Ending
    why: str = ""
    journal_id: str = ""
    note: str = ""


@dataclass
class Approval:
    """A yes; the guard has its own tests."""

    plans: tuple[Kettle, ...]
    without_journal: bool = False
    reason: str = "tea"
    batch: str = ""


@dataclass
class Kitchen:
    """The adapter: a server that fails as told, and notices what it is asked."""

    journal: Journal
    faults: list[ApiError] = field(default_factory=list)
    boils_at: int | None = None
    """The look at which it has boiled; None never."""
    moved: bool = False
    longest_wait: float = 10.0
    asked: list[str] = field(default_factory=list)
    open_when_asked: list[bool] = field(default_factory=list)

    def remembered(self, plan: Kettle) -> Remembered:
        return Remembered(key=plan.key, verb="boil", kind="kettle", after={"water": plan.water})

    async def changed_since_read(self, plan: Kettle) -> Boiled | None:
        return Boiled("conflicted") if self.moved else None

    async def send(self, plan: Kettle) -> Boiled:
        self.asked.append(f"send {plan.key}")
        self.open_when_asked.append(any(entry.is_open for entry in self.journal.entries()))
        if self.faults:
            raise self.faults.pop(0)
        return Boiled("saved")

    def without_answer(self, plan: Kettle, error: ApiError) -> Boiled:
        return Boiled("unknown", error.what)

    async def look(self, plan: Kettle, unknown: Boiled) -> Boiled:
        looks = sum(one == "look" for one in self.asked)
        self.asked.append("look")
        return Boiled("saved") if looks == self.boils_at else unknown

    def waiting_words(self, unknown: Boiled) -> str:
        return "still cold"

    def not_applied(self, plan: Kettle, error: ApiError) -> Boiled:
        return Boiled("failed" if isinstance(error, Unreachable) else "refused", error.what)

    def not_remembered(self, plan: Kettle, fault: JournalUnwritable) -> Boiled:
        return Boiled("refused", str(fault))

    def concluded(self, ended: Boiled) -> Concluded:
        return Concluded(note=ended.why)

    def noted(self, ended: Boiled, journal_id: str, note: str) -> Boiled:
        return replace(ended, journal_id=journal_id, note=note)


@dataclass
class Around:
    """What every request needs around it."""

    journal: Journal
    signature: Signature = HERE
    clock: SteadyClock = field(default_factory=SteadyClock)
    told: list[str] = field(default_factory=list)

    def tell(self, words: str) -> None:
        self.told.append(words)


KETTLE: Final = Kettle("kettle", 1.5)


@pytest.fixture
def around(tmp_path: Path) -> Around:
    return Around(Journal(tmp_path / "journal"))


async def boil(kitchen: Kitchen, around: Around, **more: Any) -> Boiled:
    approved: Any = Approval((KETTLE,), **more)
    return await write(approved, KETTLE, kitchen, around)


async def test_it_is_on_disk_before_it_leaves_and_its_ending_after(around: Around) -> None:
    kitchen = Kitchen(around.journal)
    ended = await boil(kitchen, around)
    (entry,) = around.journal.entries()
    assert kitchen.open_when_asked == [True]
    assert (ended.ending, entry.ending, entry.id) == ("saved", "saved", ended.journal_id)
    assert (entry.key, entry.verb, entry.kind, entry.reason) == ("kettle", "boil", "kettle", "tea")
    assert entry.after == {"water": 1.5}
    assert entry.pid > 0


async def test_what_moved_since_it_was_read_is_not_sent(around: Around) -> None:
    kitchen = Kitchen(around.journal, moved=True)
    assert (await boil(kitchen, around)).ending == "conflicted"
    assert (kitchen.asked, around.journal.entries()) == ([], [])


@pytest.mark.parametrize("boils_at", [0, 2, 4, None])
async def test_without_an_answer_it_is_looked_for_and_never_sent_again(
    boils_at: int | None, around: Around
) -> None:
    kitchen = Kitchen(around.journal, [Unanswered("No answer.")], boils_at)
    ended = await boil(kitchen, around)
    looks = len(LOOKS) if boils_at is None else boils_at + 1
    assert kitchen.asked == ["send kettle", *["look"] * looks]
    assert ended.ending == ("unknown" if boils_at is None else "saved")
    assert around.journal.entries()[0].ending == ended.ending
    assert around.told[0] == "kettle: no answer; looking whether it was done"
    assert around.told[1:] == ["still cold"] * (boils_at != 0)


async def test_a_server_that_cannot_be_reached_was_not_asked(around: Around) -> None:
    kitchen = Kitchen(around.journal, [Unreachable("No way there.")])
    assert (await boil(kitchen, around)).ending == "failed"
    assert kitchen.asked == ["send kettle"]
    assert around.journal.entries()[0].note == "No way there."


@pytest.mark.parametrize(("longest", "sent", "ending"), [(10.0, 2, "saved"), (1.0, 1, "refused")])
async def test_a_pause_that_the_server_asks_for_is_waited_for_inside_its_limits(
    longest: float, sent: int, ending: Ending, around: Around
) -> None:
    kitchen = Kitchen(around.journal, [RateLimited("Slower.", facts=SLOW_DOWN)], longest_wait=longest)
    began = around.clock.now
    assert (await boil(kitchen, around)).ending == ending
    assert len(kitchen.asked) == sent
    assert around.clock.now - began == (3 if sent == 2 else 0)
    assert len(around.journal.entries()) == 1


async def test_a_pause_is_waited_for_once(around: Around) -> None:
    faults: list[ApiError] = [RateLimited("Slower.", facts=SLOW_DOWN) for _ in range(3)]
    kitchen = Kitchen(around.journal, faults)
    assert (await boil(kitchen, around)).ending == "refused"
    assert len(kitchen.asked) == 2


@pytest.mark.parametrize("agreed", [False, True])
async def test_without_room_for_the_journal_it_goes_only_where_that_was_agreed(
    agreed: bool, tmp_path: Path
) -> None:
    around = Around(Journal(blocked(tmp_path)))
    kitchen = Kitchen(around.journal)
    ended = await boil(kitchen, around, without_journal=agreed)
    assert (ended.ending, len(kitchen.asked)) == (("saved", 1) if agreed else ("refused", 0))
    assert ended.journal_id == ""


def blocked(tmp_path: Path) -> Path:
    """A folder that cannot be: a file is in its place."""
    (tmp_path / "in the way").write_text("")
    return tmp_path / "in the way"


async def test_an_ending_that_cannot_be_written_down_is_told_and_not_raised(around: Around) -> None:
    class Filling(Kitchen):
        async def send(self, plan: Kettle) -> Boiled:
            for file in around.journal.folder.iterdir():
                file.unlink()
            around.journal.folder.rmdir()
            around.journal.folder.write_text("")
            return Boiled("saved")

    ended = await boil(Filling(around.journal), around)
    assert ended.ending == "saved"
    assert ended.note.startswith("how it ended could not be written down: ")


async def test_what_is_stopped_on_its_way_is_noted_as_not_known(around: Around) -> None:
    sent = asyncio.Event()

    class Endless(Kitchen):
        async def send(self, plan: Kettle) -> Boiled:
            sent.set()
            await asyncio.Event().wait()
            return Boiled("saved")

    task = asyncio.create_task(boil(Endless(around.journal), around))
    await sent.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (entry,) = around.journal.entries()
    assert (entry.ending, entry.note) == ("unknown", STOPPED)


async def test_plans_of_one_request_have_an_entry_each(around: Around) -> None:
    plans = [Kettle(name, 1.0) for name in ("one", "two", "three")]
    approved: Any = Approval(tuple(plans))

    async def send() -> list[Boiled]:
        return [Boiled("saved"), Boiled("refused", "no water"), Boiled("saved")]

    kitchen = Kitchen(around.journal)
    every = await write_together(approved, plans, kitchen, around, {"two": "earlier"}, send)
    entries = {entry.key: entry for entry in around.journal.entries()}
    assert [one.ending for one in every] == ["saved", "refused", "saved"]
    assert [entries[key].ending for key in ("one", "two", "three")] == ["saved", "refused", "saved"]
    assert (entries["two"].undoes, entries["two"].note, entries["one"].undoes) == ("earlier", "no water", "")


async def test_nobody_s_plan_is_never_sent(around: Around) -> None:
    approved: Any = Approval((Kettle("other", 1.0),))
    with pytest.raises(ValueError, match="nobody approved"):
        await write(approved, KETTLE, Kitchen(around.journal), around)


async def test_looks_are_at_their_moments(around: Around) -> None:
    began = around.clock.now
    await look_up(KETTLE, Boiled("unknown"), Kitchen(around.journal), around)
    assert around.clock.now - began == LOOKS[-1]


def test_what_would_happen_to_the_next_one_stops_all() -> None:
    assert stops_all(Boiled("unknown"), None, by_journal=False)
    assert stops_all(Boiled("refused"), RateLimited("Slower."), by_journal=False)
    assert stops_all(Boiled("refused"), None, by_journal=True)
    assert not stops_all(Boiled("refused"), None, by_journal=False)


@pytest.mark.parametrize(
    "words", ["journal.begin", "pid=os.getpid()", "LOOKS: Final = (0.0", "uuid4().hex,\n        at="]
)
def test_what_every_change_needs_stands_in_one_place(words: str) -> None:
    found = [path.name for path in SOURCE.rglob("*.py") if words in path.read_text(encoding="utf-8")]
    assert found == ["pipeline.py"]
    assert len(re.findall(re.escape(words), (SOURCE / "changes" / "pipeline.py").read_text())) == 1
