"""`flagtui projects`: what the key of a profile can open."""

from typing import TYPE_CHECKING

import click

from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.account_records import PROJECT, ListedProject
from flagtui.cli.twin_command import TwinCommand

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.store.key_info import Introduction


@click.command(
    "projects",
    cls=TwinCommand,
    kind=PROJECT,
    operations=("projects.list", "projects.get", "people.me", "people.key"),
    examples=("projects", "projects --json"),
)
def command(printer: Printer, place: WorkPlace) -> None:
    """List the projects the key can open, across organisations; the star is the one that is opened."""
    from flagtui.cli.signed_in import ask, find_key, open_profile
    from flagtui.store.key_info import introduce

    async def question(client: "Client") -> "tuple[Introduction, int]":
        found = await introduce(client)
        return found, await client.projects.current()

    opening = open_profile(place.profile, place.project)
    found, current = ask(opening, find_key(opening), question)
    listed = [ListedProject(one, found.organization_of(one), one.id == current) for one in found.projects]
    printer.records(PROJECT, listed, "The key opens no project.")
