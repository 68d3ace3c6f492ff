"""Which flag an experiment runs on: one that could carry it, or a new one."""

from collections.abc import Mapping
from dataclasses import dataclass

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.form_lines import ask_line
from flagtui.models.editable_fields import is_plain_key
from flagtui.store.workspace import Workspace


@dataclass(frozen=True)
class FlagChoice:
    """The flag that was chosen."""

    key: str
    is_there: bool


async def ask_flag(changing: Changes, workspace: Workspace, name: str, now: str = "") -> FlagChoice | None:
    """A flag with variants, or a key that is free; None to leave it."""
    eligible = await _eligible(workspace)
    choices = [Choice("", "a new flag", "made with the experiment, off", stays=True)]
    choices += [Choice(key, key, about, key == now) for key, about in eligible.items()]
    chosen = await changing.ask(PickerScreen("On which flag", choices))
    if chosen is None:
        return None
    if chosen:
        return FlagChoice(chosen, is_there=True)
    about = "code asks for it; it cannot be changed later"
    taken = {row.key for row in workspace.flags.rows}
    usual = suggested_key(name)
    value = usual if usual not in taken else ""

    def problem(line: str) -> str:
        if not is_plain_key(line):
            return "letters, digits, - and _, up to 400 of them"
        return f"there is already a flag {line}; pick it from the list" if line in taken else ""

    key = await ask_line(changing, "Key of the new flag", about, value, problem)
    return None if key is None else FlagChoice(key, is_there=False)


def suggested_key(name: str) -> str:
    """A key made of a name; empty where none can be."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
    key = "-".join(words)[:100]
    return key if is_plain_key(key) else ""


async def _eligible(workspace: Workspace) -> Mapping[str, str]:
    """Keys of flags an experiment could use, and what to know of each."""
    experiments: dict[str, int] = {}
    for row in workspace.experiments.rows:
        experiments[row.key] = experiments.get(row.key, 0) + 1
    try:
        flags = await workspace.client.results.eligible_flags()
    except ApiError:
        # Servers that cannot say: whatever has variants is offered, and the server decides.
        kinds = ("multivariant", "experiment")
        rows = [row for row in workspace.flags.rows if row.type in kinds and not row.archived]
        return {row.key: _about(row.active, 0, experiments.get(row.key, 0)) for row in rows}
    found = [flag for flag in flags if flag.key and not flag.deleted]
    return {
        flag.key: _about(flag.active, len(flag.targeting.variants), experiments.get(flag.key, 0))
        for flag in found
    }


def _about(is_on: bool, variants: int, experiments: int) -> str:
    parts = ["on" if is_on else "off"]
    if variants:
        parts.append(f"{variants} variants")
    if experiments:
        parts.append(f"in {experiments} experiment{'' if experiments == 1 else 's'}")
    return ", ".join(parts)
