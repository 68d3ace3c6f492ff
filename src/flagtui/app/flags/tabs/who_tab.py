"""The tab *Who*: the values of one or two users, the deciding conditions, and the difference."""

from collections.abc import Awaitable, Callable, Iterator

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, Static

from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.records.record_screen import RecordPane, scroll
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import cut, fill, join_lines
from flagtui.details.evaluations import (
    HINT,
    LONGEST,
    EvaluationSubject,
    InvalidSubject,
    PersonEvaluation,
    read_subject,
)
from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.models.filters import Condition
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text
from flagtui.text.evaluation_words import (
    all_keys,
    decided_by,
    differing,
    hash_words,
    library_words,
    payload_words,
    served_words,
    too_costly,
    value_words,
    variant_words,
    why_they_differ,
)
from flagtui.text.flag_sentences import condition_lines, plain
from flagtui.text.formats import count
from flagtui.text.styled import Piece

LABEL = 14
CLAUSES = 20
"""Properties of the deciding condition that have room beside its label."""
LISTED = 200
"""Other flags that are listed at most."""
ROOMY = 70
"""Cells from which two values have twelve each beside the reason why they differ."""

Ask = Callable[[EvaluationSubject, Flag], Awaitable[PersonEvaluation | None]]
Row = tuple[str, str, Callable[[PersonEvaluation], Piece | None]]
"""A label, the words for a user without this fact, and the fact about a user."""


class WhoPane(Vertical, RecordPane):
    """Two lines to name people in, and their accounts side by side."""

    def __init__(self, name: str, ask: Ask) -> None:
        super().__init__(id=f"tab-{name}", classes="pane")
        self._ask = ask
        self._study: Study | None = None
        self._asked_about: Flag | None = None
        """The flag that users were last evaluated with."""
        self._is_waiting = False
        """Whether users were asked for before the flag was read."""
        self._accounts: list[PersonEvaluation] = []
        self._trouble = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="whom"):
            yield _person("distinct id, key=value …", "whom-one")
            yield _person("another user, to compare", "whom-other")
        with VerticalScroll(id="accounts", can_focus=True):
            yield Static(markup=False)

    def focus(self, scroll_visible: bool = True) -> "WhoPane":
        """Return the line to type in, or the evaluations once there are some; there again, the line."""
        accounts = self.query_one("#accounts")
        target = accounts if self._accounts and not accounts.has_focus else self.query_one("#whom-one")
        target.focus(scroll_visible)
        return self

    def show(self, study: Study) -> None:
        """Draw the tab; evaluate the users again when the flag has changed."""
        self._study, flag = study, study.details.flag
        has_changed = self._asked_about is not None and flag != self._asked_about
        if flag is not None and (self._is_waiting or has_changed):
            self._find()
        self._draw()

    def move(self, way: str) -> None:
        scroll(self.query_one("#accounts", VerticalScroll), way)

    def leave_typing(self) -> bool:
        """Move the focus out of the input lines; return whether one had it."""
        typing = any(line.has_focus for line in self.query(Field))
        if typing:
            self.query_one("#accounts").focus()
        return typing

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._find()

    @work(exclusive=True, group="who")
    async def _find(self) -> None:
        flag = self._study.details.flag if self._study else None
        self._is_waiting = flag is None
        if flag is None:
            self._trouble = "Waiting for the flag; then the value is shown."
            self._draw()
            return
        try:
            named = [read_subject(line.value) for line in self.query(Field)]
        except InvalidSubject as fault:
            self._trouble = safe_text(str(fault), 160)
            self._draw()
            return
        self._trouble, self._asked_about = "asking…", flag
        self._draw()
        with limited_patterns():
            evaluations = [await self._ask(subject, flag) for subject in named if subject is not None]
        self._accounts = [account for account in evaluations if account is not None]
        self._trouble = ""
        self._draw()

    def _draw(self) -> None:
        if self._study is None or not self.is_attached:
            return
        width = max(30, self.size.width - 4)
        lines: list[list[Piece]] = [[(self._trouble, "$warning")], []] if self._trouble else []
        if self._accounts:
            lines += account_lines(self._accounts, self._study, width)
        elif not self._trouble:
            words = "Type a distinct id and press enter; a second one compares the two."
            lines += [[(words, "$text-muted")], [(HINT, "$faint")]]
        text = join_lines(lines, width)
        self.query_one(Static).update(text)


