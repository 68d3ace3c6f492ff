"""Everyday words find their command."""

import pytest

from flagtui.app.commands.command_search import found, hits
from flagtui.app.commands.command_table import COMMANDS, commands_of

WORDS = {
    "undo": "app.undo",
    "quit": "app.quit",
    "exit": "app.quit",
    "q": "app.quit",
    "q!": "app.quit",
    "help": "app.help",
    "?": "app.help",
    "journal": "app.journal",
    "inbox": "events.inbox",
    "launch": "experiments.launch",
    "start": "experiments.launch",
    "enable": "flags.toggle",
    "disable": "flags.toggle",
    "kill": "flags.toggle",
    "restart": "experiments.reset",
    "clone": "flags.copy_to",
    "duplicate": "flags.copy_to",
    "percent": "flags.rollout",
    "rollout": "flags.rollout",
    "export": "activity.export",
    "create": "flags.new",
    "remove": "flags.delete",
    "restore": "flags.deleted",
    "login": "app.sign_in",
    "refresh": "app.refresh",
    "reload": "app.refresh",
    "project": "app.project",
    "account": "app.profile",
    "columns": "lists.columns",
    "filter": "lists.search",
    "diff": "app.since",
    "schedule": "flags.schedule",
    "stop": "experiments.switch",
    "winner": "experiments.ship",
    "url": "lists.link",
    "curl": "lists.copy_menu",
    "bookmark": "lists.save_query",
    "flags": "app.flags",
    "exp": "app.experiments",
    "events": "app.events",
    "activity": "app.activity",
    "app.undo": "app.undo",
    "who": "flags.who",
    "edit json": "flags.edit_json",
    "space": "flags.toggle",
    "E": "flags.edit_json",
}


@pytest.mark.parametrize("word", WORDS)
def test_an_everyday_word_finds_its_command_among_the_first(word: str) -> None:
    first = [command.id for _, command in found(COMMANDS, word)][:8]
    assert WORDS[word] in first, first


FIRST = {
    "on": "flags.toggle",
    "off": "flags.toggle",
    "turn off": "flags.toggle",
    "stop": "flags.toggle",
    "new": "flags.new",
    "add": "flags.tags",
    "delete": "flags.delete",
    "undo": "app.undo",
    "back": "app.back",
    "edit": "flags.edit",
    "json": "flags.edit_json",
    "copy": "lists.copy_key",
    "find": "lists.search",
    "project": "app.project",
    "explain": "flags.who",
    "stale": "lists.state",
    "dark": "app.theme",
}


@pytest.mark.parametrize("word", FIRST)
def test_an_everyday_word_puts_the_command_that_says_it_first(word: str) -> None:
    (_, first), *_ = found(commands_of("flags", "lists", "everywhere"), word)
    assert first.id == FIRST[word]


def test_an_exact_name_comes_before_what_merely_begins_so() -> None:
    ids = [command.id for _, command in found(commands_of("flags", "lists", "everywhere"), "sort")]
    assert ids[0] == "lists.sort"
    assert next(fit for fit, _ in found(COMMANDS, "tag")) == 2
    assert found(COMMANDS, "no such thing") == []


def test_letter_finds_the_command_with_that_exact_key() -> None:
    assert [command.id for fit, command in found(COMMANDS, "Z") if fit == 0] == ["experiments.reset"]
    assert "experiments.reset" not in [command.id for fit, command in found(COMMANDS, "z") if fit == 0]


def test_typed_words_are_located_for_highlighting() -> None:
    assert hits("Turn the flag on or off", "flag turn") == [(0, 4), (9, 13)]
    assert hits("Turn the flag", "zzz") == []
