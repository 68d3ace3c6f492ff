"""Names of commands and options in other programs, for the error about an unknown one."""

from collections.abc import Mapping, Sequence
from typing import Final

COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("show", "view", "inspect"), ("get", "unhide")),
    **dict.fromkeys(("describe", "export", "dump", "download"), ("get",)),
    **dict.fromkeys(("ls", "search", "find", "filter"), ("list",)),
    **dict.fromkeys(("on", "activate"), ("enable",)),
    **dict.fromkeys(("off", "kill", "deactivate"), ("disable",)),
    **dict.fromkeys(("update", "set", "change", "modify", "rename"), ("edit", "describe")),
    **dict.fromkeys(("add", "new", "make"), ("create",)),
    **dict.fromkeys(("rm", "remove"), ("delete",)),
    **dict.fromkeys(("undelete", "recover"), ("restore",)),
    **dict.fromkeys(("log", "audit", "blame", "activity", "changes"), ("history", "activity", "journal")),
    **dict.fromkeys(("who", "eval", "test"), ("evaluate", "explain")),
    **dict.fromkeys(("why",), ("explain",)),
    **dict.fromkeys(("clean", "cleanup", "unused"), ("stale",)),
    **dict.fromkeys(("clone",), ("copy", "duplicate")),
    **dict.fromkeys(("ramp", "percentage"), ("rollout", "schedule")),
    **dict.fromkeys(("scheduled", "upcoming"), ("due",)),
    **dict.fromkeys(("finish", "conclude"), ("end",)),
    **dict.fromkeys(("rollback",), ("revert", "undo")),
    **dict.fromkeys(("lint", "validate"), ("check",)),
    **dict.fromkeys(("scan", "usages", "references"), ("refs",)),
    "compare": ("diff",),
    "config": ("profiles", "doctor"),
    "disable": ("pause",),
    "enable": ("launch", "resume"),
    "import": ("create", "edit"),
    "start": ("launch", "enable"),
    "pause": ("disable",),
    "stop": ("disable", "end", "pause"),
    "toggle": ("enable", "disable"),
    "login": ("auth login",),
    "logout": ("auth logout",),
    "whoami": ("auth status",),
    "winner": ("ship",),
}
OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("--force", "-f", "--confirm"), ("--yes",)),
    **dict.fromkeys(("--message", "-m", "--why"), ("--reason",)),
    **dict.fromkeys(("--user", "--person", "--who", "--distinct-id", "--id"), ("--for",)),
    **dict.fromkeys(("--plan", "--preview", "--check"), ("--dry-run",)),
    **dict.fromkeys(("--count", "--max", "--first"), ("--limit",)),
    **dict.fromkeys(("--percent", "--percentage", "--share", "--rollout"), ("--to",)),
    **dict.fromkeys(("--env", "--environment", "--context", "--host"), ("--profile",)),
    **dict.fromkeys(("--reverse", "--desc", "--order"), ("--sort",)),
    **dict.fromkeys(("--when", "--time"), ("--at",)),
    "-n": ("--limit", "--dry-run"),
    "-p": ("--project", "--profile"),
    "--columns": ("--fields",),
    "--format": ("--output",),
}
QUERIES: Final = frozenset(("search", "query", "filter", "match", "grep"))
"""Names of options whose value is a query in other programs."""
