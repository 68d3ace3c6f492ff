"""Kills the service in the middle of a write storm, many times, and looks for what is missing.

    python benchmarks/kills.py 200

Fails when an acknowledged write is not in the file, the file is corrupt, or a row and its activity disagree.
"""

import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.doubles.killed_service import Storm
from tests.doubles.slices import SEED


def main(kills: int) -> int:
    random.seed(SEED)
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(Path(folder) / "x.db")
        for number in range(1, kills + 1):
            storm.kill_once(random.uniform(0.02, 0.4))
            if faults := storm.faults():
                print(f"after kill {number}:", *faults, sep="\n  ")
                return 1
            if number % 20 == 0:
                print(f"{number} kills, {storm.writes} acknowledged writes, nothing lost", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