class PersonField(Field):
    """Leaves the arrows to the tabs while it is empty."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("cursor_left", "cursor_right") and not self.value:
            return False
        return super().check_action(action, parameters)


def _person(hint: str, id: str) -> Field:
    return PersonField(placeholder=hint, id=id, max_length=LONGEST, answers="ask", leaves="out of the line")


def account_lines(accounts: list[PersonEvaluation], study: Study, width: int) -> list[list[Piece]]:
    """Return the table, the difference between the two, and the other flags."""
    column = max(12, (width - LABEL) // len(accounts) - 1)
    lines = [*_table(accounts, study, column), *_refusals(accounts), []]
    for account in accounts:
        lines += _changed_by_set(account, width)
    if len(accounts) == 2:
        left, right = accounts
        if (type(left.value), left.value) == (type(right.value), right.value):
            lines += [[("Both are served the same value.", "$text-muted")], []]
        else:
            lines += [[("They differ because ", "$text-muted"), (why_they_differ(left, right), "")], []]
        lines += _others_that_differ(left, right, width)
    else:
        lines += _others(accounts[0], width)
    return lines


def _refusals(accounts: list[PersonEvaluation]) -> Iterator[list[Piece]]:
    """Yield each reason once why the server did not evaluate."""
    for reason in dict.fromkeys(reason for account in accounts for reason in account.refusals):
        yield [(f"Not from the server: {safe_text(reason, 200)}", "$faint")]


def _table(accounts: list[PersonEvaluation], study: Study, column: int) -> Iterator[list[Piece]]:
    """Yield a row for each fact that at least one of the users has."""
    is_after_set = any(account.before is not None for account in accounts)
    rows: tuple[Row, ...] = (
        ("WHO", "", lambda it: (safe_text(it.subject.distinct_id, 100), "bold")),
        ("now", "", lambda it: _value(it.before) if it.before is not None else None),
        ("once applied" if is_after_set else "value", "", _value),
        ("decided by", "", lambda it: (decided_by(it), "")),
        ("", "", lambda it: _piece(_sentence(it, study), "$text-muted")),
        ("hash", "—", _hash),
        ("variant hash", "—", lambda it: _piece(variant_words(it), "$secondary")),
        ("payload", "", lambda it: (payload_words(it), "$text-muted")),
        ("according to", "", lambda it: ("the server" if it.is_from_server else "evaluated here", "$faint")),
        ("in libraries", "the same", lambda it: _piece(library_words(it), "$warning")),
    )
    for label, without, describe in rows:
        cells = [describe(account) for account in accounts]
        if any(cells):
            pieces = [cell or (without, "$faint") for cell in cells]
            padded = [(f"{fill(text, column)} ", style) for text, style in pieces]
            yield [(label.ljust(LABEL), "$text-muted"), *padded]


def _piece(words: str, style: str) -> Piece | None:
    return (words, style) if words else None


def _value(account: PersonEvaluation) -> Piece:
    return served_words(account), value_style(account.value)


def _hash(account: PersonEvaluation) -> Piece | None:
    draw = hash_words(account)
    return (draw[0], "$success" if draw[1] else "$warning") if draw else None


def _sentence(account: PersonEvaluation, study: Study) -> str:
    """Return the deciding condition on one line: `email ends with @acme.com`, `10 % of everyone else`."""
    index, filters = account.condition_index, account.flag.targeting
    stored = filters.stored_conditions
    if index is None or not 0 <= index < len(stored) or not isinstance(stored[index], dict):
        return ""
    head, *clauses = condition_lines(index + 1, Condition.of(stored[index]), filters, study.names, CLAUSES)
    if clauses:
        return " and ".join(plain([clause]).removeprefix("  and").strip() for clause in clauses)
    return plain([head[1:]])


def value_style(value: JSON) -> str:
    """Return the style of a value; on and variants are highlighted."""
    if value is True:
        return "bold $success"
    return "$text-muted" if value is False else ("$warning" if value is None else "bold $secondary")


def _changed_by_set(account: PersonEvaluation, width: int) -> Iterator[list[Piece]]:
    """Yield the flags whose value the staged set changes for this person: `off → on`."""
    if account.before is None:
        return
    old, new = account.before.local_values, account.local_values
    values = {key: tuple(side[key].value if key in side else None for side in (old, new)) for key in new}
    changed = {key: pair for key, pair in sorted(values.items()) if pair[0] != pair[1]}
    title = f"WHAT IS STAGED CHANGES FOR {safe_text(account.subject.distinct_id, 40)}"
    yield [(title, "$text-muted"), (f"   {len(changed):,} of {len(new):,}", "$faint")]
    name = max(16, min(40, width // 2))
    for key, (before, after) in list(changed.items())[:LISTED]:
        yield [
            (f"{fill(safe_text(key, 200), name)} ", ""),
            (value_words(before), value_style(before)),
            (" → ", "$faint"),
            (value_words(after), value_style(after)),
        ]
    yield []


def _others_that_differ(left: PersonEvaluation, right: PersonEvaluation, width: int) -> Iterator[list[Piece]]:
    differences = [*differing(left, right)]
    total = len((all_keys(left) | all_keys(right)) - {left.flag.key})
    counts = (f"   {len(differences):,} of {total:,}", "$faint")
    yield [("OTHER FLAGS THAT DIFFER FOR THESE TWO", "$text-muted"), counts]
    listed = differences[:LISTED]
    values = (value_words(value) for each in listed for value in (each.left, each.right))
    # What the values leave is for the reason.
    cell = min(12 if width >= ROOMY else 8, max(map(cell_len, values), default=0))
    name = max(16, min(34, width // 3))
    for difference in listed:
        yield [
            (f"{fill(safe_text(difference.key, 200), name)} ", ""),
            (f"{fill(value_words(difference.left), cell)} ", value_style(difference.left)),
            (f"{fill(value_words(difference.right), cell)} ", value_style(difference.right)),
            (cut(difference.why, max(1, width - name - 2 * cell - 3)), "$text-muted"),
        ]
    yield from _not_evaluated(left, width)


def _others(account: PersonEvaluation, width: int) -> Iterator[list[Piece]]:
    keys = sorted(all_keys(account) - {account.flag.key})
    on = [key for key in keys if account.value_of(key) not in (False, None)]
    yield [("OTHER FLAGS OF THIS USER", "$text-muted"), (f"   {len(on):,} of {len(keys):,}", "$faint")]
    name = max(16, min(40, width // 2))
    for key in on[:LISTED]:
        value = account.value_of(key)
        yield [(f"{fill(safe_text(key, 200), name)} ", ""), (value_words(value), value_style(value))]
    if len(on) > LISTED:
        yield [(f"… {len(on) - LISTED:,} more", "$faint")]
    yield from _not_evaluated(account, width)


def _not_evaluated(account: PersonEvaluation, width: int) -> Iterator[list[Piece]]:
    costly = len(too_costly(account))
    if costly:
        words = "flag has" if costly == 1 else "flags have"
        yield [(f"{costly} {words} a pattern that is too costly to evaluate here.", "$faint")]
    unknown = sum(not account.is_known(key) for key in all_keys(account)) - costly
    if unknown:
        words = "cannot be evaluated without the server's data about this person."
        yield [(f"{count(unknown, 'flag')} {words}", "$faint")]
    yield []
