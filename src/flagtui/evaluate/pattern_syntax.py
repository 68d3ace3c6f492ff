"""Regular expressions of the server's engine written for the ``regex`` library, where both mean the same.

Patterns that the two, or versions of the server's engine, read differently are refused.
"""

import re
from typing import Final

import msgspec

from flagtui.evaluate.evaluation import UnsupportedPatternError, WrongPatternError
from flagtui.evaluate.pattern_budget import TooCostlyError

_ASCII_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7F", "blank": "\\t ",
    "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-\\/:-@\\[-`{-~",
    "space": "\\t\\n\\x0B\\x0C\\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_MOST_REPEATS: Final = 1000
"""More makes a program that may be too large for the server."""

_ESCAPE = re.compile(
    r"""\\(?: (?P<control>[nrtfvae]) | x(?P<hex>[0-9A-Fa-f]{2}) | [xu]\{(?P<long>[0-9A-Fa-f]{1,6})\}
        | u(?P<short>[0-9A-Fa-f]{4}) | (?P<kind>[dDsSwW]) | (?P<property>[pP](?:[A-Z]|\{\^?[A-Za-z_]+\}))
        | (?P<mark>[!-/:;=?@\[-`{-~\x20]) )""",
    re.VERBOSE,
)
_OUTSIDE = re.compile(
    r"""(?P<anchor>\\[bBAz]|\^|\$) | (?P<back>\\[1-9](?![0-9])|\\k<[A-Za-z_]\w*>|\(\?P=[A-Za-z_]\w*\))
      | (?P<look>\(\?<?[=!]) | (?P<named>\(\?P?<[A-Za-z_]\w*>) | (?P<plain>\(\?[:>]|\((?!\?))
      | (?P<flags>\(\?(?:[ims]+(?:-[ims]+)?|-[ims]+)[:)]) | (?P<close>\))
      | (?P<count>(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)
      | (?P<either>\|) | (?P<dot>\.) | (?P<set>\[) | (?P<escape>\\) | (?P<literal>[^{(])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_DEEPEST: Final = 100
"""Groups in groups, and sets in sets."""
_PROGRAM_LIMIT: Final = 5_000
"""Parts of a pattern with its counts written out, as ``regex`` does it; more fill the memory."""
_UNBROKEN: Final = 128
"""Parts before a break: ``regex`` prepares the search for a long text of like parts for seconds, untimed."""
_BREAK: Final = "(?!(?!))"
"""Matches everywhere, and ends a text that ``regex`` would search for as one."""
_SET_OPERATORS: Final = ("&&", "--", "~~")


def translate(pattern: str) -> str:
    """Translate a pattern for ``regex`` with its version 1 behaviour.

    Raises UnsupportedPatternError, WrongPatternError and TooCostlyError.
    """
    return _Translation(pattern).run()


class _Group(msgspec.Struct):
    names: tuple[str, ...]
    is_behind: bool
    """Whether it is, or is in, a look-behind, which must have one length."""
    is_look: bool
    is_empty: bool = True


class _Translation:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._broken_at = 0
        self._open_groups: list[_Group] = []
        self._closed: set[str] = set()
        """Names and numbers of groups that can be referred to."""
        self._count = 0
        self._is_multiline = False
        self._before = "start"
        self._set_depth = 0
        self._sizes = [0]
        """Parts so far: of the pattern, and of every open group."""
        self._last_size = 0
        """Parts of what a count would repeat."""

    def run(self) -> str:
        while self._at < len(self._pattern):
            match = _OUTSIDE.match(self._pattern, self._at)
            if match is None:
                raise UnsupportedPatternError(self._pattern)
            kind, written = match.lastgroup or "", match[0]
            if kind != "count" and len(self._out) - self._broken_at >= _UNBROKEN:
                self._broken_at = len(self._out)
                self._out.append(_BREAK)
            if kind == "set":
                self._out.append(self._set())
            elif kind == "escape":
                self._out.append(self._escape())
            else:
                self._at = match.end()
                self._out.append(self._token(kind, written))
            self._note(kind)
            self._measure(kind, written)
        return "".join(self._out)

    def _measure(self, kind: str, written: str) -> None:
        """Add a token to the size of the program; a count multiplies the repeated part."""
        if kind in ("plain", "named", "look") or (kind == "flags" and written.endswith(":")):
            self._sizes.append(0)
            return
        if kind == "count":
            least = re.match(r"\{(\d+)", written)
            added = self._last_size * (int(least[1]) - 1) if least else 0
        else:
            added = self._sizes.pop() + 1 if kind == "close" else 1
            self._last_size = added
        self._sizes[-1] += max(added, 0)
        if self._sizes[-1] > _PROGRAM_LIMIT:
            raise TooCostlyError

    def _token(self, kind: str, written: str) -> str:
        match kind:
            case "anchor":
                return self._anchor(written)
            case "back":
                return self._reference(written)
            case "look" | "named" | "plain" | "flags":
                return self._open(kind, written)
            case "close":
                self._close()
            case "count":
                self._check_count(written)
            case "either":
                self._refuse_in_look_behind()
            case "literal":
                return re.escape(written)
        return written

    def _anchor(self, written: str) -> str:
        if written == "$" and not self._is_multiline:
            return r"\Z"
        return r"\Z" if written == r"\z" else written

    def _note(self, kind: str) -> None:
        """Note the token before the next one. After an empty group or a look-around, no count is allowed."""
        if kind == "close":
            return
        self._before = kind
        if self._open_groups and kind not in ("plain", "named", "look", "flags"):
            self._open_groups[-1].is_empty = False

    def _reference(self, written: str) -> str:
        """Read a reference; to a group that is still open it is an error in one engine only."""
        name = written[1:] if written[1].isdigit() else re.split(r"[<=>)]", written)[1]
        if name not in self._closed:
            raise UnsupportedPatternError(self._pattern)
        return written if written[1].isdigit() else f"(?P={name})"

    def _open(self, kind: str, written: str) -> str:
        if kind == "flags" and "m" in written:
            if self._at != len(written) or not written.endswith(")") or "-" in written:
                raise UnsupportedPatternError(self._pattern)
            self._is_multiline = True
        if kind == "flags" and written.endswith(")"):
            return written
        is_behind = self._is_behind or written in ("(?<=", "(?<!")
        names: tuple[str, ...] = ()
        if kind == "named" or written == "(":
            self._count += 1
            names = (str(self._count), written.strip("(?P<>")) if kind == "named" else (str(self._count),)
        if len(self._open_groups) >= _DEEPEST:
            raise UnsupportedPatternError(self._pattern)
        self._open_groups.append(_Group(names, is_behind, kind == "look"))
        return f"(?P<{names[1]}>" if kind == "named" else written

    def _close(self) -> None:
        if not self._open_groups:
            raise WrongPatternError(self._pattern)
        group = self._open_groups.pop()
        self._closed.update(group.names)
        self._before = "look" if group.is_look or group.is_empty else "close"
        if self._open_groups and not group.is_empty:
            self._open_groups[-1].is_empty = False

    @property
    def _is_behind(self) -> bool:
        return bool(self._open_groups) and self._open_groups[-1].is_behind

    def _check_count(self, written: str) -> None:
        if self._before not in {"literal", "set", "escape", "dot", "close", "back"}:
            raise UnsupportedPatternError(self._pattern)
        if any(int(number) > _MOST_REPEATS for number in re.findall(r"\d+", written)):
            raise UnsupportedPatternError(self._pattern)
        if not re.fullmatch(r"\{\d+\}", written):
            self._refuse_in_look_behind()

    def _refuse_in_look_behind(self) -> None:
        if self._is_behind:
            raise UnsupportedPatternError(self._pattern)

    def _escape(self) -> str:
        """Read one character or class after a backslash, for outside and inside of sets."""
        match = _ESCAPE.match(self._pattern, self._at)
        if match is None:
            raise UnsupportedPatternError(self._pattern)
        self._at = match.end()
        if match["kind"] or match["property"]:
            return match[0]
        code = match["hex"] or match["long"] or match["short"]
        if code and int(code, 16) > 0x10FFFF:
            raise WrongPatternError(self._pattern)
        return re.escape(chr(int(code, 16)) if code else match["mark"] or _CONTROLS[match["control"]])

    def _set(self) -> str:
        """Translate from "[" to its "]", with nested sets. Two operators on sets would need a precedence."""
        self._at += 1
        self._set_depth += 1
        if self._set_depth > _DEEPEST:
            raise UnsupportedPatternError(self._pattern)
        out, operators = ["["], 0
        if self._peek("^"):
            out.append("^")
        start = self._at
        while not (self._pattern.startswith("]", self._at) and self._at > start):
            if self._at >= len(self._pattern):
                raise WrongPatternError(self._pattern)
            operator = next(
                (sign for sign in _SET_OPERATORS if self._pattern.startswith(sign, self._at)), None
            )
            if operator:
                self._at += 2
                operators += 1
                out.append(operator)
            else:
                out.append(self._member())
        if operators > 1 or (operators and (out[-1] in _SET_OPERATORS or out[1] in ("^", *_SET_OPERATORS))):
            raise UnsupportedPatternError(self._pattern)
        self._at += 1
        self._set_depth -= 1
        return "".join([*out, "]"])

    def _member(self) -> str:
        rest = self._pattern[self._at :]
        if match := re.match(r"\[:(\^?)([a-z]+):\]", rest):
            if match[2] not in _ASCII_CLASSES:
                raise UnsupportedPatternError(self._pattern)
            self._at += match.end()
            return f"[{match[1]}{_ASCII_CLASSES[match[2]]}]"
        if rest[0] == "[":
            return self._set()
        first = self._character()
        if not re.match(r"-(?![\]-])", self._pattern[self._at :]):
            return first
        self._at += 1
        last = self._character()
        if len({first[:2], last[:2]} & {"\\d", "\\D", "\\s", "\\S", "\\w", "\\W", "\\p", "\\P"}):
            raise UnsupportedPatternError(self._pattern)
        return f"{first}-{last}"

    def _character(self) -> str:
        if self._at >= len(self._pattern):
            raise WrongPatternError(self._pattern)
        letter = self._pattern[self._at]
        if letter == "\\":
            return self._escape()
        if letter == "[":
            raise UnsupportedPatternError(self._pattern)
        self._at += 1
        return re.escape(letter) if letter.isascii() and not letter.isalnum() else letter

    def _peek(self, text: str) -> bool:
        is_there = self._pattern.startswith(text, self._at)
        self._at += is_there
        return is_there
