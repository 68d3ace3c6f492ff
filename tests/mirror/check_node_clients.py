"""Official clients for Node and browsers get the values of `flagtui flags evaluate`: `make check-node`."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.doubles.mirror_agreement import ORIGIN, SECRET, SampleMirror
from tests.service.evaluation.conftest import TOKEN, Port

NODE = Path(__file__).parents[2] / ".node-clients"
"""Where `make check-node` installs them."""
CLIENTS = {"posthog-node": 50, "posthog-node local": 50, "ofrep": 5, "ofrep-web": 50, "posthog-js": 10}
"""People that each client requests flags for."""
RUNTIMES = {
    "posthog-node": ("server",),
    "posthog-node local": ("all", "server"),
    "posthog-js": ("client",),
}
"""The runtimes of the flags that a client gets; one that evaluates flags requests what it cannot decide."""


def run_clients(task: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return what the clients report, and what they log."""
    done = subprocess.run(
        ["node", "clients.mjs"], input=json.dumps(task), capture_output=True, text=True, cwd=NODE, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def task_of(sample: SampleMirror, **more: Any) -> dict[str, Any]:
    people = [{"distinct_id": name, "properties": properties} for name, properties in sample.people]
    common = {"host": sample.host, "token": "phc_any", "origin": ORIGIN}
    return {**common, "people": people, "flags": sample.types(), **more}


def test_every_client_has_the_evaluated_values(sample: SampleMirror) -> None:
    change = {"secret": SECRET, "key": "set-by-the-check", "word": "on"}
    report, _ = run_clients(task_of(sample, change=change))
    assert report["errors"] == {}
    assert report["values"].pop("seconds") <= 1
    sample.mirror.unset("set-by-the-check")
    types = sample.types()
    for client, people in CLIENTS.items():
        assert len(report["values"][client]) == people
        for distinct_id, values in report["values"][client].items():
            device = report["devices"][distinct_id] if client == "posthog-js" else None
            runtimes = RUNTIMES.get(client, ("all",))
            valid = [sample.values_of(distinct_id, device, runtime) for runtime in runtimes]
            for key in valid[0]:
                if client.startswith("ofrep") and types[key] == "object":
                    continue
                default: Any = "" if client.startswith("ofrep") and types[key] == "string" else False
                assert values.get(key, False) in [each[key] or default for each in valid], (client, key)


def test_node_clients_log_no_errors_against_the_service(sample_port: Port, sample: SampleMirror) -> None:
    task = task_of(sample, host=sample_port.url, token=TOKEN, only=["posthog-node"])
    report, log = run_clients(task)
    assert report["errors"] == {}
    assert len(report["values"]["posthog-node"]) == 50
    assert "rror" not in log
