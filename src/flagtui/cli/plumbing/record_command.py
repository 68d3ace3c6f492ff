"""Declare a command: its output, its operations, its examples; and call it."""

import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import iscoroutinefunction
from operator import attrgetter
from typing import Any

import click
import msgspec
from msgspec.structs import fields

from flagtui.cli.plumbing.command_tree import DEFAULT, ShownCommand
from flagtui.cli.plumbing.errors import OUTPUT_FAULTS, OutputLost, Trouble
from flagtui.cli.plumbing.global_options import global_options
from flagtui.cli.plumbing.options import (
    Agreement,
    WorkPlace,
    WriteTerms,
    agreement_options,
    choose_name,
    is_read_only,
    place_options,
    staging_options,
    wait_option,
)
from flagtui.cli.plumbing.output.printer import OutputOptions, choose_printer, no_page, output_options
from flagtui.cli.plumbing.output.record_schema import PROJECT, InProject, RecordSchema
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.cli.plumbing.project_session import (
    ProjectOfChange,
    ProjectSession,
    in_opened,
    name_project,
    open_profile,
    split_projects,
)
from flagtui.cli.plumbing.registry import COMMANDS
from flagtui.cli.plumbing.selection import SOURCES, read_words
from flagtui.cli.plumbing.word_types import RecordWord

OrderOfAll = Callable[[Mapping[str, Any]], Callable[[Any], Any] | None]
"""By the arguments of a command: what its records from several projects are sorted by; None joins them."""


