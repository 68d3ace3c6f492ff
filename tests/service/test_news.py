"""Streams of news: one event for all changes since the last, until the server stops."""

from flagtui.service.news import News

EVENT = b'data: {"type":"refetchEvaluation"}\n\n'


async def test_changes_since_the_last_event_are_one_event() -> None:
    news = News()
    news.announce()
    events = news.events(heartbeat=0)
    assert await anext(events) == b": connected\n\n"
    news.announce()
    news.announce()
    assert await anext(events) == EVENT
    assert await anext(events) == b":\n\n"


async def test_streams_get_each_change_until_the_server_ends() -> None:
    news = News()
    streams = [news.events() for _ in range(3)]
    for stream in streams:
        await anext(stream)
    news.announce()
    assert [await anext(stream) for stream in streams] == [EVENT] * 3
    news = News()
    waiting, later = news.events(), news.events()
    await anext(waiting)
    news.announce()
    news.end()
    assert [event async for event in waiting] == []
    assert [event async for event in later] == [b": connected\n\n"]
