"""The assistant of the example reaches its tools over both transports of MCP, and does the same over either."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, Shop, records


def _calls(record: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(e["tool"], e["args"], e["error"]) for e in record["events"] if e["type"] == "call"]


def test_both_agents_of_the_example_play_the_same_trial(tmp_path: Path, shop: Shop) -> None:
    source = ROOT / "examples" / "mcp_agent"
    folder = Path(shutil.copytree(source, tmp_path / "mcp_agent", ignore=shutil.ignore_patterns("build", "runs", "__pycache__")))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # the example starts `python` and `shopdsl`
    assert shop("compile", cwd=folder).returncode == 0
    wanted = ("--agent", "over_http", "--agent", "over_stdio", "--trial", "tiny/1", "-o", "out")
    done = shop("run", *wanted, cwd=folder, env={"PATH": path})
    assert done.returncode == 0, done.stderr
    http, stdio = (records(folder / "out" / name)["tiny/1"] for name in ("over_http", "over_stdio"))
    assert http["end"]["reason"] == "purchase_complete"
    assert {tool for tool, _, error in _calls(http) if error is None} == {"search_products", "add_to_cart", "checkout"}
    assert _calls(http) == _calls(stdio)
