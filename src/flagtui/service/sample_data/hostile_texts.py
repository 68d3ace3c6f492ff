"""Texts that try to leave the place they are shown in.

A lone surrogate is missing: no UTF-8 can hold one, so neither the database nor an answer can. NUL is missing
too, because SQLite's own JSON functions end a text there.
"""

from typing import Final

CONTROLS: Final = (
    "\x1b[2J\x1b[H\x1b[31mred all over",
    "\x1b]52;c;cm0gLXJmIH4=\x1b\\clipboard",
    "\x1b]0;another title\x07title",
    "\x1b]8;;https://evil.example\x1b\\a link\x1b]8;;\x1b\\",
    "\x1b[6n\x1b[c\x1b[?1049lqueries",
    '\x1bP$q"p\x1b\\device control',
    "\x1b[?1000h\x1b[?2004lmouse",
    "\x9b31m eight bits \x9d52;c;QQ==\x9c",
    "back\x08\x08\x08\x08and\x7fforth\x0b\x0c\x0e\x0f\x05",
    "line one\nline two\r\nline three\rover it",
    "tab\tby\ttab",
    "next\x85line\u2028separator\u2029paragraph",
)

MARKUP: Final = (
    "[/x]",
    "[@click=app.quit]x[/]",
    "[@click=screen.dismiss(True)]yes[/]",
    "a [/] b",
    "[not] enabled",
    "ends in [/",
    "[bold red]loud[/bold red]",
    "[link=https://evil.example]safe[/link]",
    "$primary $k {0} %s ${HOME} {{7*7}}",
    "<script>alert(1)</script> &amp; <b>",
    "'; DROP TABLE flags; --",
    '"quoted" \\back\\slashed\\ `ticked`',
    "**bold** [text](javascript:alert(1)) # head",
)

SCRIPTS: Final = (
    "prod\u202e-xnoitcudorp",
    "\u2066isolated\u2069 \u200frtl\u200e mark",
    "in\u200bvis\u200cib\u2060le\ufeff so\u00adft",
    "tag\U000e0041\U000e0042\U000e007f",
    "paypa\u0131-\u0430\u0440\u0440-l\u04cfve",
    "\u529f\u80fd\u6807\u5fd7\u7ed3\u8d26\u91cd\u65b0\u8bbe\u8ba1\u5168\u91cf",
    "\ud55c\uad6d\uc5b4 \u30d5\u30e9\u30b0 \uff26\uff55\uff4c\uff4c",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 "
    "\U0001f3f4\u200d\u2620\ufe0f \U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
    "e\u0301" * 12 + "Z" + "\u0336\u0322\u0355" * 40 + "algo",
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd mixed 123",
    "\ufdfd\U00012031\u0bcc\u0e33\u0e01\u0e33",
    "\ufffd\ufffe\uffff",
    " leading and trailing ",
    "\u00a0\u3000\u2003",
)

SIZES: Final = (
    "long " * 2_000,
    "w" * 10_240,
    "\u754c" * 3_000,
    "\n".join(f"line {number}" for number in range(800)),
    "x",
    "null",
    "NaN",
    "-1",
    "1e999",
)

HOSTILE: Final = (*CONTROLS, *MARKUP, *SCRIPTS, *SIZES)
