"""Consequences name the ages of moments, which grow while a question is shown."""

from flagtui.changes.proposal import Consequence, consequence_with_age


def test_ages_of_a_consequence_move_and_others_stay() -> None:
    consequence = consequence_with_age(
        "Last change", ("sam, ", 60.0, ": on → off; ada, ", 0.0), 120.0, "warning"
    )
    shown = (consequence.label, consequence.text, consequence.tone)
    assert shown == ("Last change", "sam, 1 min ago: on → off; ada, 2 min ago", "warning")
    later = consequence.as_of(3 * 3_600.0)
    assert later.text == "sam, 2 h ago: on → off; ada, 3 h ago"
    assert later.as_of(120.0) == consequence
    assert consequence.as_of(36 * 3_600.0).text == "sam, 1 day ago: on → off; ada, 1 day ago"
    consequence = Consequence("Reach", "no one")
    assert consequence.as_of(1e9) is consequence
