"""A browser, and reports to open in it: one of hostile records, and one with more trials than the table shows at first."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import CORNER

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
TURNED = "abc\u202edef\u2066\x07\ud800"
TITLE = "<b>Daily</b> & </script> shopping"


def tool(*args: str | Path) -> None:
    """Run `shopdsl`; it must succeed."""
    done = subprocess.run([sys.executable, "-m", "shopdsl.cli", *map(str, args)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def compiled(folder: Path) -> Path:
    """The plan of the small package with a gate, a hostile title and 70 trials."""
    package = Path(shutil.copytree(CORNER, folder / "package"))
    shop = package / "shop.yaml"
    text = shop.read_text("utf-8").replace("trials: 20", f"trials: 70\ntitle: {json.dumps(TITLE)}")
    shop.write_text(text.replace("weights: {outcome: 1}", GATE), "utf-8")
    tool("compile", "--package", package, "-o", folder / "plan.jsonl")
    return folder / "plan.jsonl"


def reported(plan: Path, folder: Path, agents: dict[str, list[str]], change: Callable[[Path], None] = lambda runs: None) -> Path:
    """Let agents play a plan, and write their report."""
    for agent, options in agents.items():
        tool("run", plan, "--agent", agent, "-o", folder / "runs" / agent, *options)
    change(folder / "runs")
    tool("report", folder / "runs", "-o", folder / "report")
    return folder / "report"


GATE = "weights: {outcome: 1}\ngates: [{metric: bought, require: value > 0.9, else: blocked}]"


def poison(runs: Path) -> None:
    """Hostile texts wherever an agent or a customer may write."""
    path = runs / "baseline" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for event in records[0]["events"]:
        _poison(event)
    records[0]["end"]["detail"] = HOSTILE
    records[1]["end"] = {"reason": HOSTILE, "detail": TURNED}
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    manifest = json.loads((runs / "baseline" / "manifest.json").read_text("utf-8"))
    manifest["agent"]["name"] = AGENT
    (runs / "baseline" / "manifest.json").write_text(json.dumps(manifest), "utf-8")


AGENT = "../<i>base</i>line_with_a_name_that_goes_on_and_on_for_ever_and_a_day"


def _poison(event: dict[str, Any]) -> None:
    if event["type"] == "call":
        event["args"] = {"q<u>": HOSTILE, "long": "x" * 30_000}
        event["result"] = [HOSTILE, {"<b>": TURNED}]
        event["error"] = HOSTILE if "cart" not in event and "order" not in event else event["error"]
    else:
        event["text"] = HOSTILE + TURNED + " word" * 40
    if event["type"] == "customer":
        event["said"] = [False for _ in event["said"]]
        event["rationale"], event["meant"] = HOSTILE, HOSTILE


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both reports, made at the same time."""
    plan = compiled(tmp_path_factory.mktemp("plan"))
    agents = {"baseline": ["--limit", "12"], "oracle": ["--limit", "12", "--repeat", "2"]}
    with ThreadPoolExecutor() as pool:
        hostile = pool.submit(reported, plan, tmp_path_factory.mktemp("hostile"), agents, poison)
        long = pool.submit(reported, plan, tmp_path_factory.mktemp("long"), {"silent": ["--repeat", "3"]})
        return {"hostile": hostile.result(), "long": long.result()}


@pytest.fixture(scope="session")
def report(reports: dict[str, Path]) -> Path:
    """A report of two agents; the records of one are hostile, the other has played every trial twice."""
    return reports["hostile"]


@pytest.fixture(scope="session")
def long_report(reports: dict[str, Path]) -> Path:
    """A report with more trials than are shown at first."""
    return reports["long"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module; it is closed with them, for its event loop would be in the way of other tests."""
    if CHROMIUM is None:
        pytest.fail("there is no chromium on this machine; README's second command installs it")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


Open = Callable[..., Page]
Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]


class Visitor:
    """Opens pages and keeps them open: a test that changes one asks for a fresh one. Everything a page complains of is kept."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pages: dict[tuple[object, ...], Page] = {}
        self.complaints: list[str] = []

    def __call__(
        self, path: Path, width: int = 1280, scheme: Scheme = "light", media: Media = "screen", fresh: bool = False
    ) -> Page:
        key = (path, width, scheme, media)
        if fresh or key not in self._pages:
            page = self._open(path, width, scheme, media)
            if fresh:
                return page
            self._pages[key] = page
        return self._pages[key]

    def _open(self, path: Path, width: int, scheme: Scheme, media: Media) -> Page:
        page = self._browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.emulate_media(media=media)
        page.on("console", lambda m: self.complaints.append(m.text))
        page.on("pageerror", lambda e: self.complaints.append(str(e)))
        page.on("request", lambda r: None if r.url == path.as_uri() else self.complaints.append(r.url))
        page.goto(path.as_uri())
        if path.name == "index.html":
            page.wait_for_selector("html[data-drawn]", state="attached", timeout=20_000)
        return page


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Visitor:
    """Who opens the pages."""
    return Visitor(browser)


@pytest.fixture
def visit(visitor: Visitor) -> Iterator[Open]:
    """Open a page; what it says on the console, and what it asks for besides itself, fails the test."""
    yield visitor
    assert not visitor.complaints
