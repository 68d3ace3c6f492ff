"""A plugin for pytest that has the whole run on httpx2, tests and program: `make test-httpx2`."""

import os

from httpx2 import alias_httpx

alias_httpx()
# For the programs that tests start.
os.environ["FLAGTUI_HTTP"] = "httpx2"
