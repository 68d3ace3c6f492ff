"""Completes names of records without loading what reads the command line, which takes longer."""

import os

NAMED = {
    "flags": (
        *("get", "history", "diff", "evaluate", "explain", "due", "status", "payload", "enable", "disable"),
        *("archive", "unarchive", "delete", "restore", "rollout", "tag", "edit", "copy", "schedule"),
        *("cohort", "dashboard"),
    ),
    "experiments": (
        *("get", "results", "timeseries", "history", "launch", "pause", "resume", "end", "ship", "archive"),
        *("unarchive", "reset", "duplicate", "copy", "delete", "restore", "cohort", "edit"),
    ),
    "events": (
        *("get", "verify", "unverify", "hide", "show", "delete", "tag", "describe", "owner", "property"),
        "enforce",
    ),
}
"""The commands whose first words name records."""
TAGGED = ("--add", "--remove", "--set")
"""The options of `tag` that take a tag of such records."""

_FORMS = {"bash_complete": "plain,{}", "zsh_complete": "plain\n{}\n_"}
"""How each shell reads a word; in fish the command line has to be read."""


def quick_words() -> "list[str] | None":
    """What to print for the shell; None where the command line has to be read."""
    form = _FORMS.get(os.environ.get("_FLAGTUI_COMPLETE", ""))
    if form is None:
        return None
    line, place = os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", "")
    words = line.split("\n") if "\n" in line else line.split()
    if not place.isdigit():
        return None
    before, begun = words[1 : int(place)], "".join(words[int(place) :][:1])
    if len(before) < 2 or before[1] not in NAMED.get(before[0], ()):
        return None
    known = TAGGED if before[1] == "tag" else ()
    if begun.startswith("-") or any(word.startswith("-") and word not in known for word in before):
        return None
    from flagtui.cli.known_words import known_words

    kind: Kind = before[0]  # type: ignore[assignment]  # one of the keys of NAMED
    return [form.format(word) for word in known_words(kind, "", "", begun, is_tag=before[-1] in known)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from flagtui.cli.known_words import Kind
