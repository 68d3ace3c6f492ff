"""Names of keys in files that have no key of a flag and no call: they are found by what imports them."""

from pathlib import Path

import pytest

from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import list_files
from flagtui.code.tree_scan import scan_tree

USE_TS = "import posthog from 'posthog-js';\nimport { EVENTS } from '%s';\nposthog.capture(EVENTS.PAID);\n"
EVENTS_TS = "export const EVENTS = { PAID: 'order paid' } as const;\n"


@pytest.mark.parametrize("files", [
    {"src/use.ts": USE_TS % "./names.js", "src/names.ts": EVENTS_TS, "src/names.md": EVENTS_TS},
    {"use.tsx": USE_TS % "@/analytics", "analytics/src/index.ts": EVENTS_TS},
    {"use.vue": f"<script>{USE_TS % '#imports'}</script>", "lib/events.js": EVENTS_TS},
    {
        "use.ts": USE_TS % "@acme/analytics",
        "packages/analytics/index.ts": "export * from './lib';\n",
        "packages/analytics/lib.ts": EVENTS_TS,
    },
    {
        "use.py": 'from app.names import (\n  PAID,\n)\nposthog.capture(PAID, distinct_id="u")\n',
        "app/names/__init__.py": "from .events import PAID\n",
        "app/names/events.py": "PAID = 'order paid'\n",
    },
    {
        "use.go": 'package a\nimport "x/posthog"\nvar a = posthog.Capture{Event: events.Paid}\n',
        "x/events/names.go": 'package events\nconst Paid = "order paid"\n',
    },
    {
        "use.rs": "use crate::names::{\n  PAID,\n};\nfn f() { posthog::capture(Event::new(PAID, u)); }",
        "names.rs": 'pub const PAID: &str = "order paid";\n',
    },
    {
        "Use.java": 'class A { void f() { posthog.capture("u", AppEvents.PAID); } }',
        "AppEvents.java": 'class AppEvents { static final String PAID = "order paid"; }',
    },
    {
        "Use.swift": "PostHogSDK.shared.capture(AppEvents.paid.rawValue)",
        "AppEvents.swift": 'enum AppEvents: String { case sent = "order sent", paid = "order paid" }',
    },
    {
        "use.dart": "void f() { Posthog().capture(eventName: AppEvents.paid); }",
        "app_events.dart": "class AppEvents { static const paid = 'order paid'; }",
    },
], ids=lambda files: " ".join(files))  # fmt: skip
def test_names_of_calls_are_declared_in_imported_files(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in {**files, "other.ts": EVENTS_TS.replace("order paid", "other")}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "store").mkdir()
    request = ScanRequest({"nav"}, store=tmp_path / "store" / "results", settled=-3_600 * 10**9)
    for _ in ("first", "again"):
        scan = scan_tree(list_files(tmp_path, [tmp_path], lambda path: "store" in path), request)
        (reference,) = scan.references
        assert (reference.subject, reference.key, reference.kind) == ("event", "order paid", "constant")
        assert scan.files == len(files) + 1


def test_changed_call_finds_another_declaration_of_the_same_folder(tmp_path: Path) -> None:
    request = ScanRequest({"nav"}, store=tmp_path / "results", settled=-3_600 * 10**9)
    index = "export * from './paid';\nexport * from './sent';\n"
    texts = {"index.ts": index, "paid.ts": EVENTS_TS, "sent.ts": "export const SENT = 'order sent';\n"}
    for name, text in texts.items():
        (tmp_path / "names").mkdir(exist_ok=True)
        (tmp_path / "names" / name).write_text(text)
    keys = []
    for use in (
        USE_TS % "./names",
        USE_TS.replace("EVENTS.PAID", "SENT").replace("EVENTS", "SENT") % "./names",
    ):
        (tmp_path / "use.ts").write_text(use)
        scan = scan_tree(list_files(tmp_path, [tmp_path], lambda path: path == "results"), request)
        keys += [each.key for each in scan.references]
    assert keys == ["order paid", "order sent"]
