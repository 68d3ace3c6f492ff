"""Above the tabs: which flag this is and how it stands, in two lines; and the tabs themselves."""

from collections.abc import Iterator
from typing import Final

from flagtui.app.flags.flag_preview import badges, mark_and_version
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.widgets.line import cut
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.styled import Piece

TITLES: Final = {
    "overview": ("Overview", "Over"),
    "conditions": ("Conditions", "Cond"),
    "variants": ("Variants", "Var"),
    "reach": ("Reach", "Reach"),
    "who": ("Who", "Who"),
    "history": ("History", "Hist"),
    "links": ("Links", "Links"),
    "json": ("JSON", "JSON"),
}
"""Each tab's title, and what it is called where there is little room."""


def head_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """`● key #812 v12  ON EXPERIMENT all runtimes`, and the description below."""
    row = study.details.row
    mark, version = mark_and_version(row)
    tail = f"  #{row.id}{version}   "
    shown = [*badges(row)]
    room = width - 2 - len(tail) - sum(len(text) for text, _ in shown)
    if room < 12:
        yield [
            mark,
            (cut(safe_text(row.key, 200), max(8, width - 2 - len(tail))), "bold"),
            (tail, "$text-muted"),
        ]
        yield shown
    else:
        yield [mark, (cut(safe_text(row.key, 200), room), "bold"), (tail, "$text-muted"), *shown]
    about = safe_lines(row.name, 400, 1) if row.name else ["no description"]
    yield [(cut(about[0], width), "$text-muted" if row.name else "$faint")]
