"""Finding a command by the words people have for it: its name, its key, its sentence, other words for it."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from flagtui.app.commands.command import SIGNS, Command

_WORD: Final = re.compile(r"\w+")
OTHER_WORDS: Final = {
    "flags.toggle": "enable disable activate deactivate switch kill stop",
    "flags.rollout": "percent percentage release ramp share",
    "flags.edit": "change modify rename condition variant description",
    "app.undo": "revert back oops",
    "app.redo": "again forward",
    "flags.delete": "remove rm trash",
    "flags.archive": "unarchive",
    "flags.tags": "label",
    "flags.edit_json": "editor vim raw",
    "flags.copy_to": "clone copy project",
    "flags.schedule": "plan later timer date",
    "flags.new": "create add make",
    "flags.who": "evaluate explain compare test person user debug why",
    "flags.history": "versions log audit diff restore",
    "flags.runtime": "filter server client",
    "flags.deleted": "restore undelete trash recover",
    "flags.ids": "number lookup",
    "flags.my_values": "me evaluate values",
    "flags.definitions": "local evaluation sdk export download",
    "flag.unmask": "mask hide reveal decrypt payload",
    "flag.cohort": "people group",
    "flag.dashboard": "usage chart insight",
    "flag.copy_value": "yank clipboard payload",
    "history.compare": "diff",
    "history.return": "revert restore rollback",
    "experiments.launch": "start begin run enable",
    "experiments.switch": "resume stop disable enable toggle",
    "experiments.end": "end stop conclude complete close",
    "experiments.ship": "winner release rollout",
    "experiments.edit": "change modify rename metric",
    "experiments.archive": "unarchive",
    "experiments.reset": "restart again",
    "experiments.duplicate": "clone copy project",
    "experiments.cohort": "people exposed",
    "experiments.delete": "remove rm trash",
    "experiments.edit_json": "editor vim raw",
    "experiments.new": "create add make test",
    "experiments.result": "filter won lost conclusion",
    "experiments.read": "recalculate reload significance",
    "experiments.metric": "chart plot series graph days",
    "events.inbox": "triage clean review",
    "events.verify": "approve",
    "events.hide": "show unhide",
    "events.describe": "edit comment rename",
    "events.edit_json": "editor vim raw",
    "events.describe_in_editor": "edit vim",
    "events.tags": "label",
    "events.owner": "assign responsible",
    "events.primary_property": "key",
    "events.enforcement": "schema allow reject mode",
    "events.delete": "remove rm",
    "event.code": "types code",
    "inbox.same_as": "merge duplicate twin",
    "inbox.next": "skip later",
    "inbox.apply": "save write",
    "inbox.reason": "filter",
    "activity.revert": "undo restore rollback",
    "activity.moment": "incident time when around",
    "activity.copy": "yank clipboard",
    "activity.export": "export save download markdown write",
    "journal.revert": "undo rollback",
    "journal.copy": "yank clipboard",
    "lists.open": "show detail view",
    "lists.search": "find filter query",
    "lists.state": "filter status on off running archived deleted stale draft",
    "lists.type": "filter",
    "lists.mine": "filter own creator owner",
    "lists.mark": "select tick",
    "lists.mark_range": "select",
    "lists.mark_shown": "select all none unmark",
    "lists.sort": "order",
    "lists.reverse": "order sort",
    "lists.columns": "fields layout",
    "lists.preview": "pane split details side",
    "lists.copy_key": "yank clipboard name",
    "lists.copy_menu": "yank clipboard url json curl command id",
    "lists.link": "url web open",
    "lists.links": "related dependents used jump",
    "lists.save_query": "bookmark name favourite view",
    "lists.first": "top",
    "lists.last": "bottom end",
    "form.save": "write apply",
    "form.remove": "delete",
    "form.undo": "restore back",
    "form.distribute": "equal split",
    "form.back": "close cancel",
    "app.flags": "list tab",
    "app.experiments": "exp list tab tests",
    "app.events": "list tab definitions",
    "app.activity": "log audit timeline list tab",
    "app.project": "team environment change",
    "app.profile": "account host server region instance",
    "app.journal": "log history mine",
    "app.since": "compare diff changed changes yesterday",
    "app.refresh": "reload update sync fetch",
    "app.sign_in": "login auth token",
    "app.suspend": "stop shell background",
    "app.quit": "exit close leave q!",
    "app.palette": "menu go jump",
    "app.help": "keys shortcuts bindings manual legend",
    "app.back": "close cancel clear leave",
}
"""By command: words that are not in its name or sentence."""

NEAR: Final = 4
"""From this grade on, records by name are offered before commands."""


def grade(command: Command, line: str) -> int | None:
    """How well a command fits what was typed, 0 the best; None when it does not.

    0 is one of its names or its key; 1 has every word in its sentence, or is another word for it; 2 begins
    its name, 3 another word for it, 4 has words that each begin one of its own, 5 has them somewhere.
    """
    typed = line.casefold().strip()
    words = typed.split()
    if not words:
        return 5
    name, others = command.id.partition(".")[2], OTHER_WORDS.get(command.id, "").split()
    title = command.title.casefold()
    keys = [SIGNS.get(key, key) for key in command.keys.split(",")]
    if typed in (command.id, name, title) or line.strip() in keys:
        return 0
    if typed in others or set(words) <= set(_WORD.findall(command.help.casefold())):
        return 1
    if title.startswith(typed) or name.startswith(typed) or command.id.startswith(typed):
        return 2
    if any(other.startswith(typed) for other in others):
        return 3
    text = f"{command.id} {title} {command.help.casefold()} {' '.join(others)}".replace("_", " ")
    parts = text.replace(".", " ").replace(",", " ").split()
    if all(any(part.startswith(word) for part in parts) for word in words):
        return 4
    return 5 if all(word in text for word in words) else None


def found(commands: Iterable[Command], line: str) -> list[tuple[int, Command]]:
    """The commands that fit, best first, with their grades; among equals the order they are given in."""
    graded = [(fit, command) for command in commands if (fit := grade(command, line)) is not None]
    return sorted(graded, key=lambda one: one[0])


def hits(text: str, line: str) -> Sequence[tuple[int, int]]:
    """Where the words typed stand in a text, from and to, in order."""
    folded, spans = text.casefold(), []
    if len(folded) != len(text):
        return ()
    for word in line.casefold().split():
        if (at := folded.find(word)) >= 0:
            spans.append((at, at + len(word)))
    return sorted(spans)
