"""A command: an action with a name and a key."""

from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import force_setattr, replace
from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.screen import Screen

from flagtui.store.kinds import EVENTS, EXPERIMENTS, FLAGS, KINDS

AppliesTo = Literal["", "many", "one", "cursor"]
"""Which records a command is for: all that are marked, else the one under the cursor; one record, refused
while more are marked; always the one under the cursor; empty for none."""
Places = tuple[str, ...]
"""Where commands work: `flags` is the list of flags, `flag` the page of one, and so on."""

FLAG: Final[Places] = FLAGS.places
EXPERIMENT: Final[Places] = EXPERIMENTS.places
EVENT: Final[Places] = EVENTS.places
RECORDS: Final[Places] = tuple(place for kind in KINDS.values() for place in kind.places)
PAGES: Final[Places] = tuple(kind.name for kind in KINDS.values())
CHANGES: Final[Places] = (*RECORDS, "activity", "journal", "staged", "deleted", "due")
"""Where changes are made and shown."""
LISTS: Final[Places] = ("lists",)
INBOX: Final[Places] = ("inbox",)
FORM: Final[Places] = ("form",)
EVERYWHERE: Final[Places] = ("everywhere",)
FLAG_SCOPE: Final = FLAGS.write_scope
EXPERIMENT_SCOPE: Final = EXPERIMENTS.write_scope
EVENT_SCOPE: Final = EVENTS.write_scope
STEPS: Final = "experiments change in steps that the server takes at once"
RECORD_SCOPE: Final = "record"
"""In place of a scope: that of the kind of record that the screen is about."""
UNDONE_WHEN: Final = {
    "enable|disable": "active",
    "archive|unarchive": "archived",
    "pause|resume": "is_paused",
    "freeze|unfreeze": "is_frozen",
    "verify|unverify": "verified",
    "hide|unhide": "hidden",
}
"""By two words of the command line: the attribute of a record for which the second one applies."""
TITLES: Final = {"enable": "on", "disable": "off"}
"""By words of the command line: what the app calls them."""
SIGNS: Final = {
    "ampersand": "&",
    "at": "@",
    "colon": ":",
    "enter": "⏎",
    "equals_sign": "=",
    "escape": "esc",
    "exclamation_mark": "!",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "minus": "-",
    "number_sign": "#",
    "percent_sign": "%",
    "plus": "+",
    "question_mark": "?",
    "slash": "/",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}
"""Keys by the names the terminal library has for them, as a person reads them."""


class Command(Struct, frozen=True):
    """One command of the app. `keys` are Textual key names, separated by commas."""

    id: str
    keys: str
    help: str
    """One sentence for the palette and the help screen."""
    places: Places
    """Where it works; the first is where it belongs."""
    title: str = ""
    """The word beside the key on the last line; the part of the id after the dot unless given."""
    handler: str = ""
    """The method `action_…` that carries it out; the part of the id after the dot unless given."""
    argument: str | int | None = None
    """The argument of the handler."""
    by_app: bool = False
    """Whether the handler is the app's and not the screen's."""
    shown: bool = False
    """Whether it comes first on the last line of the screen; the others follow where there is room."""
    scope: str = ""
    """What a key needs for it, or RECORD_SCOPE; empty where nothing is changed."""
    applies_to: AppliesTo = ""
    turns_keys: bool = False
    """Whether it changes the meaning of later keys. Its key is handled before the next one is read:
    over a slow link `/` and a word arrive together."""
    asks: bool = False
    """Whether it asks the server without changing anything."""
    direct: str = ""
    """Why it cannot be staged; empty where it can, and for steps of experiments."""
    is_staged: bool = False
    """Whether a change of an experiment can be staged: it has new values and is no step."""
    needs_record: bool = True
    """Whether a record has to be chosen first, where it needs the server or is called from another tab."""
    in_mirror: str = ""
    """The title where a mirror is open and the command changes overrides; empty where it is refused there."""
    mirror_help: str = ""
    """The sentence there."""
    mirror_cli: str = ""
    """The same on the command line there."""
    synonyms: str = ""
    """Words that find it and are not in its name or sentence."""
    cli: str = ""
    """The same on the command line, after `flagtui`. FLAG is filled in with the record under the cursor,
    FLAGS with all that are marked; other words in capitals are for the person. Of two words with a bar the
    second is for a record of which the first is true already. KIND and RECORD are of the kind on screen."""

    def __post_init__(self) -> None:
        name = self.id.partition(".")[2]
        force_setattr(self, "title", self.title or name)
        force_setattr(self, "handler", self.handler or name)

    def verb_for(self, record: Any) -> str:
        """Return the word of the command line for what it does to the record: `disable` where it is on."""
        words = self.cli.split()[1:2]
        if not words or words[0] not in UNDONE_WHEN:
            return "".join(words)
        first, _, second = words[0].partition("|")
        return second if getattr(record, UNDONE_WHEN[words[0]], False) else first

    @property
    def depends_on_record(self) -> bool:
        """Whether it has two directions, depending on the record: on or off."""
        return "|" in self.cli

    def title_for(self, record: Any) -> str:
        """Return the word beside its key where that depends on the record, else an empty text."""
        if not self.depends_on_record:
            return ""
        verb = self.verb_for(record)
        return TITLES.get(verb, verb)

    def over_mirror(self) -> "Command":
        """Return it as an open mirror has it: it changes an override, on the command line too."""
        if not self.in_mirror:
            return self
        return replace(self, help=self.mirror_help or self.help, cli=self.mirror_cli)

    @property
    def why_direct(self) -> str:
        """The reason why it is refused while changes are staged; empty where it can be staged."""
        is_step = self.scope == EXPERIMENT_SCOPE and not self.is_staged
        return self.direct or (STEPS if is_step else "")

    @property
    def writes(self) -> bool:
        """Whether it changes something on the server."""
        return bool(self.scope)

    @property
    def needs_server(self) -> bool:
        """Whether it does nothing without a connection."""
        return self.writes or self.asks

    @property
    def action(self) -> str:
        """The call of the handler as Textual writes it: `cycle('state')`."""
        call = self.handler if self.argument is None else f"{self.handler}({self.argument!r})"
        return f"app.{call}" if self.by_app else call

    @property
    def sign(self) -> str:
        """Its first default key as a person reads it."""
        key = self.keys.partition(",")[0]
        return SIGNS.get(key, key)

    def binding(self) -> Binding:
        """Return the same as Textual wants it; the id is what a keymap names."""
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=self.shown,
            key_display=SIGNS.get(self.keys.partition(",")[0]),
            id=self.id,
            tooltip=self.help,
            priority=self.turns_keys,
        )


def display_key(app: App[Any], binding: Binding) -> str:
    """Return the key as users read it: `space`, `⏎`, `ctrl+a`, `F5`."""
    key = binding.key_display or app.get_key_display(binding)
    return SIGNS.get(key, key)


def binding_of(screen: Screen[Any], key: str) -> ActiveBinding | None:
    """Return what `active_bindings` has for the key, without asking whether every other key works."""
    app, active = screen.app, None
    for node, bindings in screen._modal_binding_chain:
        for binding in bindings.key_to_bindings.get(key, ()):
            state = app._check_action_state(binding.action, node)
            is_first = active is None or (binding.priority and not active.binding.priority)
            if state is not False and is_first:
                active = ActiveBinding(node, binding, bool(state), binding.tooltip)
    return active
