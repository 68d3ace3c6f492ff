"""Keys that may not, profiles that only read, profiles that want the key typed."""

import httpx
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.flag_form import fill
from tests.journeys.steps import another_key

from flagtui.app.commands.command import binding_of
from flagtui.app.shell.footer import KeyLine
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.guard import GuardRules, Level
from flagtui.changes.journal_entries import Entry


async def test_forbidden_commands_are_dimmed_with_the_scope_in_help(program: Program) -> None:
    kinds = ("feature_flag", "experiment", "event_definition", "user", "project")
    await program.press("ctrl+l")
    await fill(program, another_key(program, *(f"{kind}:read" for kind in kinds)))
    for tab, writes in (
        ("1", {"switch", "delete", "undo"}),
        ("2", {"switch", "step('end')", "undo"}),
        ("3", {"verify", "hide", "delete", "undo"}),
    ):
        await program.press(tab)
        bindings = program.app.screen.active_bindings.values()
        enabled = {each.binding.action: each.enabled for each in bindings}
        assert {enabled[action] for action in writes} == {False}, tab
        assert enabled["open"] is True
        await program.press("V", "d")
    await program.press("question_mark", shows="needs event_definition:write")
    await program.press("escape")
    await take_nothing_back(program)
    program.see(sent=0)


async def take_nothing_back(program: Program) -> None:
    """In the journal the help names the scope of what the change under the cursor was made to."""
    here = program.signature
    scopes = {"flag": "feature_flag:write", "experiment": "experiment:write", KIND: "event_definition:write"}
    for place, kind in enumerate(scopes):
        program.journal.begin(Entry(kind, 9.0 - place, 1, "k", "edit", here, kind))
        program.journal.finish(kind, "saved")
    await program.press("J")
    for scope in scopes.values():
        await program.press("z", "question_mark")
        inside = [line.split("│")[1] for line in program.screen.splitlines() if line.count("│") > 1]
        assert f"Revert the marked changes, or this one needs {scope}" in words(" ".join(inside))
        await program.press("escape", "down")


async def test_read_only_profile_has_no_write_keys_with_reason(setting: Setting) -> None:
    careful = replace(setting, rules=GuardRules(Level.READ_ONLY, place="TEST"))
    async with running(careful) as program:
        actions = {each.binding.action for each in program.app.screen.active_bindings.values()}
        assert not actions & {"switch", "delete", "undo"}
        assert binding_of(program.app.screen, "space") is None
        assert "open" in actions
        assert not {"space", "%"} & set(program.last_line.split())
        program.see("read-only")
        await program.press("space")
        assert program.notices == ["on/off: TEST is read-only; nothing can be changed"]
        front = program.app.screen
        await program.press("n", "D", "%", "T", "E", "e", "a", "at")
        assert program.app.screen is front
        await program.press("4")
        assert "revert" not in program.last_line
        await program.press("z", "2")
        front = program.app.screen
        await program.press("space", "L", "F", "d", "n", "e")
        assert program.app.screen is front
        program.see(toast="TEST is read-only; nothing can be changed")
        await program.press("1")
        await program.go_to("new-nav", "h", "down")
        assert "restore" not in program.last_line
        await program.press("z", toast="restore: TEST is read-only; nothing can be changed")
        notice_count = len(program.notices)
        await program.press("f12", "down", "x")
        assert len(program.notices) == notice_count
        program.see(sent=0)


async def test_key_line_dims_forbidden_commands_from_the_start(setting: Setting) -> None:
    def confine(wire: Wire) -> None:
        scopes = {"id": "x", "label": "narrow", "scopes": ["feature_flag:read"], "scoped_teams": []}
        wire.answer("personal_api_keys", httpx.Response(200, json=scopes))

    async with running(setting, confine) as program:
        assert ("space", "$faint") in key_styles(program)
        assert ("⏎", "bold") in key_styles(program)
        program.wire.heal()
        await program.press("f5")
        assert ("space", "bold") in key_styles(program)


def key_styles(program: Program) -> list[tuple[str, str]]:
    """The keys on the last line and how they are drawn."""
    line = program.app.screen.query_one(KeyLine).render()
    return [(line.plain[span.start : span.end], str(span.style)) for span in line.spans]


async def test_strict_profile_needs_the_key_again_after_its_minutes(setting: Setting) -> None:
    strict = replace(setting, rules=GuardRules(Level.STRICT, place="PROD"), unlock=600.0)
    async with running(strict) as program:
        await program.go_to("new-nav", "space", "y", front=ConfirmScreen)
        await program.press("backspace", *"new-nav", "enter")
        assert not (await program.stored("new-nav")).active
        await program.press("space", "y")
        assert (await program.stored("new-nav")).active
        await program.press("d", shows="to confirm, type new-nav")
        await program.press("escape")
        program.timing.now += 600
        await program.press("space", shows="to confirm, type new-nav")


async def test_typed_overwrite_names_missing_input_and_the_confirming_key(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT, place="TEST", require_reason=True)
    answer = (*"kill-search-v2", "enter", *"why", "enter")
    async with running(replace(setting, size=(60, 15), rules=rules)) as program:
        await program.go_to("kill-search-v2", "%", *"40", "enter", *"kill", "enter")
        program.see("the typed text does not match")
        await program.press(*"-search-v2", "enter", *"why", "enter")
        assert program.journal.entries()[0].reason == "why"
        ours = await program.stored("kill-search-v2")
        theirs = {**ours.filters, "groups": [{**ours.filters["groups"][0], "rollout_percentage": 77}]}
        await program.colleague().flags.update(ours.id, {"filters": theirs})
        await program.press("u", shows="Cancel esc Overwrite mine tab ⏎")
        await program.press(*answer, shows=("you changed this later", "nothing was sent"))
        await program.press("tab", "tab", "enter")
        now = await program.stored("kill-search-v2")
        assert now.filters["groups"][0]["rollout_percentage"] == 0
