"""The form of experiments in the whole program: new, existing and refused ones."""

from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.keys import another_key, revoke, type_key
from tests.journeys.standing import stand_on_experiment
from tests.journeys.test_experiments_changed import read_stored, say_yes, sent_requests
from textual.widgets import Input, OptionList

from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.details.metric_findings import metrics_of


def go_to_line(program: Program, words: str) -> None:
    """Put the cursor of the form on the first line with these words."""
    assert isinstance(program.app.screen, ExperimentForm), program.screen
    options = program.app.screen.query_one(OptionList)
    places = range(options.option_count)
    options.highlighted = next(at for at in places if words in str(options.get_option_at_index(at).prompt))


async def open_line(program: Program, words: str, *answers: str) -> None:
    """Open a line of the form, and give its questions these answers, one after the other."""
    go_to_line(program, words)
    await program.press("enter")
    await answer(program, *answers)


async def answer(program: Program, *answers: str) -> None:
    """Type each answer over what a question suggests, or narrow a choice to it, and take it."""
    for text in answers:
        program.app.screen.query_one(Input).value = text
        await program.press("enter")


async def test_new_experiment_is_composed_line_by_line_and_created(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.press("2", "n")
        await answer(program, "Big button", "a new flag", "big-button")
        await open_line(program, "+ a variant", "loud")
        go_to_line(program, "test")
        await program.press("d", "ctrl+s")
        assert isinstance(program.app.screen, ExperimentForm), "shares of 50 % are not saved"
        await program.press("equals_sign")
        await open_line(program, "+ a metric", "funnel", "plan upgraded", "enough", "Upgrades")
        await open_line(program, "+ a shared metric", "Revenue", "secondary")
        await open_line(program, "variant mix", "first")
        await open_line(program, "method", "frequentist")
        await open_line(program, "intervals", "90")
        await program.press("ctrl+s")
        seen = words(program.screen)
        assert "big-button is created: control 50 % · loud 50 %, off" in seen
        assert "+ Upgrades (funnel plan upgraded)" in seen
        assert sent_requests(program) == []
        await say_yes(program)
        assert not isinstance(program.app.screen, ExperimentForm)
        made = await read_stored(program, "Big button")
        assert {variant.key: variant.rollout for variant in made.variants} == {"control": 50, "loud": 50}
        assert [(link.saved_metric, link.is_primary) for link in made.saved_metrics] == [(1, False)]
        assert (made.state, len(made.metrics), made.exposure_criteria["multiple_variant_handling"]) == (
            "draft",
            1,
            "first_seen",
        )
        expected = ("frequentist", {"alpha": 0.1})
        assert (made.stats_config["method"], made.stats_config["frequentist"]) == expected


async def test_existing_flags_unseen_events_and_a_revoked_key_are_taken(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2", "n")
        await answer(program, "Second look", "search-suggestions")
        assert "stays as it is" in program.screen
        assert "+ a variant" not in program.screen
        await open_line(program, "compared with", "test")
        await open_line(program, "+ a metric", "mean", "no event is called this", "looked twice", "how often")
        await answer(program, "Looked twice")
        await open_line(program, "+ a metric", "retention", "plan upgraded", "plan upgraded", "14 days")
        assert "such as 1 to 14 days; units are" in words(program.screen)
        await answer(program, "1 to 14 days", "Stays")
        await open_line(program, "Stays", "when they come back", "2 to 30 days")
        await open_line(program, "Stays", "count from the last time")
        for name in ("Revenue", "Queries"):
            await open_line(program, "+ a shared metric", name, "secondary")
        await open_line(program, "+ a shared metric")
        assert "all are used here experiments create-metric makes one" in words(program.screen)
        await program.press("escape")
        await program.press("ctrl+s")
        assert "looked twice was never seen here" in words(program.screen)
        assert "back 2 to 30 days after the last time)" in words(program.screen)
        assert "search-suggestions is used with its variants" in words(program.screen)
        await say_yes(program)
        made = await read_stored(program, "Second look")
        assert (made.feature_flag_key, len(made.metrics)) == ("search-suggestions", 2)
        assert made.stats_config["baseline_variant_key"] == "test"
        event = {"kind": "EventsNode", "event": "plan upgraded", "properties": []}
        ours = {"uuid", "name", "fingerprint", "kind", "goal"}
        assert {key: part for key, part in made.metrics[1].items() if key not in ours} == {
            "metric_type": "retention",
            "start_event": event,
            "completion_event": event,
            "retention_window_start": 2,
            "retention_window_end": 30,
            "retention_window_unit": "day",
            "start_handling": "last_seen",
        }

        await stand_on_experiment(program, "Length of the tour", "e")
        await open_line(program, "description", "Kept through it all")
        revoke(program.wire, "PATCH")
        await program.press("ctrl+s")
        await say_yes(program)
        assert isinstance(program.app.screen, SignInScreen)
        await type_key(program, another_key(program))
        assert "Kept through it all" in program.screen
        await say_yes(program)
        assert (await read_stored(program, "Length of the tour")).description == "Kept through it all"
        assert not isinstance(program.app.screen, ExperimentForm)


async def test_draft_and_ended_experiments_send_only_what_differs(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Length of the tour")
        before = await read_stored(program, "Length of the tour")
        await program.press("e")
        await open_line(program, "description", "Three steps, or eight?")
        await open_line(program, "First chart", "lower wins")
        await open_line(program, "+ a metric", "mean", "plan upgraded", "how often", "Upgrades each")
        go_to_line(program, "Upgrades each")
        await program.press("less_than_sign")
        go_to_line(program, "test")
        await program.press("percent_sign")
        await answer(program, "40")
        await program.press("ctrl+s")
        assert isinstance(program.app.screen, ExperimentForm), "shares of 90 % are not saved"
        program.app.clear_notifications()
        go_to_line(program, "control")
        await program.press("percent_sign")
        await answer(program, "60")
        await program.press("ctrl+s")
        seen = words(program.screen)
        assert "variants: control 50 % · test 50 % → control 60 % · test 40 %" in seen
        assert "First chart: goal increase → decrease" in seen
        await say_yes(program)
        assert [line.split()[0] for line in sent_requests(program)] == ["PATCH"]
        after = await read_stored(program, "Length of the tour")
        assert [variant.rollout for variant in after.variants] == [60, 40]
        first, second = metrics_of(after)[:2]
        assert (first.name, second.name, second.goal) == ("Upgrades each", "First chart", "decrease")
        assert after.description == "Three steps, or eight?"
        assert after.metrics_secondary[0]["uuid"] == before.metrics_secondary[0]["uuid"]
        await program.press("u")
        await say_yes(program)
        back = await read_stored(program, "Length of the tour")
        assert [variant.rollout for variant in back.variants] == [50, 50]
        assert back.description == before.description
        assert [metric.name for metric in metrics_of(back)] == [metric.name for metric in metrics_of(before)]

        await stand_on_experiment(program, "Sticky plan summary", "e")
        assert "VARIANTS" not in program.screen
        assert "holdout " not in program.screen
        await open_line(program, "conclusion  ", "lost")
        await open_line(program, "comment ", "Worse on small screens.")
        await program.press("escape")
        assert "esc again discards" in program.screen
        await program.press("ctrl+s")
        await say_yes(program)
        after = await read_stored(program, "Sticky plan summary")
        assert (after.conclusion, after.conclusion_comment) == ("lost", "Worse on small screens.")


async def test_form_ends_staging_and_keeps_its_draft(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_experiment(program, "Length of the tour", "e", "plus")
        assert "+: ⏎ on a line with + adds" in program.notices[-1]
        await program.press("escape", "plus", "e")
        go_to_line(program, "First chart")
        await program.press("d", "ctrl+s")
        assert "primary metrics cannot be staged. + ends staging; then" in words(program.notices[-1])
        assert program.last_line.startswith("+ end staging")
        await program.press("plus", "ctrl+s")
        assert "− First chart" in words(program.screen)
        await say_yes(program)
        assert len(sent_requests(program)) == 1
