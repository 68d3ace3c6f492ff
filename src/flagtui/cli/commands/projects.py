"""`flagtui projects`: what the key can open."""

from contextlib import suppress
from typing import Final

import msgspec

from flagtui.api import Client
from flagtui.api.errors import Forbidden
from flagtui.cli.plumbing.client import ask, find_key
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import open_profile, open_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.records.field_words import star
from flagtui.models.account import Project
from flagtui.store.key_info import organization_name


class ListedProject(msgspec.Struct, frozen=True):
    """A project, and whether the profile opens it."""

    project: Project
    organization: str
    is_opened: bool


PROJECT: Final[RecordSchema[ListedProject]] = RecordSchema(
    "project",
    "A project the key can open.",
    (
        RecordField(
            "opened", "truth", "Whether the profile opens it.", lambda listed: listed.is_opened, True, star
        ),
        RecordField("id", "whole", "Its id.", lambda listed: listed.project.id, True),
        RecordField("name", "text", "Its name.", lambda listed: listed.project.name, True),
        RecordField("organization", "text", "The organization that owns it.", is_shown=True),
    ),
)


@command(
    "projects",
    line="List the projects the key can open.",
    kind=PROJECT,
    operations=("projects.list", "projects.get", "people.me", "people.key"),
    examples=("", "--json"),
)
def projects(printer: Printer, place: WorkPlace) -> None:
    """List the projects that the key can open, in all organisations; a star marks the default."""

    async def question(client: Client) -> list[ListedProject]:
        projects = await client.projects.list()
        me, current = None, 0
        # A key without user:read needs the list to name a project.
        with suppress(Forbidden):
            opened, _ = await open_project(client, opening)
            current = await opened.projects.current()
            me = await client.people.me()
        return [
            ListedProject(project, organization_name(me, project), project.id == current)
            for project in projects
        ]

    opening = open_profile(place.profile, place.project)
    listed = ask(opening, find_key(opening), question)
    printer.records(PROJECT, listed, "The key opens no project.")
