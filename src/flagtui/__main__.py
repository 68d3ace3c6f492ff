"""`python -m flagtui` is `flagtui`."""

from flagtui.cli import run_program

run_program()
