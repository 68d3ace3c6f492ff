"""A key press that changes a flag passes through few files, functions and types."""

from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.write_trace import WriteTrace, tracing_writes


async def switch(program: Program) -> WriteTrace:
    """Switch the flag under the cursor; draw the question and the list, as a terminal has them drawn."""
    with tracing_writes() as trace:
        for key in ("space", "y"):
            await program.press(key)
            program.draw()
    return trace


async def test_space_passes_through_few_files_and_functions(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        off = await switch(program)
        assert not (await program.stored("new-nav")).active
        on = await switch(program)
        assert (await program.stored("new-nav")).active
        again = await switch(program)
    # On a busy machine polling, a word for a slow save or a copy of the rows runs meanwhile: few in all three
    # (103 files and 631 functions idle).
    assert 60 < len(off.files & on.files & again.files) <= 104
    assert 300 < len(off.functions & on.functions & again.functions) <= 635
    assert 10 < len(off.envelopes & on.envelopes & again.envelopes) <= 16
