"""The program asks with httpx or with httpx2, whichever is named or there."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.slices import one_in

from flagtui.api.http_library import LIBRARIES, load_library

PROGRAM: Final = """
import asyncio, sys
from pathlib import Path
from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.service import close_service, create_service

async def main() -> None:
    service = create_service(Path(sys.argv[1]) / "flags.db", key="phx_key")
    async with Client("http://127.0.0.1:1", "phx_key", 1, transport=in_process(service)) as client:
        made = await client.flags.create({"key": "a"})
        changed = await client.flags.update(made.id, {"name": "b"}, version=1, original={"name": ""})
        print(changed.name, *sorted({"httpx", "httpx2"} & set(sys.modules)))
    close_service(service)

asyncio.run(main())
"""


@pytest.mark.parametrize("name", one_in(2, [*reversed(LIBRARIES)]))
def test_a_change_is_made_with_the_library_that_is_named(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "FLAGTUI_HTTP": name, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == ["b", name], done.stderr


def test_first_present_library_is_loaded_or_the_install_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert load_library("").__name__ == "httpx2"
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    for named in ("", "httpx2"):
        with pytest.raises(ImportError, match="pip install"):
            load_library(named)
    with pytest.raises(ImportError, match="it can be httpx or httpx2"):
        load_library("requests")
