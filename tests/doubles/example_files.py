"""Files that the examples of commands read."""

import json
from pathlib import Path

from tests.cli.conftest import Run


def write_sources(example: str, here: Run) -> None:
    """Write the file that `--from` of the example names."""
    if "--from flag.json" in example:
        Path("flag.json").write_text(here("flags", "edit", "checkout-redesign", "--print").out)
    if "--from experiment.json" in example:
        text = here("experiments", "edit", "31", "--print").out
        changed = json.loads(text) | {"description": "Once more, from a file"} if text else {}
        Path("experiment.json").write_text(json.dumps(changed))
    if "--from flags.json" in example:
        Path("flags.json").write_text(here("flags", "get", "new-nav", "checkout-redesign", "--json").out)
    if "--from new-flags.json" in example:
        document = json.loads(here("flags", "get", "new-nav", "--json").out or '{"records": [{}]}')
        document["records"][0] |= {"key": "new-nav-again", "archived": False}
        Path("new-flags.json").write_text(json.dumps(document))
    if "--from metric.json" in example:
        metrics = json.loads(here("experiments", "metrics", "--json").out or '{"records": [{"query": {}}]}')
        Path("metric.json").write_text(json.dumps(metrics["records"][0]["query"]))
