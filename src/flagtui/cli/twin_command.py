"""A command that says what it prints, which operations it asks, and how it is used."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from flagtui.cli.command_descriptions import ShownCommand
from flagtui.cli.errors import ReaderGone
from flagtui.cli.options import (
    Agreement,
    WorkPlace,
    WriteTerms,
    agreement_options,
    is_read_only,
    named_profile,
    named_project,
    output_options,
    place_options,
)
from flagtui.cli.output.printer import choose_printer
from flagtui.cli.output.record_kind import RecordKind


class TwinCommand(ShownCommand):
    """Adds the options that all commands of its sort share, and hands them over as one argument each.

    With `kind` the callback gets a `printer`, with `is_online` a `place`, with `plans` both in its `terms`.
    """

    def __init__(
        self,
        name: str | None,
        *,
        kind: RecordKind[Any] | None = None,
        operations: Sequence[str] = (),
        examples: Sequence[str] = (),
        is_online: bool = True,
        plans: RecordKind[Any] | None = None,
        **more: Any,
    ) -> None:
        params = [*more.pop("params", ())]
        params += agreement_options() if plans is not None else []
        params += place_options() if is_online else []
        params += output_options() if kind is not None else []
        super().__init__(name, params=params, **more)
        self.kind = kind
        """What it prints; None for text."""
        self.operations = tuple(operations)
        """The operations of the API it asks."""
        self.examples = tuple(examples)
        self.is_online = is_online
        self.plans = plans
        """What a dry run prints; None for a command that changes nothing."""

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return self.plans is not None

    def invoke(self, ctx: click.Context) -> Any:
        given = ctx.params
        is_look = self.kind is not None and (not self.writes or given["dry_run"])
        kind = self.plans if given.get("dry_run") else self.kind
        if kind is not None:
            given["printer"] = choose_printer(
                kind,
                as_json=given.pop("as_json"),
                as_ndjson=given.pop("as_ndjson"),
                fields=given.pop("fields"),
            )
        if self.is_online:
            profile, project = given.pop("profile"), given.pop("project")
            given["place"] = WorkPlace(named_profile(profile), named_project(project), is_read_only())
        if self.writes:
            names = ("yes", "typed", "reason", "overwrite", "without_journal", "dry_run", "wait")
            agreement = Agreement(**{name: given.pop(name) for name in names})
            given["terms"] = WriteTerms(given.pop("place"), agreement, given.pop("printer"))
        try:
            return super().invoke(ctx)
        except BrokenPipeError as fault:
            if is_look:
                raise ReaderGone(*fault.args) from fault
            raise


def command(name: str, **more: Any) -> Callable[[Callable[..., Any]], TwinCommand]:
    """Declares a command; the rest is as TwinCommand takes it."""
    return click.command(name, cls=TwinCommand, **more)
