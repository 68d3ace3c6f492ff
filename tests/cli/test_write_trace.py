"""A command that changes a flag passes through few files and functions."""

import pytest
from tests.cli.conftest import Run, Service
from tests.doubles.write_trace import tracing_writes

from flagtui.api.client import Client
from flagtui.cli.plumbing.client import EMBEDDED


def test_disable_passes_through_few_files_and_functions(
    signed_in: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Through a socket, as to every server but the demo.
    monkeypatch.delitem(EMBEDDED, service.address)

    async def read_key(client: Client) -> str:
        page = await client.flags.page({"active": "true"})
        return next(row.key for row in page.rows if row.active and not row.depends_on)

    key = service.ask(read_key)
    # Modules are imported once in a process: their work is not the command's.
    signed_in("flags", "disable", key, "--dry-run")
    with tracing_writes() as trace:
        done = signed_in("flags", "disable", key, "--yes")
    assert done.code == 0, done.err
    assert 40 < len(trace.files) <= 62, len(trace.files)
    assert 200 < len(trace.functions) <= 311
    assert 10 < len(trace.envelopes) <= 14, sorted(trace.envelopes)
