"""Everyday words find their command."""

import pytest

from flagtui.app.commands.command_search import hits, rank_commands
from flagtui.app.commands.command_table import COMMANDS, commands_of

WORDS = {
    "activity.copy": "report, chat",
    "activity.export": "export, download",
    "activity.revert": "revert",
    "app.activity": "activity, log",
    "app.back": "close, cancel",
    "app.code": "code",
    "app.events": "events",
    "app.experiments": "exp",
    "app.flags": "flags",
    "app.help": "help, ?, keys, shortcuts, manual",
    "app.journal": "journal",
    "app.profile": "account, environment, profile",
    "app.project": "project, switch project",
    "app.quit": "quit, exit, q, q!, leave",
    "app.redo": "redo",
    "app.refresh": "refresh, reload, offline, retry",
    "app.settings": "config, settings, preferences",
    "app.sign_in": "login, logout, sign out, password, token",
    "app.since": "diff, incident, yesterday, recent",
    "app.stage": "stage, batch",
    "app.staged": "apply, plan",
    "app.suspend": "shell",
    "app.theme": "theme, dark, light, colour, color",
    "app.tour": "tour, tutorial",
    "app.undo": "undo, app.undo, oops",
    "event.code": "types, typescript",
    "events.describe": "describe",
    "events.enforcement": "reject, schema",
    "events.hide": "hide",
    "events.inbox": "inbox, triage",
    "events.owner": "owner, assign",
    "events.primary_property": "property",
    "events.verify": "verify",
    "experiments.edit": "metric",
    "experiments.end": "end, finish, conclude",
    "experiments.freeze": "freeze",
    "experiments.launch": "launch, start",
    "experiments.read": "results",
    "experiments.reset": "restart, reset, draft",
    "experiments.ship": "winner, ship",
    "experiments.switch": "stop, pause, resume",
    "flag.cohort": "cohort",
    "flag.dashboard": "dashboard, usage",
    "flag.unmask": "payload, secret, decrypt, reveal",
    "flags.archive": "archive, unarchive",
    "flags.copy_to": "clone, duplicate",
    "flags.definitions": "definitions, sdk",
    "flags.delete": "remove",
    "flags.deleted": "restore, deleted, trash, undelete, recover",
    "flags.due": "scheduled",
    "flags.edit": "variants, rename",
    "flags.edit_json": "edit json, E",
    "flags.history": "history, versions, rollback, audit",
    "flags.ids": "ids",
    "flags.my_values": "me",
    "flags.new": "create",
    "flags.rollout": "percent, rollout, release, ramp",
    "flags.schedule": "schedule, later, timer",
    "flags.tags": "tag, label",
    "flags.toggle": "enable, disable, kill, space",
    "flags.who": "who, people, user, evaluate",
    "form.save": "save",
    "inbox.same_as": "merge",
    "lists.columns": "columns",
    "lists.copy_key": "yank",
    "lists.copy_menu": "curl",
    "lists.first": "top",
    "lists.last": "bottom",
    "lists.link": "url, browser",
    "lists.mark": "mark, select",
    "lists.mark_shown": "select all",
    "lists.open": "open",
    "lists.preview": "preview",
    "lists.save_query": "bookmark",
    "lists.search": "filter, search",
    "lists.sort": "sort, order",
    "page.next_tab": "next",
}
"""By command: everyday words that find it."""
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
    "lists.state": "stale",
}
"""By command: everyday words that put it first."""


def pairs(words: dict[str, str]) -> list[tuple[str, str]]:
    return [(word, id) for id, several in words.items() for word in several.split(", ")]


def ranked(word: str, *places: str) -> list[str]:
    """The ids of the commands that a word finds, in all places or in these."""
    commands = commands_of(*places) if places else COMMANDS
    return [command.id for _, command in rank_commands(commands, word)]


@pytest.mark.parametrize(("word", "id"), pairs(WORDS))
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
