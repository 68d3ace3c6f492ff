"""`flagtui completion`: what a shell needs to complete commands, options, keys and tags."""

import click
from click.shell_completion import get_completion_class

from flagtui.cli.plumbing.record_command import command


@command("completion", is_online=False, examples=("completion bash", "completion fish"))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion for SHELL; keys and tags come from the copies of lists on disk.

    bash: flagtui completion bash >> ~/.bashrc

    zsh: flagtui completion zsh > a file _flagtui in a folder of fpath

    fish: flagtui completion fish > ~/.config/fish/completions/flagtui.fish
    """
    root = click.get_current_context().find_root().command
    maker = get_completion_class(shell)
    if maker is not None:
        click.echo(maker(root, {}, "flagtui", "_FLAGTUI_COMPLETE").source())
