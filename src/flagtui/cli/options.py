"""The option that names a profile: it may stand before or after a command."""

import click

PROFILE = click.option("--profile", default="", metavar="NAME", help="The profile of the settings file.")


def named_profile(given: str) -> str:
    """The profile named after the command, else the one named before it."""
    return given or click.get_current_context().find_root().params.get("profile") or ""


def named_project(given: str) -> str:
    """The same for a project."""
    return given or click.get_current_context().find_root().params.get("project") or ""
