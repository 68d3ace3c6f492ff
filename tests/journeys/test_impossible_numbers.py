"""Numbers beyond 64 bits, dates beyond the calendar and half characters cost a field, not the program."""

import json
from collections.abc import Mapping
from itertools import product
from typing import Final

import httpx
from tests.doubles.flag_server import raw_flag
from tests.doubles.slices import long
from tests.doubles.turned_clock import start_polling
from tests.doubles.whole_program import Setting, running
from tests.doubles.wire import Fault

from flagtui.models.json_value import JSON

VALUES: Final = (
    (
        str(2**63),
        str(2**64),
        str(-(2**63) - 1),
        "1" + "0" * 400,
        "1e308",
        "1e400",
        '"\\ud800"',
        json.dumps("x" * 100_000),
        '"0001-01-01T00:00:00+14:00"',
        '"9999-12-31T23:59:59-12:00"',
    ),
    ("NaN", "-Infinity", "9" * 5_000),
)
"""What a server could write for any member, and below what is no JSON or too much for one of its readers."""
MOMENT: Final = "2026-03-01T12:00:00Z"
ADA: Final[JSON] = {"id": 7, "email": "ada@acme.test"}
ENTRY: Final[JSON] = {"name": "checkout-v2", "changes": [{"field": "version", "before": 4, "after": 5}]}
RECORDS: Final[Mapping[str, tuple[str, dict[str, JSON]]]] = {
    "1": ("/feature_flags/", raw_flag(created_at=MOMENT)),
    "2": (
        "/experiments/",
        {"id": 5, "name": "Odd experiment", "feature_flag": {"id": 812, "key": "checkout-v2"},
         "holdout_id": 3, "start_date": MOMENT, "end_date": None, "created_at": MOMENT},
    ),
    "3": (
        "/event_definitions/",
        {"id": "u-5", "name": "odd event", "owner": ADA, "action_id": 3,
         "created_at": MOMENT, "last_seen_at": MOMENT},
    ),
    "4": (
        "/activity/",
        {"id": "a-5", "item_id": "812", "activity": "updated", "scope": "FeatureFlag", "user": ADA,
         "created_at": MOMENT, "detail": ENTRY},
    ),
}  # fmt: skip
"""By the key of its list: the end of its address, and a record with what numbers and dates it has."""


def odd_page(record: dict[str, JSON], values: tuple[str, ...]) -> bytes:
    """The record with each member in turn replaced by each value, and once as it is."""
    members = {name: json.dumps(each) for name, each in record.items()}
    pairs = list(product(members, values))
    odd = [{**members, "id": str(900 + place), name: value} for place, (name, value) in enumerate(pairs)]
    if "detail" in record:
        versions = (f'{{"changes": [{{"field": "version", "after": {value}}}]}}' for value in values)
        odd += [{**members, "id": f'"v{place}"', "detail": each} for place, each in enumerate(versions)]
    texts = [", ".join(f'"{name}": {each}' for name, each in each.items()) for each in (*odd, members)]
    return f'{{"count": {len(texts)}, "results": [{", ".join(f"{{{text}}}" for text in texts)}]}}'.encode()


def answering(path: str, body: bytes) -> Fault:
    """Answers this list with that page."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(200, content=body) if request.url.path.endswith(path) else None

    return answer


@long
async def test_impossible_numbers_in_polled_rows_end_nothing(setting: Setting) -> None:
    setting = Setting(setting.template, setting.folder, snapshots=True)
    async with running(setting) as program:
        clock = await start_polling(program, 60.0)
        for tab, (path, record) in RECORDS.items():
            await program.press(tab)
            for values in VALUES:
                program.wire.before = answering(path, odd_page(record, values))
                await program.press("f5", "end")
                clock.turn(60.0)
                await program.settle()
                assert program.app._exception is None, path
        program.wire.before = lambda request: None
        await program.press("1", "f5")
        assert "synced just now" in program.header


async def test_uncacheable_list_is_marked_beside_its_age(setting: Setting) -> None:
    (setting.folder / "rows").write_text("a file in the place of the folder")
    setting = Setting(setting.template, setting.folder, snapshots=True)
    async with running(setting) as program:
        assert "synced just now, not cached" in program.header
