"""The compiler of TypeScript accepts files of types, and finds keys that no flag has: `make check-node`."""

import json
import subprocess
from pathlib import Path
from time import perf_counter
from typing import Final

from tests.code.test_type_files import HOSTILE, shape, write
from tests.mirror.check_node_clients import NODE

from flagtui.code.typescript_types import write_typescript

USE: Final = 'import type { FlagKey } from "./flags";\nexport const key: FlagKey = "%s";\n'


def compile_strictly(folder: Path, text: str) -> tuple[str, float]:
    """Return what the compiler finds wrong with a file of this text, and the seconds it took."""
    (folder / "app.ts").write_text(text, encoding="utf-8")
    program = NODE / "node_modules" / "typescript" / "bin" / "tsc"
    command = ["node", str(program), "--strict", "--noEmit", "--target", "es2022", "app.ts"]
    start = perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    return done.stdout, perf_counter() - start


def test_hostile_keys_are_strict_typescript(tmp_path: Path) -> None:
    payloads = {key: json.dumps({key: {key: 1}}) for key in HOSTILE}
    shapes = [shape(key, variants=HOSTILE, payloads=payloads, name=f"{key} \\") for key in HOSTILE]
    assert compile_strictly(tmp_path, write(write_typescript, *shapes))[0] == ""


def test_ten_thousand_keys_compile_in_twice_the_time_at_most(tmp_path: Path) -> None:
    flags = [shape(f"flag-{number}", variants=("control", "test")) for number in range(10_000)]
    (tmp_path / "flags.ts").write_text(write(write_typescript, *flags), encoding="utf-8")
    without = min(compile_strictly(tmp_path, 'export const key = "flag-17";\n')[1] for _ in range(3))
    report, seconds = min(compile_strictly(tmp_path, USE % "flag-17") for _ in range(3))
    assert report == ""
    assert seconds <= 2 * without
    assert "'\"flag-x\"' is not assignable" in compile_strictly(tmp_path, USE % "flag-x")[0]
