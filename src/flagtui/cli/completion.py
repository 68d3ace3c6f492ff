"""`flagtui completion`: what a shell needs to complete commands, options, keys and tags."""

import click

from flagtui.cli.twin_command import TwinCommand


@click.command(
    "completion",
    cls=TwinCommand,
    is_online=False,
    examples=("completion bash", "completion fish"),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion for SHELL; keys and tags come from the copies of lists on disk.

    bash: flagtui completion bash > ~/.local/share/bash-completion/completions/flagtui

    zsh: flagtui completion zsh > a file _flagtui in a folder of fpath

    fish: flagtui completion fish > ~/.config/fish/completions/flagtui.fish
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root().command
    maker = get_completion_class(shell)
    if maker is not None:
        click.echo(maker(root, {}, "flagtui", "_FLAGTUI_COMPLETE").source())
