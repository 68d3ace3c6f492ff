"""The form of experiments in the whole program: new, existing and refused ones."""

from tests.doubles.targeting import group, variants
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import edit, fill, stand_on
from tests.journeys.steps import another_key, revoke, stand_on_experiment
from tests.journeys.test_experiments_changed import read_stored, sent_requests

from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.details.metric_findings import metrics_of
from flagtui.models.json_value import JSON


async def test_new_experiment_is_composed_line_by_line_and_created(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.press("2", "n")
        await fill(program, "Big button", "a new flag", "big-button")
        await edit(program, "+ a variant", "loud")
        await stand_on(program, "test", "d", "ctrl+s")
        assert isinstance(program.app.screen, ExperimentForm), "shares of 50 % are not saved"
        await program.press("equals_sign")
        await edit(program, "+ a metric", "funnel", "plan upgraded", "enough", "Upgrades")
        await edit(program, "+ a shared metric", "Revenue", "secondary")
        await edit(program, "variant mix", "first")
        await edit(program, "method", "frequentist")
        await edit(program, "intervals", "90")
        flags = program.colleague().flags
        split: JSON = {"groups": [group(0)], "multivariate": variants(a=50, b=50)}
        theirs = await flags.create({"key": "big-button", "filters": split})
        await program.press("ctrl+s", toast="the flag big-button exists and has its own variants")
        await flags.delete(theirs.id)
        await program.press("ctrl+s", shows="big-button is created: control 50 % · loud 50 %, off")
        program.see("+ Upgrades (funnel plan upgraded)")
        assert sent_requests(program) == []
        await program.press("y")
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


async def test_existing_flags_unseen_events_and_a_revoked_key_are_taken(program: Program) -> None:
    await program.press("2", "n")
    await fill(program, "Second look", shows=("On which flag", "esc back"))
    await program.press("escape", shows="Second look")
    await program.press("enter")
    await fill(program, "search-suggestions", shows="stays as it is", lacks="+ a variant")
    await edit(program, "+ a metric", "funnel", "plan upgraded", shows="Step 2, after exposure")
    await program.press("escape", "escape", shows="What kind of metric")
    await program.press("enter", "enter", shows="Step 2, after exposure")
    await program.press("escape", "escape", "escape", front=ExperimentForm)
    await edit(program, "compared with", "test")
    await edit(program, "+ a metric", "mean", "no event is called this", "looked twice", "how often")
    await fill(program, "Looked twice")
    await edit(program, "+ a metric", "retention", "plan upgraded", "plan upgraded", "14 days")
    program.see("such as 1 to 14 days; units are")
    await fill(program, "1 to 14 days", "Stays")
    await edit(program, "Stays", "when they come back", "2 to 30 days")
    await edit(program, "Stays", "count from the last time")
    for name in ("Revenue", "Queries"):
        await edit(program, "+ a shared metric", name, "secondary")
    await edit(program, "+ a shared metric", shows="all are used here experiments create-metric makes one")
    await program.press("escape", "ctrl+s", shows="looked twice was never seen here")
    program.see("back 2 to 30 days after the last time)", "search-suggestions is used with its variants")
    await program.press("y")
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
    await edit(program, "description", "Kept through it all")
    revoke(program.wire, method="PATCH")
    await program.press("ctrl+s", "y", front=SignInScreen)
    await fill(program, another_key(program), shows="Kept through it all")
    await program.press("y")
    assert (await read_stored(program, "Length of the tour")).description == "Kept through it all"
    assert not isinstance(program.app.screen, ExperimentForm)


async def test_draft_and_ended_experiments_send_only_what_differs(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Length of the tour")
        before = await read_stored(program, "Length of the tour")
        await program.press("e")
        await edit(program, "description", "Three steps, or eight?")
        await edit(program, "First chart", "lower wins")
        await edit(program, "+ a metric", "mean", "plan upgraded", "how often", "Upgrades each")
        await stand_on(program, "Upgrades each", "less_than_sign")
        await stand_on(program, "test", "percent_sign")
        await fill(program, "40")
        await program.press("ctrl+s")
        assert isinstance(program.app.screen, ExperimentForm), "shares of 90 % are not saved"
        program.app.clear_notifications()
        await stand_on(program, "control", "percent_sign")
        await fill(program, "60")
        await program.press("ctrl+s", shows="variants: control 50 % · test 50 % → control 60 % · test 40 %")
        program.see("First chart: goal increase → decrease")
        await program.press("y")
        assert [line.split()[0] for line in sent_requests(program)] == ["PATCH"]
        after = await read_stored(program, "Length of the tour")
        assert [variant.rollout for variant in after.variants] == [60, 40]
        first, second = metrics_of(after)[:2]
        assert (first.name, second.name, second.goal) == ("Upgrades each", "First chart", "decrease")
        assert after.description == "Three steps, or eight?"
        assert after.metrics_secondary[0]["uuid"] == before.metrics_secondary[0]["uuid"]
        await program.press("u", "y")
        back = await read_stored(program, "Length of the tour")
        assert [variant.rollout for variant in back.variants] == [50, 50]
        assert back.description == before.description
        assert [metric.name for metric in metrics_of(back)] == [metric.name for metric in metrics_of(before)]

        await stand_on_experiment(program, "Sticky plan summary", "e", lacks=("VARIANTS", "holdout "))
        await edit(program, "conclusion  ", "lost")
        await edit(program, "comment ", "Worse on small screens.")
        await program.press("escape", shows="esc again discards")
        await program.press("ctrl+s", "y")
        after = await read_stored(program, "Sticky plan summary")
        assert (after.conclusion, after.conclusion_comment) == ("lost", "Worse on small screens.")


async def test_form_ends_staging_and_keeps_its_draft(program: Program) -> None:
    await stand_on_experiment(program, "Length of the tour", "e", "plus", toast="+: ⏎ on a line with + adds")
    await program.press("escape", "plus", "e")
    await stand_on(
        program, "First chart", "d", "ctrl+s", toast="primary metrics cannot be staged. + ends staging; then"
    )
    assert program.last_line.startswith("+ end staging")
    await program.press("plus", "ctrl+s", shows="− First chart")
    await program.press("y")
    assert len(sent_requests(program)) == 1
