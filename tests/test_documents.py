"""What the documents say is what the program does. FLAGTUI_GOLDEN=write brings the key table up to date."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from flagtui import __version__
from flagtui.app.commands.command_table import COMMANDS, Command
from flagtui.app.flags.flag_columns import FLAG_LIST
from flagtui.cli.launch.app_session import checked_keymap
from flagtui.config.settings import parse_settings

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
KEYS = ROOT / "docs" / "settings.md"
BEGIN, END = "<!-- keys: made from the table of commands -->", "<!-- end of keys -->"
PLACES = {"everywhere": "everywhere", "lists": "lists", "flags": "flags"}


def key_table() -> str:
    lines = ["| key | where | what it does | name in the keymap |", "|---|---|---|---|"]
    lines += [
        f"| {keys_of(each)} | {', '.join(each.places)} | {each.help} | `{each.id}` |" for each in COMMANDS
    ]
    return "\n".join(lines)


def keys_of(command: Command) -> str:
    named = {
        "slash": "/",
        "colon": ":",
        "question_mark": "?",
        "percent_sign": "%",
        "at": "@",
        "pagedown": "PgDn",
        "pageup": "PgUp",
        "equals_sign": "=",
        "minus": "-",
    }
    return " ".join(f"`{named.get(key, key)}`" for key in command.keys.split(","))


def test_every_key_is_in_the_documents() -> None:
    text = KEYS.read_text(encoding="utf-8")
    if os.environ.get("FLAGTUI_GOLDEN") == "write":
        before, _, rest = text.partition(BEGIN)
        text = f"{before}{BEGIN}\n{key_table()}\n{END}{rest.partition(END)[2]}"
        KEYS.write_text(text, encoding="utf-8")
    assert f"{BEGIN}\n{key_table()}\n{END}" in text


def test_the_readme_names_only_keys_that_are_there() -> None:
    keys = {key for command in COMMANDS for key in re.findall(r"`([^`]+)`", keys_of(command))}
    shown = {"⏎", "Esc", "Tab", "↑", "↓", "…"}
    table = README.read_text(encoding="utf-8").partition("| key | what it does |")[2].partition("\n\n")[0]
    named = {key for row in table.splitlines()[2:] for key in re.findall(r"`([^`]+)`", row)}
    assert len(table.splitlines()) - 2 <= 20
    assert named - shown <= keys


def test_every_command_has_words_for_people() -> None:
    for command in COMMANDS:
        assert command.title, command.id
        assert command.help[0].isupper(), command.id
        assert not command.help.endswith("."), command.id
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)


GENERATED = re.compile(r"<!-- (\w+): made .*?<!-- end of \1 -->", re.DOTALL)
NO_GUIDES = {"architecture.md", "words.md"}
OF_ONE_FEATURE = {"change-sets.md", "code.md", "mirror.md"}
"""Guides of features beyond the records: one each, of at most a hundred lines."""


def test_guides_are_few_and_short() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    lengths = {name: len(GENERATED.sub("", text).splitlines()) for name, text in pages.items()}
    assert all(lengths.pop(name) <= 100 for name in OF_ONE_FEATURE)
    assert len(lengths.keys() - NO_GUIDES) <= 12
    assert sum(lengths.values()) <= 1_471
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 80


def test_changelog_has_this_version_after_unreleased_changes() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    versions = [line.split()[1].strip("[]") for line in lines if line.startswith("## ")]
    assert versions[:2] == ["Unreleased", __version__]
    headings = {line for line in lines if line.startswith("### ")}
    assert headings <= {"### Added", "### Changed", "### Fixed", "### Removed", "### Security"}
    assert all(not line.startswith("  ") for line in lines), "one line for each change"


def test_every_make_target_the_documents_name_is_there() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in [README, *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]:
        named = set(re.findall(r"\bmake ([a-z0-9-]+)", document.read_text(encoding="utf-8")))
        assert named - targets <= {"it", "the", "sure", "a"}, document.name


def settings_examples() -> Iterator[tuple[str, str]]:
    """Document and line, and the example there; the page of the mirror has overrides instead."""
    for document in [README, *sorted((ROOT / "docs").glob("*.md"))]:
        if document.name == "mirror.md":
            continue
        text = document.read_text(encoding="utf-8")
        for block in re.finditer(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield f"{document.name}:{text[: block.start()].count(chr(10)) + 1}", block[1]


@pytest.mark.parametrize(("where", "example"), [*settings_examples()])
def test_every_settings_example_of_the_documents_starts_the_program(where: str, example: str) -> None:
    settings = parse_settings(example)
    keymap = checked_keymap(settings)
    assert set(settings.keys) == set(keymap), where
    shown = [column.name for column in FLAG_LIST.columns_named(settings.columns.get("flags", ()))]
    assert {"state", "key"} <= set(shown), f"{where} hides whether a flag is on"


def test_every_picture_and_page_the_documents_link_to_is_there() -> None:
    for document in [README, *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            page = document.parent / name if name else document
            assert page.exists(), f"{document.name} links to {target}"
            assert not anchor or anchor in anchors(page), f"{document.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_test_the_documents_point_to_is_there() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    for document in [README, ROOT / "CONTRIBUTING.md", ROOT / "Makefile", *pages]:
        for target in re.findall(r"\btests/[\w/]+(?:\.\w+)?", document.read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{document.name} points to {target}"


def test_every_module_the_documents_name_is_there() -> None:
    rooms = {path.name for path in (ROOT / "src" / "flagtui").iterdir() if path.is_dir()}
    for document in [README, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        named = re.findall(r"`(?:src/flagtui/)?((\w+)/[\w/]*\w\.py)`", document.read_text(encoding="utf-8"))
        for target, room in named:
            if room in rooms:
                assert (ROOT / "src" / "flagtui" / target).exists(), f"{document.name} names {target}"


def test_what_the_workflow_runs_is_what_the_documents_say() -> None:
    text = README.read_text(encoding="utf-8") + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    commands = re.findall(r"- run: (.+)", (ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8"))
    assert len(commands) >= 5
    assert [each for each in commands if each not in text] == []


def test_the_demo_installs_no_test_tools() -> None:
    recipes = dict(re.findall(r"^(\S+): ([^\n#]*)", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert recipes["demo"].split() == recipes["serve"].split() == ["$(RUNNABLE)"]
    assert "$(READY)" in recipes["test"]


def test_nothing_names_the_host_of_a_registry() -> None:
    hosts = re.compile("pypi" + r"\.org|pythonhosted\." + "org|registry" + r"\.npmjs")
    suffixes = {".py", ".md", ".toml", ".yml", ".tcss", ".txt", ".cfg", ""}
    for folder in ("src", "tests", "docs", "benchmarks", "styles", ".github", ".ci"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                assert not hosts.search(path.read_text(encoding="utf-8")), path
    for path in ROOT.glob("*"):
        if path.is_file() and path.suffix in suffixes:
            assert not hosts.search(path.read_text(encoding="utf-8", errors="replace")), path
