"""A record of megabytes is read beside the event loop."""

import httpx
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.servers import MakeClient

CALLS = 3_000
"""Of the loop's thread, whatever the size of the record."""


async def test_heavy_record_is_read_in_a_thread(make_client: MakeClient) -> None:
    for count in (1, 5_000):
        raw = heavy.with_conditions(count)
        answer = httpx.Response(200, json=raw)
        client = make_client(lambda request, answer=answer: answer)
        await client.flags.get(901)
        with counting_calls() as calls:
            flag = await client.flags.get(901)
            assert flag.targeting.rollout == min(count - 1, 100)
            assert len(flag.targeting.conditions) == count
        assert calls.count < CALLS
