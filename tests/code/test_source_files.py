"""Which files of a tree are read: git, walks, ignored and skipped ones."""

import os
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from flagtui.code.file_content import BATCH_BYTES, SIZE_LIMIT, FileReader, stamp_of
from flagtui.code.path_patterns import match_patterns
from flagtui.code.source_files import SourceError, find_root, list_changed, list_files

HOUR = 3_600 * 10**9
"""In nanoseconds."""


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(root: Path, *words: str) -> None:
    options = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *options, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, src__a_dot_py="a", src__b_dot_py="b", _dot_gitignore="*.log\n", x_dot_log="x")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_files_are_tracked_ones_of_the_folder_that_is_named(repository: Path) -> None:
    write(repository, src__new_dot_py="new")
    tree = list_files(find_root([repository / "src"], repository), [repository])
    assert tree.files == [".gitignore", "src/a.py", "src/b.py"]
    root = find_root([repository / "src"], repository / "src")
    assert root == repository
    assert list_files(root, [repository / "src"]).files == ["src/a.py", "src/b.py"]
    git(repository, "rm", "-q", "--cached", "src/a.py", "src/b.py")
    (problem,) = list_files(root, [repository / "src"]).problems
    assert problem == f"git tracks no file in {repository}/src, so none is read; new files need git add."


def test_changed_files_differ_from_the_revision_or_are_ignored(repository: Path) -> None:
    write(repository, src__b_dot_py="changed")
    assert list_changed(repository, "HEAD") == {"src/b.py"}
    git(repository, "checkout", "-q", "-b", "other")
    write(repository, src__a_dot_py="other")
    git(repository, "commit", "-q", "-m", "other", "src/a.py")
    git(repository, "checkout", "-q", "-")
    # Only what changed on this branch: the other one went on.
    assert list_changed(repository, "other") == {"src/b.py"}
    write(repository, _dot_flagtuiignore="src/a.*\n")
    tree = list_files(repository, [repository])
    assert "src/a.py" not in tree.files
    assert tree.skipped["ignored"] == 1


def test_hook_in_a_linked_worktree_finds_files(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = repository / "linked"
    git(repository, "worktree", "add", "-q", str(linked))
    monkeypatch.setenv("GIT_DIR", str(repository / ".git/worktrees/linked"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git/worktrees/linked/index"))
    root = find_root([linked / "src"], linked)
    assert list_files(root, [linked / "src"]).files == ["src/a.py", "src/b.py"]


def test_git_gets_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nprintf 'key:%s\\0' \"$FLAGTUI_API_KEY\"\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_secret")
    assert list_files(tmp_path, [tmp_path]).files == ["key:"]


@pytest.mark.parametrize("revision", ["nowhere", "--output=/tmp/x", "-h"])
def test_unknown_revision_is_an_error(repository: Path, revision: str) -> None:
    with pytest.raises(SourceError, match="no revision"):
        list_changed(repository, revision)


def test_folders_outside_a_repository_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is in no git repository"):
        list_changed(tmp_path, "HEAD")
    inner = tmp_path / "src"
    inner.mkdir()
    assert find_root([inner], tmp_path) == tmp_path.resolve()
    assert find_root([tmp_path], inner) == tmp_path.resolve()


def test_walk_obeys_gitignore_at_every_level(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="", b_dot_log="", _dot_gitignore="*.log\n/build/\n", build__c_dot_py="")
    write(tmp_path, src__d_dot_py="", src__e_dot_py="", src___dot_gitignore="e.py\n", src__build__f_dot_py="")
    tree = list_files(tmp_path, [tmp_path])
    assert tree.files == [".gitignore", "a.py", "src/.gitignore", "src/build/f.py", "src/d.py"]
    assert tree.skipped["ignored"] == 2
    write(tmp_path, src__g_dot_log="")
    assert "src/g.log" not in list_files(tmp_path, [tmp_path / "src"]).files


def test_malformed_patterns_are_reported_and_match_nothing(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="", b_dot_log="", _dot_gitignore="!\n*.log\n", _dot_flagtuiignore="a.*\n[z-a]\n")
    tree = list_files(tmp_path, [tmp_path])
    assert tree.files == [".flagtuiignore", ".gitignore"]
    assert tree.problems == [
        ".flagtuiignore:2: '[z-a]' is no pattern; it matches nothing.",
        ".gitignore:1: '!' is no pattern; it matches nothing.",
    ]


SEGMENTS: Final = ("**", "*", "a", "b", "a*", "*a*b", "a***b", "?*b", "[!a]*b*", r"\*a*", "*.a*")
NAMES: Final = ("a", "b", "ab", "aab", "ba", "*a", "b.a", "aba.ab")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=6).map("/".join),
    st.sampled_from(("", "/", "!")),
    st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=7).map("/".join), min_size=20),
)
def test_patterns_match_as_in_pathspec(pattern: str, sign: str, paths: list[str]) -> None:
    lines = ["*b", f"{sign}{pattern}"]
    expected = GitIgnoreSpec.from_lines(lines).match_file
    assert [*map(match_patterns(lines), paths)] == [*map(expected, paths)]


@pytest.mark.parametrize(("pattern", "path"), [
    ("*a" * 17 + "*b", "a" * 70), ("a/**/" * 8 + "b", "a/" * 300 + "c"),
    ("**/*a*a/**/*a*b/**/c", "aaa/" * 300),
])  # fmt: skip
def test_many_stars_take_no_longer_than_one(pattern: str, path: str) -> None:
    """Each way to share out the path among the stars would be tried, for years."""
    assert not match_patterns([pattern])(path)


