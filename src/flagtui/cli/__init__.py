"""The same by command line. Imports nothing heavy until a command needs it."""

import atexit
import gc
import os
import sys

TYPE_CHECKING = False

__all__ = ["main", "run_program"]

HELP_FILE = "help.txt"
"""The help of the whole program, kept as text: reading the command line takes longer than printing it."""
OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Python's own 700 make a start a fifth longer: nearly all that is made there is classes, which stay."""

STOPPED = 130
"""The exit code after ctrl+c."""

if TYPE_CHECKING:
    from collections.abc import Callable


def run_program() -> None:
    """Run the command line in a process of its own, and end the process."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int):
            _end_process(end.code)
        raise


def _end_process(code: int) -> None:
    """End the process without taking its objects apart, which takes longer than a short command.

    Where a thread is still at work, Python waits for it as usual.
    """
    if heavy_work := sys.modules.get("flagtui.api.heavy_work"):
        import signal

        # A further ctrl+c ends the process at once, without a traceback of the wait.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        heavy_work.end_thread()
    if "threading" in sys.modules and sys.modules["threading"].active_count() > 1:
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        # Python reports it.
        return
    os._exit(code)


def main() -> None:
    """Show the last screen immediately if the app starts, then parse the command line."""
    _open_closed_streams()
    if sys.platform != "win32":
        # Without it, Python drops what has no room yet, and reports nothing.
        os.set_blocking(1, True)
    if _answered_at_once():
        raise SystemExit(0)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
    # msgspec loads it if it is installed, for what Python's own `typing` has: as long as all else in msgspec.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    try:
        run, leave = _load()
    except KeyboardInterrupt:
        print("\nflagtui: stopped; nothing was changed.", file=sys.stderr)
        raise SystemExit(STOPPED) from None
    finally:
        if sys.modules["typing_extensions"] is None:
            del sys.modules["typing_extensions"]
    try:
        run()
    except KeyboardInterrupt:
        # A further ctrl+c after the one that the command answered.
        raise SystemExit(STOPPED) from None
    finally:
        leave()


def _load() -> "tuple[Callable[[], None], Callable[[], None]]":
    """Show the last screen if the app starts; return the program, and what removes that screen."""
    if sys.platform != "win32":
        import signal

        # Where the caller ignores how its programs end, so would this one.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if scans_here(sys.argv[1:]):
        from flagtui.code.early_start import start_reading

        start_reading()
    from flagtui.cli.launch import leave, paint

    try:
        paint(sys.argv[1:])
        from flagtui.cli.main import main as run
    except KeyboardInterrupt:
        leave()
        raise
    return run, leave


def scans_here(words: "list[str]") -> bool:
    """Return whether the words are a command that reads the source code in the current folder."""
    folders = [word for word in words if os.path.isdir(word.rpartition("=")[2])]  # noqa: PTH112
    return words[:1] in (["check"], ["refs"]) and folders in ([], ["."]) and not {"-h", "--help"} & {*words}


def _open_closed_streams() -> None:
    """Give each closed stream a file of its number, so that no database or connection gets text for it.

    Closed output (`>&-`) refuses text as a full disk does; text for closed messages is dropped.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _answered_at_once() -> bool:
    """Return whether it was a request for shell completion or the help, which need no command."""
    if "_FLAGTUI_COMPLETE" in os.environ:
        from flagtui.cli.plumbing.completion_words import quick_words

        words = quick_words()
        if words is not None:
            sys.stdout.write("".join(f"{word}\n" for word in words))
        return words is not None
    if sys.argv[1:] not in (["--help"], ["-h"]) or sys.stdout.isatty():
        return False
    # No library for the path: importing one takes longer than reading the file.
    try:
        with open(f"{__file__.removesuffix('__init__.py')}{HELP_FILE}", encoding="utf-8") as file:  # noqa: PTH123
            sys.stdout.write(file.read())
        sys.stdout.flush()
    except OSError:
        # The command line reports it, with an exit code.
        return False
    return True
