"""The report of eight agents with 160 trials each: the time it takes beside scoring them, the size of its pages, and how soon a browser shows it."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import bound, fastest, figure, package, process, skipped, title, tool

AGENTS, TRIALS, TIMES = 8, 160, 3
SPECS = f"""
kind: catalog
name: snacks
extends: std.pantry_snacks
category: {{share: 60%}}
---
kind: catalog
name: drinks
extends: std.beverages
category: {{share: 40%}}
---
kind: catalog
name: small
extends: std.general
size: 400
of: [snacks, drinks]
---
kind: store
name: small
extends: std.general
catalog: small
search: {{engine: lexical}}
---
kind: cohort
name: general
extends: std.general
store: small
trials: {TRIALS}
---
kind: suite
name: general
seed: 1
cohorts: [general]
rubrics: {{general: std.general}}
"""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Play with two agents, call their runs those of eight, write the report, open it."""
    title(f"report: {AGENTS} agents with {TRIALS} trials each")
    with TemporaryDirectory(prefix="shopdsl-bench-") as name, package(SPECS) as specs:
        folder = Path(name)
        runs = _runs(folder, specs)
        score, write = fastest([lambda: _score(runs), lambda: process(tool(), "report", str(runs), "-o", str(folder / "out"))], 2)
        pages = sorted((folder / "out").rglob("*.html"), key=lambda p: p.stat().st_size)
        figure("score all runs, one process each", score, "s")
        figure("write the report", write, "s")
        figure("pages", len(pages), "")
        figure("one page", 1000 * write / len(pages), "ms")
        bound("write the report / score all runs", write / score, 2)
        bound("the index", (folder / "out" / "index.html").stat().st_size / 1e6, 2, "MB")
        bound("the largest page of a trial", [p for p in pages if p.name != "index.html"][-1].stat().st_size / 1e6, 2, "MB")
        _open(folder / "out" / "index.html")


def _runs(folder: Path, specs: Path) -> Path:
    """A folder with eight runs."""
    plan = folder / "plan.jsonl"
    process(tool(), "compile", "--package", str(specs), "general", "-o", str(plan))
    for agent in ("baseline", "oracle"):
        process(tool(), "run", str(plan), "--agent", agent, "-o", str(folder / agent))
    for number in range(AGENTS):
        run = Path(shutil.copytree(folder / ("baseline", "oracle")[number % 2], folder / "runs" / f"agent_{number}"))
        manifest = json.loads((run / "manifest.json").read_text("utf-8"))
        manifest["agent"]["name"] = run.name
        (run / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return folder / "runs"


def _score(runs: Path) -> None:
    for run in sorted(runs.iterdir()):
        process(tool(), "score", str(run))


def _open(index: Path) -> None:
    """Seconds until the table can be used, and until the charts are drawn."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return skipped("opening the index", "playwright is not installed")
    if chromium is None:
        return skipped("opening the index", "there is no chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        spent = [_visit(browser.new_page(), index.as_uri()) for _ in range(TIMES)]
        browser.close()
    ready, drawn, filtered = (sorted(column)[TIMES // 2] for column in zip(*spent, strict=True))
    bound("open the index until it can be used", ready, 3, "s")
    bound("open the index until all charts are drawn", drawn, 3, "s")
    figure("one filter", filtered * 1000, "ms")


def _visit(page: Any, address: str) -> tuple[float, float, float]:
    started = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("html[data-ready]", state="attached")
    ready = time.perf_counter() - started
    page.wait_for_selector("html[data-drawn]", state="attached")
    drawn = time.perf_counter() - started
    page.select_option("#f-agent", index=1)
    return ready, drawn, time.perf_counter() - started - drawn


if __name__ == "__main__":
    sys.exit(main())
