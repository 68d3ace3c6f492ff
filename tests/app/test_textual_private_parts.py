"""What flagtui uses of Textual that Textual does not promise: a new version is held against this list."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_nodes, walk
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.worker_manager import WorkerManager

import flagtui.app
from flagtui.app.widgets.screen_lifecycle import Lifecycle, OwnedScreen

MODULES: Final = {"textual._compositor", "textual._context", "textual._styles_cache", "textual._xterm_parser"}
"""Private modules that are imported."""
PARTS: Final[dict[str, tuple[type, str]]] = {
    "_app": (Driver, "keys typed before leaving are forgotten"),
    "_auto_restart": (LinuxDriver, "whether the terminal is given back around a stop"),
    "_background_screens": (App, "below the cover of a small terminal nothing is laid out"),
    "_batch_count": (App, "whether a frame may be drawn now"),
    "_begin_update": (App, "synchronized output around a frame"),
    "_cache": (StylesCache, "the lines drawn before"),
    "_check_action_state": (App, "whether one key works, without asking about every other"),
    "_check_bindings": (App, "a key that changes what the keys after it mean is obeyed at once"),
    "_close_messages_no_wait": (MessagePump, "the end after a fault"),
    "_clipboard": (App, "what was copied, for pasting within the program"),
    "_closed": (MessagePump, "whether a frame may be drawn now"),
    "_compositor": (Screen, "the lines below a dialog"),
    "_debug": (Driver, "handed on to the parser of keys"),
    "_dirty_lines": (StylesCache, "lines to draw again"),
    "_dispatch_action": (App, "a key for what is gone does nothing"),
    "_display": (App, "where a frame becomes bytes"),
    "_driver": (App, "where bytes go"),
    "_end_update": (App, "synchronized output around a frame"),
    "_exception": (App, "what the program died of"),
    "_exception_event": (App, "a test that meets a fault fails"),
    "_fatal_error": (App, "one sentence instead of a traceback that shows values"),
    "_forward_event": (Screen, "keys typed into a field"),
    "_get_breakpoint_classes": (Screen, "what a screen looks like at its size, before it is laid out"),
    "_get_terminal_size": (LinuxDriver, "the size where standard output is a pipe"),
    "_handle_exception": (App, "a fault costs a screen, not the session"),
    "_invoke_later": (Screen, "a callback of what is gone is dropped"),
    "_key_thread": (LinuxDriver, "whether keys are read"),
    "_keymap": (App, "the keys that the person chose"),
    "_loop": (Driver, "a stop is followed where the screen is"),
    "_must_signal_resume": (LinuxDriver, "a continue is told to the app"),
    "_modal_binding_chain": (Screen, "whether one key works, without asking about every other"),
    "_mounted_event": (MessagePump, "keys typed ahead wait for the screen they are for"),
    "_new_worker": (WorkerManager, "an answer for what is gone is dropped"),
    "_notifications": (App, "toasts that are shown"),
    "_pop_result_callback": (Screen, "who waits is answered when a screen is closed without an answer"),
    "_refresh_notifications": (App, "what held a toast that is over goes with it"),
    "_replace_screen": (App, "a screen under others is taken away"),
    "_pre_process": (MessagePump, "a screen that could not be mounted is closed as any other"),
    "_on_screen_resume": (Screen, "a screen that is opened is styled once"),
    "_process_messages_loop": (MessagePump, "a fault in a handler does not end the task of its screen"),
    "_result_callbacks": (Screen, "who waits for an answer"),
    "_running": (MessagePump, "whether a frame may be drawn now"),
    "_sequence_to_key_events": (XTermParser, "an Escape and a digit in one packet are no other character"),
    "_screen_resized": (Screen, "one that has its size is not laid out again"),
    "_screen_stack": (App, "a screen under others is taken away"),
    "_sigcont_application": (LinuxDriver, "stops and continues in quick succession"),
    "_sigtstp_application": (LinuxDriver, "stops and continues in quick succession"),
    "_styles_cache": (Widget, "a list keeps its lines itself"),
    "_unnotify": (App, "a toast that would lie on the header goes"),
    "_writer_thread": (LinuxDriver, "whether the terminal takes no output any more"),
    "_workers": (App, "an answer for what is gone is dropped"),
}
"""Private names of Textual's classes that are read, called or overridden: whose they are, and what for."""


def ours() -> Iterator[tuple[str, Path]]:
    for module in pkgutil.walk_packages(flagtui.app.__path__, "flagtui.app."):
        path = importlib.import_module(module.name).__file__
        if path is not None:
            yield module.name, Path(path)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_modules() -> set[str]:
    return {
        node.module
        for _, path in ours()
        for node in find_nodes(path, ast.ImportFrom)
        if node.module and ".".join(node.module.split(".")[1:2])[:1] == "_"
        if node.module.startswith("textual.")
    }


@cache
def names_textual_sets(of: type) -> frozenset[str]:
    """Names of a class of Textual: members, and what its methods set on `self`."""
    names = {name for name in vars(of) if is_private(name)}
    for node in find_nodes(Path(inspect.getsourcefile(of) or ""), ast.ClassDef):
        if node.name == of.__name__:
            names |= {
                each.attr
                for each in walk(node)
                if isinstance(each, ast.Attribute)
                and isinstance(each.ctx, ast.Store)
                and is_private(each.attr)
                and ast.unparse(each.value) == "self"
            }
    return frozenset(names)


def textual_bases(of: type) -> list[type]:
    # What is mixed into screens has their private parts too.
    whole = OwnedScreen if of is Lifecycle else of
    return [base for base in whole.__mro__ if base.__module__.startswith("textual.")]


def used_of_textual() -> set[str]:
    """Private names of Textual that our classes define anew or reach through `self`, and through `app`."""
    used = set[str]()
    for name, path in ours():
        module = importlib.import_module(name)
        used |= {
            node.attr
            for node in find_nodes(path, ast.Attribute)
            if is_private(node.attr) and ast.unparse(node.value) in ("app", "self.app", "screen")
        }
        for node in find_nodes(path, ast.ClassDef):
            if isinstance(of := getattr(module, node.name, None), type):
                theirs = frozenset[str]().union(*map(names_textual_sets, textual_bases(of)))
                mentioned = {each.attr for each in walk(node) if isinstance(each, ast.Attribute)}
                methods = (
                    each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                )
                defined = {each.name for each in methods}
                used |= {attribute for attribute in mentioned | defined if is_private(attribute)} & theirs
    return used


def test_every_private_module_and_part_is_listed() -> None:
    assert private_modules() == MODULES
    assert all(map(importlib.import_module, MODULES))
    assert used_of_textual() == PARTS.keys()


@pytest.mark.parametrize("name", sorted(PARTS))
def test_the_parts_are_there(name: str) -> None:
    of, purpose = PARTS[name]
    assert any(name in names_textual_sets(base) for base in textual_bases(of)), f"{purpose}: it is gone"
