"""`flagtui projects`: what the key of a profile can open."""

from typing import TYPE_CHECKING

import click

from flagtui.cli.options import PROFILE, named_profile
from flagtui.cli.output import say_json, say_table
from flagtui.cli.signed_in import ask, find_key, open_profile
from flagtui.store.key_info import introduce

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.store.key_info import Introduction


@click.command("projects")
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(profile: str, as_json: bool) -> None:
    """List the projects the key can open, across organisations; the star is the one that is opened."""

    async def question(client: "Client") -> "tuple[Introduction, int]":
        found = await introduce(client)
        return found, await client.projects.current()

    opening = open_profile(named_profile(profile))
    found, current = ask(opening, find_key(opening), question)
    if as_json:
        say_json(
            [
                {
                    "id": each.id,
                    "name": each.name,
                    "organization": found.organization_of(each),
                    "opened": each.id == current,
                }
                for each in found.projects
            ]
        )
        return
    rows = [
        ("*" if each.id == current else "", str(each.id), each.label, found.organization_of(each))
        for each in found.projects
    ]
    say_table(("", "ID", "PROJECT", "ORGANISATION"), rows)
