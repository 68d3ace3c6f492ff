"""The keys that sentences name: those that the user chose for the app, else the default ones."""

from collections.abc import Mapping
from typing import Final

DEFAULTS: Final[Mapping[str, str]] = {
    "activity.revert": "z",
    "app.activity": "4",
    "app.back": "esc",
    "app.code": "F6",
    "app.events": "3",
    "app.experiments": "2",
    "app.flags": "1",
    "app.help": "?",
    "app.journal": "J",
    "app.palette": ":",
    "app.profile": "P",
    "app.project": "p",
    "app.quit": "q",
    "app.redo": "U",
    "app.refresh": "F5",
    "app.sign_in": "ctrl+l",
    "app.stage": "+",
    "app.staged": "&",
    "app.tour": "F3",
    "app.undo": "u",
    "code.scan": "R",
    "days.read_again": "F5",
    "days.recalculate": "R",
    "deleted.restore": "z",
    "due.drop": "z",
    "events.inbox": "i",
    "experiments.edit_json": "E",
    "experiments.new": "n",
    "experiments.read": "R",
    "flag.copy_value": "y",
    "flag.unmask": "m",
    "flags.archive": "a",
    "flags.delete": "d",
    "flags.deleted": "ctrl+r",
    "flags.due": "F7",
    "flags.edit": "e",
    "flags.edit_json": "E",
    "flags.ids": "#",
    "flags.my_values": "I",
    "flags.new": "n",
    "flags.rollout": "%",
    "flags.toggle": "space",
    "form.back": "esc",
    "form.edit": "⏎",
    "form.remove": "d",
    "form.save": "ctrl+s",
    "history.compare": "x",
    "inbox.apply": "A",
    "inbox.describe": "e",
    "inbox.reason": "r",
    "inbox.same_as": "M",
    "inbox.take_tags": "+",
    "inbox.undo": "u",
    "journal.revert": "z",
    "lists.first": "g",
    "lists.mark_shown": "ctrl+a",
    "lists.open": "⏎",
    "lists.query_5": "5",
    "lists.query_6": "6",
    "lists.query_7": "7",
    "lists.query_8": "8",
    "lists.query_9": "9",
    "lists.save_query": "Q",
    "lists.search": "/",
    "staged.apply": "A",
    "staged.drop": "z",
    "staged.edit": "e",
}
"""By command: its default key, as users read it."""

_chosen: dict[str, str] = {}


def name_keys(signs: Mapping[str, str]) -> None:
    """Name these keys from now on, by command; the app calls this with the keys of the user."""
    _chosen.clear()
    _chosen.update(signs)


def key_sign(command: str) -> str:
    """Return the key of a command as users read it."""
    return _chosen.get(command, DEFAULTS[command])
