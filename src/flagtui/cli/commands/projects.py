"""`flagtui projects`: what the key can open."""

from typing import Final

import msgspec

from flagtui.api import Client
from flagtui.cli.plumbing.client import ask, find_key
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import open_profile, open_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.records.field_words import star
from flagtui.models.account import Project
from flagtui.store.key_info import Introduction, load_identity


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

    async def question(client: Client) -> tuple[Introduction, int]:
        introduction = await load_identity(client)
        opened, _ = await open_project(client, opening)
        return introduction, await opened.projects.current()

    opening = open_profile(place.profile, place.project)
    introduction, current = ask(opening, find_key(opening), question)
    listed = [
        ListedProject(project, introduction.organization_of(project), project.id == current)
        for project in introduction.projects
    ]
    printer.records(PROJECT, listed, "The key opens no project.")
