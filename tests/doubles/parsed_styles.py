"""Style rules that one app has parsed, for every later app of the same process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

Parsed = tuple[list[RuleSet], dict[str, list[RuleSet]]]
"""All rules, and those by the name that each selects."""


@contextmanager
def parse_once() -> Iterator[None]:
    """Meanwhile the same sources with the same variables are not parsed again.

    Textual keeps what it parsed for one app; a test begins with a new one. Once made, rules are only read.
    """
    parse, known = Stylesheet.parse, dict[tuple[Any, ...], Parsed]()

    def look_up(styles: Stylesheet) -> None:
        if styles._invalid_css:
            # Leaves out what it could not read.
            parse(styles)
            return
        key = (*styles.source.items(), *styles._variables.items())
        if key not in known:
            parse(styles)
            known[key] = (styles.rules, styles.rules_map)
        rules, by_name = known[key]
        # A sheet puts other lists in their place when it is parsed again, and never adds to these.
        styles._rules, styles._rules_map, styles._require_parse = rules, by_name, False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "parse", look_up)
        patch.setattr(Stylesheet, "reparse", look_up)
        # The identity as before, without a call of Python for each rule whenever a widget is styled.
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield
