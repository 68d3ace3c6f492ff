"""Two staged changes, and the set on disk, for journeys."""

from tests.doubles.whole_program import Program

from flagtui.changes.sets.project_set import StagedSet


def set_on_disk(program: Program) -> StagedSet:
    folder = program.app.app_state.session.state_folder / "sets"
    return StagedSet(folder, program.signature, "another program")


async def stage_two(program: Program) -> None:
    await program.go_to("new-nav", "plus", "space")
    await program.go_to("export-parquet", "percent_sign", *"40", "enter")
