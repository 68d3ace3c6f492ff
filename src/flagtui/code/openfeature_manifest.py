"""A flag manifest of OpenFeature, from which its own generator writes code for many languages."""

import json
from collections.abc import Sequence
from typing import Any, Final

from flagtui.code.flag_types import FlagType, TypeFile, deprecation_words
from flagtui.code.identifiers import comment_sentences

SCHEMA: Final = (
    "https://raw.githubusercontent.com/open-feature/cli/refs/heads/main/schema/v0/flag-manifest.json"
)


def write_openfeature(flags: Sequence[FlagType], command: str) -> TypeFile:
    """Return the manifest: a default for each flag is what code receives without a server."""
    document = {"$schema": SCHEMA, "flags": {flag.key: _entry(flag) for flag in flags}}
    return TypeFile(json.dumps(document, ensure_ascii=True, indent=2) + "\n", {})


def _entry(flag: FlagType) -> dict[str, Any]:
    type, default = ("string", "") if flag.variants else ("boolean", False)
    variants = f"Variants: {', '.join(flag.variants)}" if flag.variants else ""
    about = comment_sentences(flag.description, variants, deprecation_words(flag))
    words = {"description": about} if about else {}
    return {"flagType": type, "defaultValue": default, **words}
