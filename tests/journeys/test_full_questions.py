"""A question with more to tell than there is room: what answers it stays in sight."""

from dataclasses import replace

from tests.doubles.whole_program import Setting, running, words

from flagtui.changes.guard import GuardRules, Level


async def test_typed_overwrite_names_missing_input_and_the_confirming_key(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT, place="TEST", require_reason=True)
    answer = (*"kill-search-v2", "tab", *"why", "enter")
    async with running(replace(setting, size=(60, 15), rules=rules)) as program:
        await program.go_to("kill-search-v2")
        await program.press("%", *"40", "enter")
        await program.press(*answer)
        ours = await program.stored("kill-search-v2")
        theirs = {**ours.filters, "groups": [{**ours.filters["groups"][0], "rollout_percentage": 77}]}
        await program.colleague().flags.update(ours.id, {"filters": theirs})
        await program.press("u")
        assert "Cancel esc Overwrite theirs tab ⏎" in words(program.screen)
        await program.press(*answer)
        assert "another user changed this" in words(program.screen)
        assert "nothing was sent" in words(program.screen)
        await program.press("tab", "tab", "enter")
        assert (await program.stored("kill-search-v2")).filters["groups"][0]["rollout_percentage"] == 0
