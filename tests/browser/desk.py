"""A service desk with four cases, and the report of two agents that differ in three of them; what one of them wrote is hostile."""

from __future__ import annotations

import json
from pathlib import Path

from tests.browser.conftest import HOSTILE, TURNED, tool

ID = 'A-1 <b>"late"</b>'
SPECS = """kind: store
name: desk
toolset: service_desk
currency: USD
system: You are the assistant of a kitchen shop.
products:
  kettle: {id: K1, title: Alder Kettle, category: kitchen, price: $39.00}
  teapot: {id: T1, title: Birch Teapot, category: kitchen, price: $24.00}
promotions:
  save_5: {title: SAVE5, when: subtotal >= $30, take: $5, group: code, stacks_with: []}
records:
  order:
    A1: {status: placed, address: 4 Quay Road, paid: $24.00, items: []}
---
kind: cohort
name: desk
title: A service desk
extends: business
store: desk
cases: [price, cancel, move, thanks]
---
kind: suite
name: desk
seed: 1
cohorts: [desk]
rubrics: {desk: business}
---
kind: case
name: price
category: price_calculation
level: basic
provenance: {from: written}
initial_state: {coupons: [save_5]}
utterances: [What do I pay for an Alder Kettle with SAVE5?]
solve: {due: 'price_with([kettle], ["save_5"]).total'}
expect:
  calls: [{tool: calc_price, args: {product_ids: [K1]}}]
  answer: [{money: due}]
---
kind: case
name: cancel
id: ID
category: tool_orchestration
level: medium
provenance: {from: written}
utterances: [Cancel order A1., Thank you.]
expect:
  calls: {all: [{tool: cancel_order, args: {order_id: A1}}], never: [{tool: issue_refund, args: {order_id: A1}}]}
  state: {records: {order: {A1: {status: cancelled, refunded: $24.00}}}}
---
kind: case
name: move
category: tool_orchestration
level: challenge
split: challenge
provenance: {from: written}
utterances: [Send order A1 to 9 Mill Lane instead.]
expect:
  calls: {in_order: [{tool: query_order, args: {order_id: A1}}, {tool: change_address, args: {order_id: A1, address: 9 Mill Lane}}]}
---
kind: case
name: thanks
category: dialogue_state
level: basic
provenance: {from: written}
utterances: ["Is the teapot in stock, and what is it?"]
expect: {answer: [{says: Birch Teapot}]}
---
kind: mutant
name: from_memory
of: oracle
rewrite: [{at: call, drop: true}]
must_worsen: [tool_call_accuracy]
must_keep: [answer_accuracy]
"""
AGENTS = ("oracle", "from_memory")


def desk_report(folder: Path) -> Path:
    """The report, in a folder."""
    package = folder / "package"
    package.mkdir()
    (package / "shopdsl.yaml").write_text("shopdsl: 1\npackage: my_desk\nversion: 0.1.0\ndefault_suite: desk\n", "utf-8")
    (package / "desk.yaml").write_text(SPECS.replace("id: ID", f"id: '{ID}'"), "utf-8")
    tool("compile", "--package", package, "-o", folder / "plan.jsonl")
    tool("run", folder / "plan.jsonl", "--package", package, *(f"--agent={agent}" for agent in AGENTS), "-o", folder / "runs")
    _poison(folder / "runs" / "from_memory" / "records.jsonl")
    tool("report", folder / "runs", "-o", folder / "report")
    return folder / "report"


def _poison(path: Path) -> None:
    """The agent calls a tool that there is not, with a hostile name, text and record."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    record = next(r for r in records if r["trial"] == "desk/1")
    call = {"type": "call", "id": 1, "tool": HOSTILE, "args": {"<u>": HOSTILE}, "result": HOSTILE, "error": None, "finds": []}
    call |= {"product": None, "quantity": None, "query": None, "records": [["order", "A1", {"status": HOSTILE, "<u>": TURNED}]]}
    record["events"].insert(1, call)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
