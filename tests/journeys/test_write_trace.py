"""A key press that changes a flag passes through few files, functions and types."""

from tests.doubles.whole_program import Setting, running
from tests.doubles.write_trace import tracing_writes


async def test_space_passes_through_few_files_and_functions(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        with tracing_writes() as off:
            await program.press("space", "y")
        assert not (await program.stored("new-nav")).active
        with tracing_writes() as on:
            await program.press("space", "y")
        assert (await program.stored("new-nav")).active
        with tracing_writes() as off_again:
            await program.press("space", "y")
    # On a busy machine polling, or a word for a slow save, runs meanwhile: rarely in all three.
    assert 60 < len(off.files & on.files & off_again.files) <= 121
    assert 300 < len(off.functions & on.functions & off_again.functions) <= 668
    assert 10 < len(off.envelopes & on.envelopes & off_again.envelopes) <= 26
