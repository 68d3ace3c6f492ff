"""Scripts of steps: what to start, what to press, what to wait for. The .tty files here are examples.

    name LABEL                     in tables
    default NAME=VALUE ...         of a {NAME} placeholder; script.tty:NAME=VALUE,... overrides it
    env NAME=VALUE | size 120x40 | quiet MS
    setup COMMAND                  once, unmeasured, before the first run
    cmd COMMAND                    {here} is the folder of the script
    step LABEL VERB ARGUMENTS [option=value ...]

verbs: wait REGEX · key K... · type TEXT · paste TEXT · burst K · burst_type TEXT · idle SECONDS · quit K
options: count, warm (samples left out), rate (a second), timeout (seconds), quiet (ms), until (REGEX)
"""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

KEYS = {
    "down": "\x1b[B",
    "up": "\x1b[A",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pgdn": "\x1b[6~",
    "pgup": "\x1b[5~",
    "enter": "\r",
    "tab": "\t",
    "esc": "\x1b",
    "bs": "\x7f",
    "space": " ",
}
OPTIONS = ("count", "warm", "rate", "timeout", "quiet", "until")


@dataclass(frozen=True)
class Step:
    label: str
    verb: str
    arguments: tuple[str, ...]
    options: dict[str, str]

    def number(self, option: str, otherwise: float) -> float:
        return float(self.options.get(option, otherwise))

    def presses(self) -> list[str]:
        """What is sent, one sample each."""
        if self.verb in {"type", "burst_type"}:
            return list(self.arguments[0])
        if self.verb == "paste":
            return [self.arguments[0]]
        return [key_bytes(key) for key in self.arguments] * int(self.number("count", 1))


@dataclass
class Script:
    here: Path
    name: str = ""
    command: list[str] = field(default_factory=list)
    setup: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    size: tuple[int, int] = (120, 40)
    quiet: float = 0.2
    steps: list[Step] = field(default_factory=list)


def key_bytes(name: str) -> str:
    if name.startswith("ctrl+"):
        return chr(ord(name[5:].upper()) - 64)
    return KEYS.get(name, name)


def load_script(argument: str) -> Script:
    """Read `path` or `path:NAME=VALUE,...`."""
    path, _, given = argument.partition(":")
    script = Script(Path(path).resolve().parent)
    values = {"here": str(script.here)}
    overrides = dict(pair.split("=", 1) for pair in given.split(",") if pair)
    for line in Path(path).read_text().splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] == "default":
            values |= dict(pair.split("=", 1) for pair in words[1:])
            values |= overrides
        else:
            _read_line(script, words[0], [_filled(word, values) for word in words[1:]])
    return script


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _read_line(script: Script, kind: str, words: list[str]) -> None:
    if kind == "name":
        script.name = words[0]
    elif kind == "env":
        script.environment |= dict(word.split("=", 1) for word in words)
    elif kind == "size":
        width, height = words[0].split("x")
        script.size = (int(width), int(height))
    elif kind == "quiet":
        script.quiet = float(words[0]) / 1000
    elif kind == "setup":
        script.setup = shlex.join(words).replace("'>'", ">").replace("'&&'", "&&")
    elif kind == "cmd":
        script.command = words
    elif kind == "step":
        options = dict(word.split("=", 1) for word in words[2:] if word.partition("=")[0] in OPTIONS)
        arguments = tuple(word for word in words[2:] if word.partition("=")[0] not in OPTIONS)
        script.steps.append(Step(words[0], words[1], arguments, options))
    else:
        raise SystemExit(f"{script.here}: a line cannot begin with {kind!r}")
