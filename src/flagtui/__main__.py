"""`python -m flagtui` is `flagtui`."""

from flagtui.cli import main

main()
