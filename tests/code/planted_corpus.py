"""Source files in many languages with known references, for measuring what the scan recognises."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.code.language_samples import SAMPLES, Sample

Expected = tuple[str, int, str, str]
"""Path, line, kind and key of a reference."""


WRAPPERS: Final = ("useGate", "use_gate", "UseGate")


@dataclass
class Corpus:
    """The files that were written, and what is in them."""

    expected: list[Expected] = field(default_factory=list)
    comment_lines: set[tuple[str, int]] = field(default_factory=set)


@dataclass(frozen=True)
class Keys:
    """The keys to plant, by what they show."""

    used: tuple[str, ...]
    """Called in every language."""
    wrong_fallback: str
    """Serves `true` to everyone; the code falls back to false."""
    events: tuple[str, ...]
    commented: tuple[str, ...]
    """Named in comments only."""


def plant(root: Path, keys: Keys) -> Corpus:
    """Write a file, a test file and a generated file for each language."""
    corpus = Corpus()
    for name, sample in SAMPLES.items():
        stem = f"planted_{name}"
        lines = _File(f"src/{name}/{stem}.{sample.extension}", sample)
        for number, (line, kind, key) in enumerate(_lines(sample, keys)):
            lines.add(line, kind, key, number)
        lines.write(root, corpus)
        tests = _File(f"src/{name}/{sample.test_file.format(stem=stem)}", sample)
        for number, key in enumerate(keys.used):
            tests.add(sample.call, "test", key, number)
        tests.write(root, corpus)
    return corpus


def _lines(sample: Sample, keys: Keys) -> Iterator[tuple[str, str, str]]:
    for key in keys.used:
        yield sample.call, "call", key
        yield sample.server, "call", key
        yield sample.wrapper, "wrapper", key
        yield sample.text, "string", key
        yield sample.constant, "constant", key
        yield sample.named, "constant", key
    for _ in range(2):
        yield sample.fallback, "call", keys.wrong_fallback
        yield sample.dynamic, "call", ""
    for key in keys.events:
        yield sample.event, "call", key
    for key in (*keys.used, *keys.commented):
        for comment in sample.comments:
            yield comment, "comment", key
    for decoy in sample.decoys:
        yield decoy, "", ""


class _File:
    def __init__(self, path: str, sample: Sample) -> None:
        self.path = path
        self.sample = sample
        head = sample.head.replace("{{stem}}", "").replace("{{", "{").replace("}}", "}")
        self.lines = head.split("\n") if head else []
        self.expected: list[Expected] = []
        self.comments: set[tuple[str, int]] = set()
        self.name = ""

    def add(self, template: str, kind: str, key: str, number: int) -> None:
        """Add the lines of one reference."""
        if not template:
            return
        if "{name}" in template and template != self.sample.named:
            self.name = f"{'NAME_' if self.sample.upper else 'name'}{number}"
        text = template.format(
            key=key, name=self.name, fallback="false", fallback_bool="false", fallback_py="False"
        )
        for line in text.split("\n"):
            self.lines.append(line)
            if kind and (not key or f'"{key}"' in line or f"'{key}'" in line or f"`{key}`" in line):
                self._expect(kind, key)
        if template == self.sample.named:
            self._expect(kind, key)

    def _expect(self, kind: str, key: str) -> None:
        self.expected.append((self.path, len(self.lines), kind, key))
        if kind == "comment":
            self.comments.add((self.path, len(self.lines)))

    def write(self, root: Path, corpus: Corpus) -> None:
        """Write the file and add what is in it to the corpus."""
        tail = self.sample.tail.replace("}}", "}")
        path = root / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*self.lines, *(tail.split("\n") if tail else []), ""]), encoding="utf-8")
        corpus.expected += self.expected
        corpus.comment_lines |= self.comments
