"""`flagtui journal`: what this person changed from this machine, for reading, sharing and programs."""

import click

from flagtui.cli.options import PROFILE, named_profile


@click.command("journal")
@click.argument("words", nargs=-1)
@PROFILE
@click.option(
    "--since", default="", metavar="WHEN", help="30m, 2h, 14:05, yesterday 18:00, a date; in your time zone."
)
@click.option("--markdown", is_flag=True, help="A timeline to paste into a report.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="At most so many.")
def command(
    words: tuple[str, ...], profile: str, since: str, markdown: bool, as_json: bool, limit: int
) -> None:
    """Show your changes, newest first; WORDS narrow to key, verb, person, reason or ending."""
    from flagtui.changes.timeline import as_json as json_of
    from flagtui.changes.timeline import markdown as markdown_of
    from flagtui.cli.errors import Trouble
    from flagtui.cli.past_changes import find_changes, tell_changes

    if markdown and as_json:
        raise Trouble("choose --markdown or --json, not both.")
    entries = find_changes(since, " ".join(words), named_profile(profile))[:limit]
    if markdown:
        print(markdown_of(entries, f"Changes since {since}" if since else "Changes"))
    elif as_json:
        print(json_of(entries))
    else:
        tell_changes(entries)
