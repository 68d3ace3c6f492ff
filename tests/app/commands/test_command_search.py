"""Everyday words find their command."""

import pytest

from flagtui.app.commands.command_search import hits, rank_commands
from flagtui.app.commands.command_table import COMMANDS, commands_of

WORDS = {
    "activity.copy": "report, chat",
    "activity.export": "download",
    "app.activity": "log",
    "app.back": "close, cancel",
    "app.experiments": "exp",
    "app.help": "?, keys, shortcuts, manual",
    "app.profile": "account, environment",
    "app.project": "switch project",
    "app.quit": "exit, q, q!, leave",
    "app.refresh": "reload, offline, retry",
    "app.settings": "config, preferences",
    "app.sign_in": "login, logout, sign out, password, token",
    "app.since": "diff, incident, yesterday, recent",
    "app.stage": "batch",
    "app.staged": "apply, plan",
    "app.suspend": "shell",
    "app.theme": "dark, light, colour, color",
    "app.tour": "tutorial",
    "app.undo": "app.undo, oops",
    "event.code": "types, typescript",
    "events.enforcement": "reject, schema",
    "events.inbox": "triage",
    "events.owner": "assign",
    "events.primary_property": "property",
    "experiments.edit": "metric",
    "experiments.end": "finish, conclude",
    "experiments.launch": "start",
    "experiments.read": "results",
    "experiments.reset": "restart, draft",
    "experiments.ship": "winner",
    "experiments.switch": "stop, pause, resume",
    "flag.dashboard": "usage",
    "flag.unmask": "payload, secret, decrypt, reveal",
    "flags.archive": "unarchive",
    "flags.copy_to": "clone, duplicate",
    "flags.definitions": "sdk, git",
    "flags.delete": "remove",
    "flags.deleted": "restore, trash, undelete, recover",
    "flags.due": "scheduled",
    "flags.edit": "variants, rename",
    "flags.edit_json": "E",
    "flags.history": "versions, rollback, audit, blame",
    "flags.my_values": "me",
    "flags.new": "create, add",
    "flags.rollout": "percent, release, ramp, gradual",
    "flags.schedule": "later, timer",
    "flags.tags": "tag, label",
    "flags.toggle": "enable, disable, kill, space",
    "flags.who": "people, user, evaluate",
    "inbox.same_as": "merge",
    "lists.copy_key": "yank",
    "lists.copy_menu": "curl",
    "lists.first": "top",
    "lists.last": "bottom",
    "lists.link": "url, browser",
    "lists.mark": "select",
    "lists.mark_shown": "select all",
    "lists.save_query": "bookmark",
    "lists.search": "filter",
    "lists.sort": "order",
    "page.next_tab": "next",
}
"""By command: everyday words that find it; the last word of its id finds each."""
FIRST = {
    "app.back": "back",
    "app.experiments": "exp",
    "app.project": "project",
    "app.quit": "q",
    "app.theme": "dark",
    "app.undo": "undo",
    "flags.delete": "delete",
    "flags.edit": "edit",
    "flags.edit_json": "json",
    "flags.new": "new",
    "flags.tags": "add",
    "flags.toggle": "on, off, switch, turn off, stop",
    "flags.who": "explain",
    "lists.copy_key": "copy",
    "lists.search": "find",
    "lists.state": "stale, cleanup, unused",
}
"""By command: everyday words that put it first."""


def pairs(words: dict[str, str]) -> list[tuple[str, str]]:
    return [(word, id) for id, several in words.items() for word in several.split(", ")]


def ranked(word: str, *places: str) -> list[str]:
    """The ids of the commands that a word finds, in all places or in these."""
    commands = commands_of(*places) if places else COMMANDS
    return [command.id for _, command in rank_commands(commands, word)]


OWN = [(command.id.rpartition(".")[2].replace("_", " "), command.id) for command in COMMANDS]


@pytest.mark.parametrize(("word", "id"), [*OWN, *pairs(WORDS)])
def test_an_everyday_word_finds_its_command_among_the_first(word: str, id: str) -> None:
    assert id in ranked(word)[:8]


@pytest.mark.parametrize(("word", "id"), [*pairs(FIRST), ("sort", "lists.sort")])
def test_an_everyday_word_puts_the_command_that_says_it_first(word: str, id: str) -> None:
    assert ranked(word, "flags", "lists", "everywhere")[0] == id


def test_exact_names_and_keys_come_first() -> None:
    assert next(fit for fit, _ in rank_commands(COMMANDS, "tag")) == 2
    assert ranked("no such thing") == []
    exact = {key: [command.id for fit, command in rank_commands(COMMANDS, key) if fit == 0] for key in "zZ"}
    assert exact["Z"] == ["experiments.reset"]
    assert "experiments.reset" not in exact["z"]


def test_typed_words_are_located_for_highlighting() -> None:
    assert hits("Turn the flag on or off", "flag turn") == [(0, 4), (9, 13)]
    assert hits("Turn the flag", "zzz") == []
