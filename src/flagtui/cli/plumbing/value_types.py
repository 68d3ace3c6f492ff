"""Values that shells complete: profiles, projects, fields, orders, queries and changes of the journal.

Nothing is requested from a server: they come from the settings, the cached lists and the journal.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from flagtui.cli.plumbing.option_rules import empty_value, label_of
from flagtui.config.locations import find_locations, has_other_state

ACTIVITY: Final = "activity"
"""The kind of a query that searches the project's timeline."""
SHORT_ID: Final = 8
"""Characters of an id that are shown; any prefix that only one id has is accepted."""
NEWEST: Final = 20
"""Changes of the journal that are offered."""


class ListedWord(click.types.StringParamType):
    """Text that is completed from a list; other text is accepted."""

    name = "word"

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        """Return the candidates; those that do not begin so are dropped."""
        raise NotImplementedError

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        words = dict.fromkeys(self.words(ctx, incomplete))
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


class KnownWord(ListedWord):
    """A word of which some are known; others are accepted."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = choices

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        return self.choices


class ProfileName(ListedWord):
    """The name of a profile in the settings."""

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        return _profiles()


class ProjectId(ListedWord):
    """The id or name of a project; completed with ids of the settings and of cached lists."""

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        # Only completion reads the copies of lists.
        from flagtui.cli.plumbing.completion_words import cached_projects

        profiles = _profiles()
        named = option_value(context, "profile")
        some = [profiles[named]] if named in profiles else profiles.values()
        settings = [profile.project for profile in some if str(profile.project).isdecimal()]
        return sorted({*settings, *cached_projects(named)}, key=lambda word: (len(word), word))


class FilePath(click.Path):
    """The path of a file or a folder; an empty one would be the current folder."""

    def __init__(self, *, exists: bool = False, dir_okay: bool = True) -> None:
        super().__init__(exists=exists, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not value.strip():
            raise click.UsageError(empty_value(label_of(param) if param else "a path"), ctx)
        return super().convert(value, param, ctx)


class WrittenFile(FilePath):
    """The path of a file to write; `-`, elsewhere standard input, would be a file of that name."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            label = label_of(param) if param else "this"
            raise click.UsageError(f"{label} takes the name of a file, and - is none; ./- is one.", ctx)
        return super().convert(value, param, ctx)


class FieldNames(ListedWord):
    """Names of fields with commas between them."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = fields

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        before, comma, _last = begun.rpartition(",")
        chosen = before.split(",")
        return (f"{before}{comma}{field}" for field in self._fields if field not in chosen)


class SortOrder(ListedWord):
    """An order of a list; with `-` before it the order is reversed."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        from flagtui.store.kinds import KINDS

        orders = tuple(KINDS[self.kind].listing.orders)
        return (*orders, *(f"-{order}" for order in orders))


class QueryWord(ListedWord):
    """A word of a query: a qualifier such as `is:`, its values, or free text."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        return query_words(
            self.kind, option_value(context, "profile"), option_value(context, "project"), begun
        )


class ChangeId(ListedWord):
    """The id of a change in the journal; completion offers the newest, described."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from flagtui.changes.journal import Journal
        from flagtui.changes.timeline import summary

        folder = find_locations().state
        try:
            entries = Journal(folder / "journal").entries() if folder is not None else []
        except OSError:
            return []
        # The journal of the demo has only its own changes.
        profile = "" if has_other_state() else option_value(ctx, "profile")
        some = [entry for entry in entries if not profile or entry.signature.profile == profile]
        items = [CompletionItem(entry.id[:SHORT_ID], help=summary(entry)) for entry in some[:NEWEST]]
        return [item for item in items if item.value.startswith(incomplete)]


class ProposalId(ListedWord):
    """The id of a proposal; completion offers all, with their reasons."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from flagtui.cli.plumbing.errors import Trouble
        from flagtui.cli.plumbing.proposal_files import read_proposals

        try:
            proposals = [each for each in read_proposals() if each.change_set is not None]
        except Trouble:
            return []
        items = [CompletionItem(each.id, help=each.words) for each in proposals]
        return [item for item in items if item.value.startswith(incomplete)]


class SetName(ProposalId):
    """A change set: a file, the staged one or a proposal."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from flagtui.cli.plumbing.proposal_files import STAGED

        staged = [CompletionItem(STAGED, help="the staged set")] if STAGED.startswith(incomplete) else []
        file = CompletionItem(incomplete, type="file")
        return [*staged, *super().shell_complete(ctx, param, incomplete), file]


BY_WAY: Final[Mapping[str, Callable[[], click.ParamType[Any]]]] = {
    "profiles": ProfileName,
    "projects": ProjectId,
    "changes": ChangeId,
    "proposals": ProposalId,
    "sets": SetName,
}
"""Types of values by the names that descriptions of commands give them."""


def query_words(kind: str, profile: str, project: str, begun: str) -> list[str]:
    """Return the query with each completion of its last word, as in the search line of the app."""
    from flagtui.cli.plumbing.completion_words import known_words
    from flagtui.store.kinds import KINDS, load
    from flagtui.store.query.line_edits import accept, complete

    tags = known_words(kind, profile, project, is_tag=True) if kind != ACTIVITY else []
    vocabulary = (
        KINDS[kind].listing.vocabulary
        if kind != ACTIVITY
        else load("flagtui.store.activity_listing:ACTIVITY")
    )
    end = len(begun)
    return [accept(begun, end, word)[0].rstrip() for word in complete(begun, end, {"tag": tags}, vocabulary)]


def option_value(context: click.Context, name: str) -> str:
    """Return the value of an option after the command, else before it; empty without one."""
    value: Any = context.params.get(name) or context.find_root().params.get(name)
    return value if isinstance(value, str) else ""


def _profiles() -> dict[str, Any]:
    from flagtui.config.settings import SettingsError, read_settings

    try:
        return dict(read_settings(find_locations().settings_file).profiles)
    except SettingsError:
        return {}
