"""The journal as an incident timeline, for people and for programs."""

from dataclasses import replace

from tests.changes.office import ENTRY, NOW

from flagtui.changes.journal_entries import Signature
from flagtui.changes.timeline import markdown, summary

SAVED = replace(ENTRY, ending="saved", saved_version=13, ended_at=NOW + 1)


def test_timeline_is_oldest_first_with_user_change_reason_and_outcome() -> None:
    text = markdown(
        [
            replace(SAVED, at=NOW + 90, id="b", verb="turn on", ending=""),
            replace(SAVED, reason="incident 12"),
        ],
        "Incident",
    )
    assert text == (
        "# Incident\n"
        "\n"
        "## 2026-05-28 (UTC)\n"
        "\n"
        "- **20:26:40** `checkout-v2`: turn off by ada@acme.test in prod. Saved as version 13.\n"
        "  - on → off\n"
        "  - why: incident 12\n"
        "- **20:28:10** `checkout-v2`: turn on by ada@acme.test in prod."
        " **not known whether it was applied**.\n"
        "  - on → off\n"
    )


def test_timeline_tells_undo_from_redo_and_empty_from_anonymous() -> None:
    undo = replace(SAVED, id="b", at=NOW + 1, direction="undo")
    redo = replace(SAVED, id="c", at=NOW + 2, direction="redo")
    endings = [
        line.rpartition("13")[2] for line in markdown([SAVED, undo, redo]).splitlines() if "13" in line
    ]
    assert endings == [".", " (undo).", " (redo)."]
    text = markdown([replace(SAVED, signature=Signature("", "prod"))], "Incident")
    assert "`checkout-v2`: turn off in prod. Saved as version 13." in text
    assert "Nothing was changed." in markdown([])
    assert summary(SAVED) == "checkout-v2: turn off, saved, v12 → v13"


def test_nothing_from_outside_becomes_markup_or_reaches_a_terminal() -> None:
    nasty = "x`](http://evil) <img src=x>\n# heading\x1b[2J\u202e|"
    text = markdown([replace(SAVED, key=nasty, reason=nasty, words=(nasty,), note=nasty)])
    lines = text.splitlines()
    assert len([line for line in lines if line.startswith("#")]) == 2
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert all("<img" not in line.replace("\\<img", "") for line in lines if "`" not in line)
