"""Style rules that one app has parsed, for every later app of the same process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


@contextmanager
def parse_once() -> Iterator[None]:
    """Meanwhile text that was parsed with the same variables is not parsed again.

    Textual keeps what it parsed for one app; a test begins with a new one. Once made, rules are only read.
    """
    parse, known = Stylesheet._parse_rules, dict[tuple[Any, ...], list[RuleSet]]()

    def look_up(styles: Stylesheet, css: str, *place: Any, **words: Any) -> list[RuleSet]:
        key = (css, *place, *words.items(), *styles._variables.items())
        if key not in known:
            known[key] = parse(styles, css, *place, **words)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", look_up)
        yield
