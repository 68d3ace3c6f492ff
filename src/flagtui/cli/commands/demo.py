"""`flagtui demo`: the whole program on a service of its own, in one process."""

import os
from collections.abc import Sequence

import click
from msgspec.structs import replace

from flagtui.cli.launch.demo_app import Demonstration, demo_folder, open_demo, profile_of, start_over
from flagtui.cli.linear import run_linear
from flagtui.cli.plumbing.command_tree import LINEAR
from flagtui.cli.plumbing.demo_places import DEMO_HOST, DEMO_PROFILE, state_of
from flagtui.cli.plumbing.errors import READER_GONE, drop_output, require_terminal
from flagtui.cli.plumbing.option_rules import refuse_app_options, ruled_option
from flagtui.cli.plumbing.options import is_read_only
from flagtui.cli.plumbing.profile_choice import BUILT_IN, BuiltInProfile
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.word_types import COMMAND_WORDS
from flagtui.config.locations import KEY_VARIABLE, use_state


def run_in_demo(options: Demonstration, words: Sequence[str]) -> int:
    """Run another command on the demo, or read lines without words; return the exit code."""
    from flagtui.cli.launch.demo_service import KEY, DemoService

    folder, name = demo_folder(), options.name
    if options.fresh:
        start_over(folder, name)
    service = DemoService(folder / f"{name}.db", options.nasty, options.flags, options.words)
    service.embed()
    use_state(state_of(folder, name))
    profile = replace(profile_of(options), host=DEMO_HOST, project=str(service.project))
    BUILT_IN[DEMO_PROFILE] = BuiltInProfile(profile, options.words)
    # Named as the host too: whatever profile a command asks for, the key of the demo goes nowhere else.
    os.environ.update({"FLAGTUI_PROFILE": DEMO_PROFILE, "FLAGTUI_HOST": DEMO_HOST, KEY_VARIABLE: KEY})
    os.environ.pop("FLAGTUI_PROJECT", None)
    run = click.get_current_context().find_root().obj
    common = ["--read-only"] if options.read_only else []
    common += ["--project", options.project] if options.project else []
    try:
        return int(run([*common, *words])) if words else run_linear(run, common)
    except BrokenPipeError:
        # The command in the demo looked at something, and its reader has seen enough.
        drop_output()
        return READER_GONE
    finally:
        service.close()


@command(
    "demo",
    is_online=False,
    examples=("", "--fresh --flags 2000", "flags list is:stale", "flags disable new-nav --yes"),
    # What follows the first word of a command is for that command.
    context_settings={"allow_interspersed_args": False},
)
@click.option("--fresh", is_flag=True, help="Start over: discard all changes in the demo.")
@click.option("--nasty", is_flag=True, help="A project whose every text tries to harm the terminal.")
@click.option(
    "--flags",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="How many flags the sample lists; never fewer than its stories need.",
)
@click.option("--read-only", is_flag=True, help="Refuse every change.")
@ruled_option(
    "--no-mouse", is_flag=True, help="Leave the mouse to the terminal.", excludes=("COMMAND", "--linear")
)
@ruled_option(
    "--linear", is_flag=True, help="Read commands and print lines, without a screen.", excludes=("COMMAND",)
)
@click.argument("words", metavar="[COMMAND]...", nargs=-1, type=COMMAND_WORDS)
@click.pass_context
def demo(
    context: click.Context, /, words: tuple[str, ...], linear: bool, no_mouse: bool, **given: object
) -> None:
    """Open the app on its own embedded service: no account, no network.

    A COMMAND with its words is done in the demo instead, also while the app is open on it.

    What you change is kept between runs, in the user data folder; --fresh starts over.
    """
    is_linear = linear or context.meta[LINEAR]
    if words and words[0] == "demo":
        raise click.UsageError("demo is no command of the demo.")
    before = context.find_root().params
    is_screen = not (words or is_linear)
    if before["profile"] or (before["project"] and is_screen):
        raise click.UsageError("The demo has no profile, and p switches between its projects.")
    refuse_app_options(context, () if words else ("--flag", "--no-mouse", "--linear"))
    if is_screen:
        require_terminal()
    mouse = not (no_mouse or before["no_mouse"])
    # Click has checked the types.
    demonstration = Demonstration(mouse=mouse, flag=before["flag"], **given)  # type: ignore[arg-type]
    options = replace(
        demonstration, read_only=demonstration.read_only or is_read_only(), project=before["project"] or ""
    )
    raise SystemExit(open_demo(options) if is_screen else run_in_demo(options, words))
