"""An editor that records its arguments."""

import sys
from pathlib import Path

import pytest


def use_recording_editor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make it the user's editor; return the file that gets its arguments."""
    arguments, editor = folder / "arguments", folder / "editor.py"
    editor.write_text(f"import sys; open({str(arguments)!r}, 'w').write(' '.join(sys.argv[1:]))")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    return arguments
