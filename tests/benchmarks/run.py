"""Runs benchmarks by name, each in a process of its own: `python tests/benchmarks/run.py [NAME…]`; without a name, all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAMES = ["startup", "search", "run", "turn", "flight", "ray", "score", "report", "compile", "price", "tau2"]


def main(names: list[str]) -> int:
    """Exit code 0 whatever the figures are; 1 where a benchmark broke."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"there is no benchmark {unknown[0]}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    codes = [subprocess.run([sys.executable, str(FOLDER / f"bench_{name}.py")]).returncode for name in names or NAMES]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
