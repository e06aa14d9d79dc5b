"""The pages of a report, in a browser: they need no network, show hostile texts as texts, and can be read on every screen and on paper."""

from __future__ import annotations

import re
import shutil
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import url2pathname

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AGENT, TITLE, Open
from tests.conftest import Shop

MOST_BYTES = 2_000_000
ROWS = "#table tbody tr"


def first(report: Path, agent: str = "oracle") -> Path:
    """A trial's page of an agent: of the first trial in the order of names."""
    folder = next(p for p in sorted((report / "trials").iterdir()) if agent in p.name)
    return sorted(folder.iterdir())[0]


def poisoned(report: Path) -> Path:
    """The page of the record that holds hostile texts."""
    return next(p for p in sorted(report.glob("trials/*/*.html")) if "x" * 10_000 in p.read_text("utf-8"))


# ---- what is shown


def test_the_index_shows_scores_gates_judge_and_view(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    expect(page.locator("h1")).to_have_text("2 agents compared")
    rows = page.locator(".scores tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("BLOCKED")
    expect(rows.nth(1)).to_contain_text("passed: bought")
    expect(rows.nth(1)).to_contain_text("1.000")
    expect(page.locator(".facts")).to_contain_text("heuristic: rules, no model")
    expect(page.locator(".facts")).to_contain_text("full")
    assert page.locator(".chart svg").count() == 4
    expect(page.get_by_text("k = 2: 1.000").first).to_be_visible()


def test_every_metric_stands_there_with_each_agent(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    names = page.locator(".metrics tbody th[rowspan]").count()
    assert names > 20
    assert page.locator(".metrics td.who").count() == 2 * names
    expect(page.locator(".metrics")).to_contain_text("weight 1")


def test_the_distribution_follows_the_chosen_metric(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    chart, spread = page.locator("[data-chart=distribution]"), page.locator("[data-spread]")
    before = chart.inner_html()
    page.select_option("[data-distribution]", "item_recall")
    expect(spread).to_contain_text("n 24, n/a 0")
    page.wait_for_function("before => document.querySelector('[data-chart=distribution]').innerHTML !== before", arg=before)


def test_a_trial_shows_the_conversation_beside_the_calls(report: Path, visit: Open) -> None:
    page = visit(first(report))
    expect(page.locator(".message.customer").first).to_contain_text("Directive")
    expect(page.locator(".message.customer").first).to_contain_text("Frustration")
    expect(page.locator(".step.reveal").first).to_contain_text("Asked for")
    expect(page.locator(".call").first).to_contain_text("search_products")
    expect(page.locator(".found .hit").first).to_contain_text("wanted")
    expect(page.locator(".cart").first).to_contain_text("+")
    expect(page.locator(".goods tbody tr").first).to_contain_text("as wanted")
    left, right = page.locator(".message.customer").first.bounding_box(), page.locator(".call").first.bounding_box()
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]


def test_a_metric_marks_the_moments_that_decided_it(report: Path, visit: Open) -> None:
    page = visit(first(report), fresh=True)
    button = page.locator(".value button:enabled").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    links = page.locator(".value:has(button[aria-pressed=true]) .moments a")
    assert page.locator(".marked").count() == len({links.nth(i).get_attribute("href") for i in range(links.count())}) > 0
    page.keyboard.press("Enter")
    assert page.locator(".marked").count() == 0


def test_unfaithful_messages_are_flagged(report: Path, visit: Open) -> None:
    page = visit(poisoned(report))
    expect(page.locator(".message.customer .flag").first).to_contain_text("Not faithful:")
    expect(page.locator(".step.reveal").first).to_contain_text("not said")
    expect(visit(report / "index.html").locator(".cohort .note")).to_contain_text("not faithful to its directives in 1 trial")


# ---- filters


def count(page: Page) -> int:
    return page.locator(ROWS).count()


def test_filters_narrow_the_table_and_can_be_cleared(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    whole = count(page)
    assert whole == 36
    page.select_option("#f-agent", label="oracle")
    assert count(page) == 24
    page.select_option("#f-tier", label="simple")
    narrowed = count(page)
    assert 0 < narrowed < 24
    expect(page.locator("#count")).to_contain_text(f"{narrowed} of 36 trials")
    for select, column in (("#f-reveal", 3), ("#f-end", 4)):
        page.select_option(select, index=1)
        shown = page.locator(f"{select} option").nth(1).inner_text()
        cells = page.locator(f"{ROWS} :nth-child({column + 1})").all_inner_texts()
        assert set(cells) <= {shown}
        page.select_option(select, index=0)
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("n => document.querySelectorAll('#table tbody tr').length === n", arg=whole)


def test_values_filter_and_order_the_table(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    page.select_option("#f-metric", label="Recall of items")
    page.fill("#f-high", "0.99")
    values = [float(v) for v in page.locator(f"{ROWS} td.n").all_inner_texts()]
    assert all(v <= 0.99 for v in values)
    page.fill("#f-high", "")
    page.select_option("#f-order", "low")
    values = [float(v) for v in page.locator(f"{ROWS} td.n").all_inner_texts() if v not in ("n/a", "unscored")]
    assert values == sorted(values)
    assert values[-1] == 1
    page.fill("#f-low", "1")
    assert count(page) == values.count(1.0)


def test_text_search_finds_trials_and_products(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    page.fill("#f-text", "daily/7")
    assert count(page) == 3
    product = page.locator(".what").first.inner_text().split(" × ")[1].split(",")[0]
    page.fill("#f-text", product.upper())
    assert 0 < count(page) < 36
    page.fill("#f-text", "no such thing")
    assert count(page) == 0


def test_a_long_table_shows_its_beginning_and_all_of_it_on_demand_and_on_paper(long_report: Path, visit: Open) -> None:
    page = visit(long_report / "index.html", fresh=True)
    assert count(page) == 200
    page.get_by_role("button", name="Show all").click()
    assert count(page) == 210
    page = visit(long_report / "index.html", fresh=True)
    page.emulate_media(media="print")
    page.wait_for_function("() => document.querySelectorAll('#table tbody tr').length === 210")


# ---- links


def test_every_link_lands_on_a_page_and_an_anchor(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    links: list[str] = page.evaluate("[...document.querySelectorAll('a')].map(a => a.href)")
    for path in report.glob("trials/*/*.html"):
        links += [urljoin(path.as_uri(), unescape(h)) for h in re.findall(r'<a [^>]*?href="([^"]*)"', path.read_text("utf-8"))]
    anchors: dict[Path, set[str]] = {}
    for link in set(links):
        parts = urlsplit(link)
        target = Path(url2pathname(parts.path))
        assert parts.scheme == "file"
        assert target.is_file(), link
        if target not in anchors:
            anchors[target] = set(re.findall(r'\bid="([^"]*)"', target.read_text("utf-8")))
        assert not parts.fragment or unquote(parts.fragment) in anchors[target], link


def test_trials_lead_to_their_neighbours_and_to_other_agents(report: Path, visit: Open) -> None:
    page = visit(first(report))
    expect(page.get_by_role("navigation", name="The same trial").locator("a")).to_have_count(2)
    assert page.locator("a[rel=next], a[rel=prev]").count() >= 1


# ---- hostile texts


def test_hostile_texts_are_texts(report: Path, visit: Open) -> None:
    for path in (report / "index.html", poisoned(report)):
        page = visit(path)
        assert "broken" not in page.title()
        assert page.locator("img, iframe, object, form:not(#filters, .vega-bindings), b > b, u").count() == 0
        assert page.evaluate("document.scripts.length") == (3 if path.name == "index.html" else 1)
    text = page.inner_text("body")
    assert "</script><img src=x onerror=" in text
    assert "abc[U+202E]def[U+2066][U+0007][U+D800]" in text
    assert "more characters are in the record" in text


def test_hostile_names_are_texts_and_stay_in_the_folder(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    expect(page.locator(".scores")).to_contain_text(AGENT)
    expect(page.locator("h2").first).to_contain_text(TITLE)
    assert page.locator("i:not(.bar i)").count() == 0
    assert {p.name for p in report.iterdir()} == {".shopdsl-report", "index.html", "trials"}
    assert len(list((report / "trials").iterdir())) == 2


def test_a_chart_tells_its_figures_as_text(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    page.locator("[data-chart=profile] .mark-symbol path").first.hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text(AGENT)
    assert tip.locator("i").count() == 0


def test_a_policy_forbids_all_that_is_not_on_the_page(report: Path) -> None:
    for path in (report / "index.html", first(report)):
        policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', path.read_text("utf-8"))[0]
        rules = {name: set(values) for name, *values in (rule.split() for rule in policy.split(";"))}
        assert rules["default-src"] == {"'none'"}
        assert all(value.startswith("'sha256-") for value in rules["script-src"])
        assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}


# ---- looks


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_clipped_or_sticks_out(report: Path, visit: Open, width: int) -> None:
    for path in (report / "index.html", first(report), poisoned(report)):
        page = visit(path, width)
        assert page.evaluate(OUTSIDE) == []


OUTSIDE = """() => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide`);
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('.hide, .skip, script, noscript, thead') || !e.checkVisibility()) continue;
    const r = e.getBoundingClientRect();
    if (!r.width || !r.height) continue;
    const name = `${e.tagName}.${e.className.baseVal ?? e.className} ${e.textContent.slice(0, 40)}`;
    if (r.right > innerWidth + 1 || r.left < -1) found.push(`outside: ${name}`);
    const style = getComputedStyle(e);
    if (e.clientWidth && e.tagName !== 'SELECT' && style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) found.push(`clipped: ${name}`);
    const svg = e.tagName === 'text' && e.closest('.chart');
    if (svg) {
      const box = svg.getBoundingClientRect();
      if (r.left < box.left - 1 || r.right > box.right + 1) found.push(`label: ${name}`);
    }
  }
  return found;
}"""


def test_light_and_dark_differ_and_can_be_read(report: Path, visit: Open) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        for path in (report / "index.html", first(report), poisoned(report)):
            page = visit(path, scheme=scheme)
            grounds.add(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
            assert page.evaluate(FAINT) == []
    assert len(grounds) == 2


FAINT = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest('script, style, noscript')) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parse(e.closest('svg') ? style.fill : style.color)), light(ground(e))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) faint.add(`${ratio.toFixed(2)} ${e.tagName}.${e.className.baseVal ?? e.className} ${e.textContent.slice(0, 30)}`);
  }
  for (const mark of document.querySelectorAll('.mark, .swatch')) {
    const [a, b] = [light(parse(getComputedStyle(mark).color)), light(ground(mark.parentElement))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 3) faint.add(`mark ${mark.getAttribute('class')}`);
  }
  return [...faint];
}"""


def test_charts_follow_the_scheme_while_the_page_is_open(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    colour = "getComputedStyle(document.querySelector('.chart svg text')).fill"
    before = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {colour} !== before", arg=before)


def test_paper_shows_everything(report: Path, visit: Open) -> None:
    page = visit(first(report), media="print")
    hidden = "[...document.querySelectorAll('pre, .moments, .found li')].filter(e => !e.getBoundingClientRect().height).length"
    assert page.locator("pre").count() > 0
    assert page.evaluate(hidden) == 0
    page = visit(report / "index.html", media="print")
    assert not page.locator("#filters").is_visible()
    assert count(page) == 36
    assert page.evaluate(OUTSIDE) == []


def test_headings_descend_by_one(report: Path, visit: Open) -> None:
    for path in (report / "index.html", first(report)):
        levels = visit(path).evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_keyboard_reaches_everything(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert reached[0] == "Skip to the trials"
    assert {"All trials", "f-agent", "f-text"} <= set(reached)
    labelled = "[...document.querySelectorAll('select, input')].every(e => e.labels.length === 1)"
    assert page.evaluate(labelled)


# ---- files


def test_no_page_is_large(report: Path, long_report: Path) -> None:
    assert all(p.stat().st_size < MOST_BYTES for folder in (report, long_report) for p in folder.rglob("*.html"))


def test_a_report_replaces_a_report_and_nothing_else(report: Path, shop: Shop, tmp_path: Path) -> None:
    runs = report.parent / "runs"
    (tmp_path / "letter.txt").write_text("keep me", "utf-8")
    done = shop("report", runs / "oracle", "-o", tmp_path)
    assert done.returncode == 2
    assert "holds other files than a report" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]
    old = shutil.copytree(report, tmp_path / "old")
    done = shop("report", runs / "oracle", "-o", old)
    assert done.returncode == 0
    assert "(24 trials)" in done.stdout
    assert [p.name for p in (old / "trials").iterdir()] == ["oracle"]


def test_what_cannot_be_compared_is_refused(report: Path, shop: Shop, tmp_path: Path) -> None:
    theirs = shutil.copytree(report.parent / "runs" / "oracle", tmp_path / "theirs")
    manifest = (theirs / "manifest.json").read_text("utf-8")
    (theirs / "manifest.json").write_text(re.sub('"plan": "[^"]*"', '"plan": "another"', manifest), "utf-8")
    done = shop("report", report.parent / "runs", theirs, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "theirs was played on another plan" in done.stderr
    assert not (tmp_path / "out").exists()
    (tmp_path / "empty").mkdir()
    done = shop("report", tmp_path / "empty", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "holds no run" in done.stderr