def test_file_without_a_utf8_name_has_one_line(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="")
    Path(os.fsdecode(os.fsencode(tmp_path / "b") + b"\xff.py")).touch()
    tree = list_files(tmp_path, [tmp_path])
    assert (tree.files, tree.skipped) == (["a.py"], {"unreadable": 1})
    assert tree.problems == ["b\udcff.py is not read: its name is not UTF-8."]


def test_folder_named_like_a_pattern_is_that_folder_alone(repository: Path) -> None:
    for folder in ("[slug]", "s"):
        (repository / "pages" / folder).mkdir(parents=True)
        (repository / "pages" / folder / "b.py").touch()
    git(repository, "add", "-A")
    assert list_files(repository, [repository / "pages" / "[slug]"]).files == ["pages/[slug]/b.py"]


def test_vendored_folders_and_loops_of_links_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, node_modules__a_dot_js="", lib__vendor__b_dot_go="", c_dot_js="")
    assert list_files(tmp_path, [tmp_path]).files == ["c.js"]
    write(tmp_path, src__a_dot_py="")
    (tmp_path / "src" / "again").symlink_to(tmp_path)
    (tmp_path / "src" / "itself").symlink_to(tmp_path / "src" / "itself")
    tree = list_files(tmp_path, [tmp_path])
    assert tree.files == ["c.js", "src/a.py"]
    assert tree.skipped["links"] == 2


def test_proposals_are_no_code(repository: Path) -> None:
    folder = repository / ".flagtui" / "proposals"
    folder.mkdir(parents=True)
    (folder / "off.json").write_text('{"key": "new-nav"}')
    git(repository, "add", "-A")
    tree = list_files(repository, [repository])
    assert not any(".flagtui/" in name for name in tree.files)
    assert tree.skipped["ignored"] == 1


def test_folder_outside_root_is_an_error(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(SourceError, match="not inside"):
        list_files(repository, [tmp_path_factory.mktemp("other")])


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\x89PNG\0\0", "binary"), (b"a" * (SIZE_LIMIT + 1), "large"), (b"var a=1;" * 1_000, "minified")],
)
def test_files_without_source_are_skipped(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read(tmp_path, "file") == ({}, {reason: 1}, [])


def read(folder: Path, *names: str) -> tuple[dict[str, bytes], dict[str, int], list[str]]:
    """Return the contents, the counts of skipped files and the problems."""
    reader = FileReader(str(folder))
    contents = {
        name: batch.content(start, end) for batch in reader.batches(names) for name, start, end in batch.files
    }
    return contents, Counter[str](reader.skipped.values()), reader.problems


def test_files_that_can_be_stored_have_stamps(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    for settled, has_stamp in ((-HOUR, True), (HOUR, False), (None, False)):
        reader = FileReader(str(tmp_path), settled)
        assert [batch.files for batch in reader.batches(["a.py"])] == [[("a.py", 0, 1)]]
        assert ("a.py" in reader.stamps) == has_stamp


def test_file_with_a_time_after_2262_has_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.touch()
    before = stamp_of(file.stat())
    os.utime(file, (10**10, 10**10))
    assert stamp_of(file.stat()) != before


def test_unreadable_links_pipes_and_deleted_files_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path, "link", "pipe", "gone") == ({"pipe": b""}, {"links": 1, "missing": 1}, [])
    name = "a" * 300
    problem = f"{name} cannot be read: File name too long."
    assert read(tmp_path, name) == ({}, {"unreadable": 1}, [problem])


def test_files_read_together_keep_their_own_bytes(tmp_path: Path) -> None:
    sizes = (0, 1, BATCH_BYTES // 3, BATCH_BYTES - 1, 3 * BATCH_BYTES, 5, 0)
    files = {f"{number}": bytes([65 + number, 10]) * (size // 2) for number, size in enumerate(sizes)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "picture").write_bytes(b"\0" * 100)
    assert read(tmp_path, "3", "picture", *sorted(files)) == (files, {"binary": 1}, [])
    names = [*files, "picture", *files]
    first_end = next(FileReader(str(tmp_path)).batches(names)).end
    for kept_bytes, count in ((first_end, 1), (first_end + 1, 2), (10 * BATCH_BYTES, 2)):
        reader = FileReader(str(tmp_path), kept_bytes=kept_bytes)
        batches = reader.batches(names)
        kept = [next(batches) for _ in range(2) if reader.keeps_batches]
        assert len(kept) == count
        reader.keeps_batches = False
        places = ((batch, place) for batch in chain(kept, batches) for place in batch.files)
        contents = [batch.content(start, end) for batch, (_, start, end) in places]
        assert contents == 2 * [*files.values()]


WINDOWS: Final = """
import os, sys
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "readv"):
    delattr(os, name)
os.supports_dir_fd = set()
from flagtui.code.file_content import FileReader
reader = FileReader(sys.argv[1], settled=0)
for batch in reader.batches(["a.py", "src/b.py", "gone.py", "src", "image"]):
    print([(name, batch.content(start, end)) for name, start, end in batch.files])
print(reader.skipped, sorted(reader.stamps))
"""
"""Reads files with what Windows has of a system's calls."""


def test_files_are_read_with_the_calls_of_windows(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="a", src__b_dot_py="bb", image="\0")
    command = [sys.executable, "-c", WINDOWS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    skipped = "{'gone.py': 'missing', 'src': 'submodules', 'image': 'binary'}"
    files = "[('a.py', b'a'), ('src/b.py', b'bb')]"
    expected = f"{files}\n{skipped} ['a.py', 'image', 'src/b.py']\n"
    assert (done.stderr, done.stdout) == ("", expected)
