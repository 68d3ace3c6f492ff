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
    """Meanwhile a source with the same variables is not parsed again, nor are all sources of a sheet joined.

    Textual keeps what it parsed for one app; a test begins with a new one, and opens screens, which bring
    their sources, in an order of its own. Once made, rules are only read.
    """
    parse, parsed = Stylesheet.parse, dict[tuple[Any, ...], Parsed]()
    parse_rules, of_sources = Stylesheet._parse_rules, dict[tuple[Any, ...], list[RuleSet]]()

    def look_up_rules(styles: Stylesheet, css: str, **source: Any) -> list[RuleSet]:
        key = (css, *source.items(), *styles._variables.items())
        if key not in of_sources:
            of_sources[key] = parse_rules(styles, css, **source)
        return of_sources[key]

    def look_up(styles: Stylesheet) -> None:
        if styles._invalid_css:
            # Leaves out what it could not read.
            parse(styles)
            return
        key = (*styles.source.items(), *styles._variables.items())
        if key not in parsed:
            parse(styles)
            parsed[key] = (styles.rules, styles.rules_map)
        rules, by_name = parsed[key]
        # A sheet puts other lists in their place when it is parsed again, and never adds to these.
        styles._rules, styles._rules_map, styles._require_parse = rules, by_name, False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", look_up_rules)
        patch.setattr(Stylesheet, "parse", look_up)
        patch.setattr(Stylesheet, "reparse", look_up)
        # The identity as before, without a call of Python for each rule whenever a widget is styled.
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield
