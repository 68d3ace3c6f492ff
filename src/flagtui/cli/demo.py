"""`flagtui demo`: the whole program on a service of its own, in one process."""

import click

from flagtui.cli.errors import Trouble, require_terminal


@click.command("demo")
@click.option("--fresh", is_flag=True, help="Start over: throw away what was changed in the demo before.")
@click.option("--nasty", is_flag=True, help="A project whose every text tries to harm the terminal.")
@click.option(
    "--flags", type=click.IntRange(0, 100_000), metavar="N", help="How many flags the sample lists."
)
@click.option("--read-only", is_flag=True, help="Refuse every change.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
def command(fresh: bool, nasty: bool, flags: int | None, read_only: bool, no_mouse: bool) -> None:
    """Open the app on its own embedded service: no account, no network.

    What you change is kept between runs, in the user data folder; --fresh starts over.
    """
    require_terminal()
    from flagtui.cli.demonstration import Demonstration, open_demo

    wish = Demonstration(fresh=fresh, nasty=nasty, flags=flags, read_only=read_only, mouse=not no_mouse)
    try:
        raise SystemExit(open_demo(wish))
    except OSError as fault:
        raise Trouble(
            f"the demo's data cannot be kept: {fault.strerror or fault}: {fault.filename or ''}"
        ) from None