class RecordCommand(ShownCommand):
    """Adds the options that all commands of its sort share, and passes them as one argument each.

    With `kind` the callback gets a `printer`, with `is_online` a `place`, with `plans` both in its `terms`.
    Words that name records come as `RecordSelection`. A coroutine gets a session in the project instead of
    place and printer: its return value is printed, or is the exit code of a change.
    """

    def __init__(
        self,
        name: str | None,
        *,
        kind: RecordSchema[Any] | None = None,
        operations: Sequence[str] = (),
        examples: Sequence[str] = (),
        is_online: bool = True,
        plans: RecordSchema[Any] | None = None,
        **more: Any,
    ) -> None:
        params = [*more.pop("params", ())]
        self.only_shows: bool = more.pop("only_shows", kind is not None)
        """Whether it does nothing but show something, apart from changes."""
        self.never_staged: str = more.pop("never_staged", "")
        """Why its changes cannot be kept in a change set; empty when they can."""
        if plans is not None:
            params += [*agreement_options(), *staging_options(is_hidden=bool(self.never_staged))]
        self.reads_projects = is_online and plans is None and iscoroutinefunction(more.get("callback"))
        """Whether it prints records of one project or several."""
        self._has_own_wait = any(param.name == "wait" for param in params)
        if self.reads_projects and not self._has_own_wait:
            params.append(wait_option())
        params += place_options(takes_several=self.reads_projects) if is_online else []
        params += output_options(kind) if kind is not None else []
        names = {name for param in params for name in param.opts}
        params += [option for option in global_options() if names.isdisjoint(option.opts)]
        self.empty = more.pop("empty", "")
        """The line for a person when there is no record."""
        self.pages = more.pop("pages", "")
        """The kind of page that records lead to."""
        self.is_whole = more.pop("is_whole", False)
        """Whether a person gets a line for each field."""
        self.project_of: ProjectOfChange = more.pop("project_of", lambda _opening, _given: "")
        self.limits_each: bool = more.pop("limits_each", False)
        """Whether `--limit` counts for each named record, not in all."""
        self.order_of: OrderOfAll = more.pop("order_of", lambda _given: None)
        self.line = more.pop("line", "")
        """Its line in the help of the whole program; its summary if that is short enough."""
        super().__init__(name, params=params, **more)
        self.kind = kind
        """The printed records; None for text."""
        self.operations = tuple(operations)
        """The operations of the API it asks."""
        self.examples = tuple(examples)
        self.is_online = is_online
        self.plans = plans
        """What a dry run prints; None for a command that changes nothing."""
        self.writes = plans is not None
        self._named = [
            (argument.name, SOURCES[argument.type.kind])
            for argument in self.params
            if isinstance(argument, click.Argument) and isinstance(argument.type, RecordWord)
        ]
        """Arguments that name records, and where those are looked up."""

    def invoke(self, ctx: click.Context) -> Any:
        given = ctx.params
        is_look = self.only_shows and (not self.writes or given["dry_run"] or given.get("is_printed", False))
        self._join_options(given)
        try:
            code = self._call(**given) if iscoroutinefunction(self.callback) else super().invoke(ctx)
            # Here it is known whether anything was changed.
            sys.stdout.flush()
        except OSError as fault:
            if not is_look and fault.errno in OUTPUT_FAULTS:
                raise OutputLost(fault, is_in_journal=self.writes) from fault
            raise
        return code

    def _join_options(self, given: dict[str, Any]) -> None:
        """Replace the shared options by an argument each, and words that name records by a selection."""
        kind = self.plans if given.get("dry_run") else self.kind
        if kind is not None:
            options = OutputOptions(**{name: given.pop(name) for name in OutputOptions.__struct_fields__})
            given["printer"] = choose_printer(kind, options, (PROJECT,) if self.reads_projects else ())
        if self.is_online:
            is_repeatable = self.reads_projects and not self._has_own_wait
            given["place"] = WorkPlace(
                choose_name("profile", given.pop("profile")),
                choose_name("project", given.pop("project")),
                is_read_only(),
                given.pop("wait") if is_repeatable else given.get("wait"),
                is_repeatable,
            )
        if self.writes:
            agreement = Agreement(
                **{option.name: given.pop(option.name, option.default) for option in fields(Agreement)}
            )
            if agreement.is_kept and self.never_staged:
                from flagtui.changes.sets.plan_changes import AT_ONCE

                raise Trouble(f"this cannot be staged: {self.never_staged}.", AT_ONCE, code="refused")
            given["terms"] = WriteTerms(given.pop("place"), agreement, given.pop("printer"))
        for name, source in self._named:
            value = given[name]
            words = value if isinstance(value, tuple) else () if value is None else (value,)
            given[name] = read_words(words, source.is_query, source.kind.name) if words else None

    def _call(self, **given: Any) -> int:
        """Run the command in the project and return the exit code. Raises Trouble."""
        assert self.callback is not None
        assert self.kind is not None
        work = self.callback
        if self.writes:
            place = given["terms"].place
            opening = open_profile(place.profile, place.project, takes_several=True)
            named = name_project(opening, lambda: self.project_of(opening, given))
            code: int = in_opened(named, place, lambda session: work(session, **given))
            return code
        place, printer = given.pop("place"), given.pop("printer")
        kind: RecordSchema[Any] = self.kind

        async def read(session: ProjectSession) -> Outputs:
            session.fields = printer.names_of(kind)
            records = await work(session, **given)
            page = session.pages(self.pages) if self.pages else no_page
            return Outputs(records, page, session.exit_code, str(session.client.project))

        openings = split_projects(open_profile(place.profile, place.project, takes_several=True))
        readings = [self._read_in(opening, place, read, len(openings)) for opening in openings]
        records, page = readings[0].records, readings[0].page
        if len(openings) > 1 or PROJECT in printer.fields:
            kind = kind.in_projects()
            records = [each for reading in readings for each in reading.in_project()]
            page = attrgetter("page")
            if (order := self.order_of(given)) is not None:
                records = sorted(records, key=lambda each: order(each.record))
            records = records[: None if self.limits_each else given.get("limit")]
        if self.is_whole:
            printer.details(kind, records, page)
        else:
            printer.records(kind, records, self.empty, page)
        return max(reading.exit_code for reading in readings)

    @staticmethod
    def _read_in(
        opening: Opening, place: WorkPlace, read: Callable[[ProjectSession], Awaitable["Outputs"]], count: int
    ) -> "Outputs":
        """Return the records read in one of `count` projects. Raises Trouble that names it among several."""
        try:
            return in_opened(opening, place, read)
        except Trouble as trouble:
            if count > 1:
                trouble.what = f"project {opening.project_name or opening.profile.project}: {trouble.what}"
            raise


class Outputs(msgspec.Struct, frozen=True):
    """The results of a command in one project."""

    records: Iterable[Any]
    page: Callable[[Any], str]
    """Returns the address of a record's page."""
    exit_code: int
    project: str

    def in_project(self) -> Iterable[InProject[Any]]:
        """Return the records with their project."""
        return (InProject(record, self.project, self.page(record)) for record in self.records)


def command(
    name: str, *, examples: Sequence[str] = (), **more: Any
) -> Callable[[Callable[..., Any]], RecordCommand]:
    """Declare a command in the group whose folder its module is in; the rest is as RecordCommand takes it.

    `examples` are what follows the words of the command.
    """

    def declare(function: Callable[..., Any]) -> RecordCommand:
        folder = function.__module__.removeprefix("flagtui.cli.commands.").rpartition(".")[0]
        words = f"{folder} {name}".lstrip()
        if words in COMMANDS:
            raise ValueError(f"flagtui {words} is declared twice")
        spoken = words.removesuffix(f" {DEFAULT}")
        whole = tuple(f"{spoken} {example}".rstrip() for example in examples)
        declared = COMMANDS[words] = click.command(name, cls=RecordCommand, examples=whole, **more)(function)
        return declared

    return declare
