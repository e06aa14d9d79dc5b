"""The pages of business cases, in a browser: which tasks tell agents apart, what failed and why, and no more than cases have."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.desk import ID, desk_report
from tests.browser.test_report import FAINT, OUTSIDE, ROWS, count


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two agents on four cases."""
    return desk_report(tmp_path_factory.mktemp("desk"))


def of(report: Path, agent: str, trial: int) -> Path:
    """The page of a trial."""
    return report / "trials" / agent / f"desk-{trial}.html"


def texts(found: Locator) -> list[str]:
    """What elements say, however they are laid out."""
    return [" ".join(text.split()) for text in found.all_text_contents()]


def heads(page: Page) -> list[str]:
    return page.locator("#table thead th").all_inner_texts()


# ---- the index


def test_the_table_of_trials_has_the_columns_of_cases(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    assert heads(page)[:8] == ["Case", "Agent", "Class", "Level", "Split", "Done", "Credit", "End"]
    row = page.locator(ROWS, has_text="cancel").first
    assert row.locator("a").get_attribute("title") == ID
    assert row.locator("td").all_inner_texts()[:6] == [
        "from_memory",
        "tool orchestration",
        "medium",
        "regression",
        "✕ no",
        "0.25",
    ]
    for gone in ("#f-tier", "#f-reveal"):
        expect(page.locator(gone)).to_be_hidden()
    for gone in ("no tier", "Bought", "Reveal", "fixed"):
        assert gone not in page.inner_text("body")


def test_trials_are_found_by_class_level_done_agent_and_name(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    assert count(page) == 8
    for select, label, left in (
        ("#f-class", "tool orchestration", 4),
        ("#f-level", "challenge", 2),
        ("#f-done", "yes", 1),
        ("#f-agent", "from_memory", 0),
    ):
        page.select_option(select, label=label)
        assert count(page) == left
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("() => document.querySelectorAll('#table tbody tr').length === 8")
    for text in ("MOVE", 'a-1 <b>"late"', "desk/2"):
        page.fill("#f-text", text)
        assert count(page) == 2


def test_one_sees_which_cases_tell_agents_apart(report: Path, visit: Open) -> None:
    page = visit(report / "index.html", fresh=True)
    board = page.locator(".board")
    assert texts(board.locator("tr.group")) == ["dialogue state", "price calculation", "tool orchestration"]
    price = board.locator("tbody tr", has_text="price").nth(1)
    assert texts(price.locator("td a")) == ["✕not done 0.50", "✓done 1.00"]
    assert price.locator("td a").first.get_attribute("title") == "`calc_price` was never called"
    assert price.locator("td a").first.get_attribute("href") == "trials/from_memory/desk-0.html"
    expect(page.get_by_text("3 of 4 cases tell the agents apart")).to_be_visible()
    page.get_by_label("Only cases that tell agents apart").check()
    assert texts(board.locator("tbody tr:not(.group):visible th")) == ["price", "cancel", "move"]
    assert board.locator("tr.group:visible").count() == 2


def test_failed_tasks_stand_there_with_reasons_and_links(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    failed = page.locator(".failed")
    expect(failed.nth(0)).to_contain_text("from_memory: 3 of 4 failed")
    expect(failed.nth(0)).to_contain_text("move: `query_order` was never called; `change_address` was never called")
    expect(failed.nth(1)).to_have_text("oracle: none of 4 failed")
    assert failed.nth(0).locator("a").count() == 3


def test_agents_stand_side_by_side_in_one_table_a_dimension(report: Path, visit: Open) -> None:
    page = visit(report / "index.html")
    assert page.locator(".pairs").count() == 3
    row = page.locator(".pairs").nth(0).locator("tbody tr", has_text="tool orchestration")
    assert row.locator("td").all_inner_texts() == ["2", "0.00", "0.12", "1.00", "1.00"]


# ---- the page of a trial


def test_a_case_says_what_it_is_and_what_it_expects(report: Path, visit: Open) -> None:
    page = visit(of(report, "oracle", 2))
    expect(page.locator("h1")).to_have_text("move")
    assert page.title().startswith("move · desk/2")
    facts = dict(zip(texts(page.locator(".facts dt")), texts(page.locator(".facts dd")), strict=True))
    assert facts == {
        "class": "tool orchestration",
        "level": "challenge",
        "split": "challenge",
        "messages": "1 of 1",
        "tool calls": "2",
    }
    expect(page.locator(".checks")).to_contain_text("change_address: address = 9 Mill Lane, order_id = A1")
    checks = visit(of(report, "from_memory", 1)).locator(".checks tbody tr")
    assert "issue_refund" in checks.nth(1).inner_text()
    assert "order_id = A1" in checks.nth(1).inner_text()
    assert "refunded = $24.00" in checks.nth(2).inner_text()


def test_a_call_shows_what_it_changed(report: Path, visit: Open) -> None:
    page = visit(of(report, "oracle", 1))
    change = page.locator(".changes")
    expect(change).to_contain_text("order A1")
    assert texts(change.locator(".args > div")) == ["refundednone → $24.00", "statusplaced → cancelled"]


def test_what_has_no_effect_on_fixed_messages_is_not_shown(report: Path, visit: Open) -> None:
    page = visit(of(report, "oracle", 1))
    assert page.locator(".message.customer").count() == 2
    text = page.inner_text("body")
    for gone in ("In the cart", "Frustration", "Vocabulary", "Reveal", "The end", "probe over", "gives this text"):
        assert gone not in text
    expect(visit(of(report, "from_memory", 1)).locator(".tag").first).to_have_text("✕ not done")


# ---- texts of others, links, looks


def test_hostile_texts_are_texts(report: Path, visit: Open) -> None:
    for path in (report / "index.html", of(report, "from_memory", 1)):
        page = visit(path)
        assert "broken" not in page.title()
        assert page.locator("img, iframe, object, u, h1 b, .board b, .failed b").count() == 0
    assert "</script><img src=x onerror=" in page.inner_text(".changes")
    assert "abc[U+202E]def" in page.inner_text(".changes")


def test_every_link_lands(report: Path, visit: Open) -> None:
    links: list[str] = visit(report / "index.html").evaluate("[...document.querySelectorAll('a')].map(a => a.href)")
    for path in report.glob("trials/*/*.html"):
        links += [urljoin(path.as_uri(), unescape(h)) for h in re.findall(r'<a [^>]*?href="([^"]*)"', path.read_text("utf-8"))]
    for parts in map(urlsplit, set(links)):
        target = Path(url2pathname(parts.path))
        assert target.is_file()
        assert not parts.fragment or f'id="{parts.fragment}"' in target.read_text("utf-8")


@pytest.mark.parametrize("width", [360, 740, 1280])
def test_nothing_is_clipped_or_faint(report: Path, visit: Open, width: int) -> None:
    for path in (report / "index.html", of(report, "from_memory", 1), of(report, "oracle", 2)):
        page = visit(path, width)
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(FAINT) == []
