"""A key press that changes a flag passes through few files, functions and types."""

from tests.doubles.whole_program import Setting, running
from tests.doubles.write_trace import tracing_writes


async def test_space_passes_through_few_files_and_functions(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        with tracing_writes() as trace:
            await program.press("space", "y")
        assert not (await program.stored("new-nav")).active
    # Polling may run meanwhile: a few functions more than the measured 123, 675 and 26.
    assert 60 < len(trace.files) <= 126
    assert 300 < len(trace.functions) <= 686
    assert 10 < len(trace.envelopes) <= 26, sorted(trace.envelopes)
