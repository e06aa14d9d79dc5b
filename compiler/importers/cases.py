"""Cases in JSON, with the eight fields of an article on commerce agents, as a package. The file is copied as it is; specs point into it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from shopdsl.compiler.importers.listed import Listing, read_listing
from shopdsl.compiler.importers.writing import Imported, ImportFailed, read_text, slug, unique, write_cases
from shopdsl.compiler.importers.yaml_text import document, documents
from shopdsl.dsl import json_text
from shopdsl.dsl.diagnostics import nearest
from shopdsl.dsl.source import Source

KNOWN = frozenset(
    ["case_id", "category", "user_utterances", "initial_state", "available_tools", "expected_tool_calls", "expected_answer",
     "expected_answer_tokens", "success_rule"]
)  # fmt: skip
CLASSES = {
    "intent_clarification": ("intent", "clarif", "意图", "澄清"),
    "product_retrieval": ("retriev", "search", "filter", "检索", "筛选"),
    "tool_orchestration": ("tool", "orchestr", "flow", "order", "after", "工具", "流程", "售后"),
    "dialogue_state": ("dialog", "multi_turn", "state", "多轮", "对话"),
    "price_calculation": ("price", "promo", "coupon", "discount", "价格", "优惠", "促销"),
    "safety_compliance": ("safe", "complian", "privacy", "risk", "安全", "合规", "隐私"),
}
"""Words by which a category is told; the first class that has one is taken."""
RULES = {
    "answer_contains_and_tool_called": ["calls", "answer"], "answer_contains": ["answer"], "contains": ["answer"],
    "strict": ["calls", "answer"], "strict_match": ["calls", "answer"], "exact_match": ["answer"], "tool_called": ["calls"],
}  # fmt: skip
STATUSES = {s: s for s in ("placed", "packed", "shipped", "delivered", "cancelled", "return_requested")} | {
    "paid": "placed", "pending": "placed", "canceled": "cancelled", "已下单": "placed", "已付款": "placed", "待发货": "placed",
    "已打包": "packed", "已发货": "shipped", "运输中": "shipped", "已签收": "delivered", "已送达": "delivered", "已取消": "cancelled",
}  # fmt: skip
"""How states of orders are written, and what `service_desk` calls them."""
_NUMBER = re.compile(r"\d+(?:\.\d{1,2})?")
_CHINESE = re.compile(r"[㐀-鿿]")


def import_cases(file: Path, target: Path, tools: frozenset[str]) -> Imported:
    """Write the package; `tools` are those of the toolset `service_desk`. Raises ImportFailed."""
    kept = file.name + (".txt" if file.suffix.lower() in (".yaml", ".yml") else "")  # YAML of a package is specs
    source = Source(f"data/{kept}", read_text(file))
    reader = Cases(source, read_listing(source, file.name), tools)
    cases = reader.read()
    (target / "data").mkdir(parents=True, exist_ok=True)
    (target / "data" / kept).write_bytes(file.read_bytes())
    (target / "shopdsl.yaml").write_text(document(_manifest(target)), "utf-8")
    (target / "shop.yaml").write_text(documents(reader.shop()), "utf-8")
    write_cases(target, cases)
    return Imported(len(cases), 0, reader.left)


_EXPECTED = {
    "expected_tool_calls": "no call is expected",
    "success_rule": "all that is expected counts",
}
"""Fields without which a case is weaker than it may look."""
_SHAPES = (
    ("user_utterances", list, "a list of texts"), ("initial_state", dict, "an object"), ("available_tools", list, "a list of texts"),
    ("expected_tool_calls", list, "a list of calls"), ("expected_answer", (list, str, int, Decimal), "a text or a list of texts"),
    ("expected_answer_tokens", (list, str), "a text or a list of texts"), ("success_rule", str, "a text"),
)  # fmt: skip


def _depth(value: Any) -> int:
    """How deep a value nests; 1,000 where it is too deep to say."""
    levels, depth = [value], 0
    while levels and depth < 1_000:
        levels = [m for v in levels if isinstance(v, dict | list) for m in (v.values() if isinstance(v, dict) else v)]
        depth += 1
    return depth


def _manifest(target: Path) -> dict[str, Any]:
    return {"shopdsl": 1, "package": slug(target.resolve().name), "version": "0.1.0", "requires": {}, "default_suite": "cases"}


@dataclass
class Cases:
    """The cases of a file, and what they need of a shop."""

    source: Source
    listing: Listing
    tools: frozenset[str]
    left: list[str] = field(default_factory=list)
    promotions: dict[str, Any] = field(default_factory=dict)
    stubs: dict[str, Any] = field(default_factory=dict)
    slugs: dict[str, str] = field(default_factory=dict)
    sign: str = "¥"
    nameless: set[str] = field(default_factory=set)

    def read(self) -> list[dict[str, Any]]:
        """A spec for every case."""
        self.sign = "¥" if _CHINESE.search(self.source.text) or "¥" in self.source.text else "$"
        names: set[str] = set()
        ids: set[str] = set()
        result = []
        for number, case in enumerate(self.listing.data):
            line = self.listing.line(number)
            self._check(case, f"{self.name}:{line}: case {number + 1}")
            made = self._case(case, number, line)
            if made["id"] in ids:
                raise ImportFailed(f"{self.name}:{line}: there are two cases {made['id']!r}")
            ids.add(made["id"])
            made["name"] = unique(made["name"], names)
            result.append(made)
        return result

    @property
    def name(self) -> str:
        """The file as its author knows it."""
        return self.source.path.removeprefix("data/").removesuffix(".txt")

    def _check(self, case: Any, where: str) -> None:
        """The parts of a case have the shapes that they must have; raises ImportFailed."""
        if not isinstance(case, dict):
            raise ImportFailed(f"{where} is not an object")
        for key, kind, words in _SHAPES:
            given = case.get(key)
            if given is not None and not isinstance(given, kind):
                raise ImportFailed(f"{where}: `{key}` must be {words}")
        if not case.get("user_utterances"):
            raise ImportFailed(f"{where} has no `user_utterances`")
        if not all(isinstance(t, str) for key in ("user_utterances", "available_tools") for t in case.get(key) or ()):
            raise ImportFailed(f"{where}: utterances and tools are texts")
        for call in case.get("expected_tool_calls") or ():
            named = isinstance(call, dict) and isinstance(call.get("name", call.get("tool")), str)
            if not isinstance(call, str) and not (named and isinstance(_arguments(call), dict | None)):
                raise ImportFailed(f"{where}: an expected call is the name of a tool, or an object with `name` and `arguments`")
        if _depth({k: v for k, v in case.items() if k in KNOWN}) > 30:
            raise ImportFailed(f"{where} nests more than 30 deep")

    def _case(self, case: dict[str, Any], number: int, line: int) -> dict[str, Any]:
        id = str(case["case_id"]) if case.get("case_id") is not None else unique(f"case_{line}", self.nameless)
        chinese = any(_CHINESE.search(str(u)) for u in case["user_utterances"])
        used = KNOWN - ({"expected_answer"} if _answer_key(case) != "expected_answer" else set())
        unknown = {k: v for k, v in case.items() if k not in used and _depth(v) <= 30}
        self._tell(case, id, line)
        category, tags = _category(case.get("category"))
        lines = {part: self.listing.line(number, key) for part, key in self._parts(case)}
        calls, answer = self._calls(case), _answer(case, self.sign)
        return {
            "kind": "case", "name": slug(id), "id": id, **({"category": category} if category else {}), **({"tags": tags} if tags else {}),
            "locale": "zh-CN" if chinese else "en", "provenance": {"from": "import"},
            "origin": {"file": self.source.path, "line": line, "lines": lines, **({"data": _plain(unknown)} if unknown else {})},
            **self._state(case.get("initial_state") or {}),
            "utterances": [str(u) for u in case["user_utterances"]],
            **({"available_tools": [self._tool(t) for t in case["available_tools"]]} if case.get("available_tools") else {}),
            "expect": {k: v for k, v in (("calls", calls), ("answer", answer)) if v},
            **self._success(id, case.get("success_rule")),
        }  # fmt: skip

    def _tell(self, case: dict[str, Any], id: str, line: int) -> None:
        """What is not read, and what is not there: people should see it before anything is scored."""
        where = f"case {id} ({self.name}:{line})"
        for key in sorted(map(str, case.keys() - KNOWN)):
            near = nearest(key, KNOWN)
            self.left += [f"{where}: {key!r} is no field that is read: {near}"] if near else []
            self.left += [f"{where}: {key!r} nests too deep to be kept"] if _depth(case.get(key)) > 30 else []
        for key, meaning in _EXPECTED.items():
            if not case.get(key):
                self.left.append(f"{where} has no `{key}`: {meaning}")
        if case.get("available_tools") == []:
            self.left.append(f"{where}: `available_tools` is empty: all tools are offered")

    def _parts(self, case: dict[str, Any]) -> list[tuple[str, str]]:
        return [(part, key) for part, key in (("calls", "expected_tool_calls"), ("answer", _answer_key(case))) if key in case]

    def _calls(self, case: dict[str, Any]) -> Any:
        calls = [self._call(c) for c in case.get("expected_tool_calls") or []]
        return {"all": calls} if calls else None

    def _call(self, call: Any) -> Any:
        if isinstance(call, str):
            return self._tool(call)
        given = _arguments(call)
        name = self._tool(str(call.get("name") or call.get("tool")))
        if name in self.stubs and given:
            given = self._named(name, given)
            params = self.stubs[name].setdefault("params", {})
            params |= {k: {"type": _type(v), "optional": True} for k, v in given.items() if k not in params}
        return {"tool": name, "args": _plain(given)} if given else name

    def _named(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        """Arguments under names of the language; raises ImportFailed where two of them become one."""
        named = {slug(k): v for k, v in given.items()}
        if len(named) < len(given):
            raise ImportFailed(f"{self.name}: arguments of {tool} cannot be told apart: {', '.join(given)}")
        return named

    def _tool(self, name: Any) -> str:
        """A tool's name in the new package; one that the service desk lacks becomes a look at the case's facts."""
        made = self.slugs.setdefault(str(name), unique(slug(str(name)), set(self.slugs.values())))
        if made not in self.tools and made not in self.stubs:
            self.stubs[made] = {
                "class": "lookup",
                "role": "look",
                "doc": f"{name} (imported): gives what the case says of its state.",
                "result": "facts",
            }
            self.left.append(
                f"the tool {name} is not one of `service_desk`: it gives the case's `initial_state`; write it in shop.yaml"
            )
        return made

    def _state(self, state: dict[str, Any]) -> dict[str, Any]:
        """All of the state as facts; a product and coupons where its keys say so."""
        made: dict[str, Any] = {"facts": _plain(state)} if state else {}
        price = state.get("sale_price", state.get("price"))
        if isinstance(state.get("product_id"), str | int) and _amount(price):
            id, title = str(state["product_id"]), state.get("title")
            shown = title if isinstance(title, str) and title.strip() else id
            made["products"] = {slug(id): {"id": id, "title": shown, "price": f"{self.sign}{_plain(price)}"}}
        made |= self._order(state)
        coupons = [
            self._coupon(k, v, bool(state.get("stackable"))) for k, v in state.items() if k.endswith("_coupon") and _amount(v)
        ]
        if coupons:
            made["coupons"] = coupons
        return {"initial_state": made} if made else {}

    def _order(self, state: dict[str, Any]) -> dict[str, Any]:
        """The order that a state tells of, as a record of `service_desk`."""
        told = state["order"] if isinstance(state.get("order"), dict) else state
        key, status = told.get("order_id"), STATUSES.get(str(told.get("status", told.get("order_status"))).lower())
        if not isinstance(key, str) or not key:
            return {}
        if status is None:
            self.left.append(f"the order {key} has no status that `service_desk` knows: write its record in `initial_state`")
            return {}
        more = {k: v for k in ("address", "tracking", "placed_on", "delivered_on") if isinstance(v := told.get(k), str)}
        return {"records": {"order": {key: {"status": status, "items": [], **more}}}}

    def _coupon(self, key: str, amount: Any, stackable: bool) -> str:
        group = slug(key.removesuffix("_coupon"))
        amount = _plain(amount)
        name = slug(f"{key}_{amount}{'_stackable' if stackable else ''}")
        self.promotions[name] = {"take": f"{self.sign}{amount}", "group": group, **({} if stackable else {"stacks_with": []})}
        return name

    def _success(self, id: str, rule: Any) -> dict[str, Any]:
        if rule is None:
            return {}
        counted = RULES.get(str(rule))
        if counted is None:
            self.left.append(f"case {id}: the rule {rule!r} is not known; all that is expected counts")
            return {}
        if str(rule) in ("strict", "strict_match", "exact_match"):
            self.left.append(f"case {id}: the rule {rule!r} is read as: every part of the answer, and every call")
        return {"success": " and ".join(counted)}

    def shop(self) -> list[dict[str, Any]]:
        """Toolset, store, cohort and suite."""
        toolset = {"kind": "toolset", "name": "tools", "extends": "service_desk", "tools": self.stubs}
        store = {
            "kind": "store", "name": "shop", "toolset": "tools" if self.stubs else "service_desk", "currency": "CNY" if self.sign == "¥" else "USD",
            **({"promotions": self.promotions} if self.promotions else {}),
        }  # fmt: skip
        cohort = {"kind": "cohort", "name": "cases", "extends": "business", "store": "shop", "cases": {"split": "regression"}}
        suite = {"kind": "suite", "name": "cases", "seed": 1, "cohorts": ["cases"], "rubrics": {"cases": "business"}}
        return [*([toolset] if self.stubs else []), store, cohort, suite]


def _category(given: Any) -> tuple[str | None, list[str]]:
    """One of the six classes, and the category itself as a tag."""
    text = str(given or "").lower()
    found = next((name for name, words in CLASSES.items() if text == name or any(w in text for w in words)), None)
    tag = slug(text) if text and text != found else ""
    return found, [tag] if tag else []


def _arguments(call: dict[str, Any]) -> Any:
    """The arguments of a call, if it has some: an object, or a text that holds one."""
    given = next((call[k] for k in ("arguments", "parameters", "args") if call.get(k) is not None), None)
    if isinstance(given, str):
        try:
            return json_text.parse(given)
        except json_text.BadJson:
            return given
    return given


def _type(value: Any) -> Any:
    """The type of a stub's parameter, after an argument of it."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, list):
        return {"list": _type(value[0]) if value else "text"}
    return "number" if isinstance(value, int | Decimal) else "text"


def _written(token: Any) -> str:
    """A token of an answer as text; raises ImportFailed for what nobody says."""
    if isinstance(token, bool) or not isinstance(token, str | int | float | Decimal):
        raise ImportFailed(f"what is expected of an answer is a text or a number, and not {json.dumps(token, default=str)[:80]}")
    return str(token)


def _answer_key(case: dict[str, Any]) -> str:
    """The field that says what is looked for in the answer: the tokens where there are some, else the answer itself."""
    return "expected_answer_tokens" if case.get("expected_answer_tokens") else "expected_answer"


def _answer(case: dict[str, Any], sign: str) -> Any:
    given = case.get(_answer_key(case))
    tokens = [_written(t) for t in (given if isinstance(given, list) else [given]) if t is not None and t != ""]
    parts = [{"money": f"{sign}{t}"} if _NUMBER.fullmatch(t) else {"says": t} for t in tokens]
    return {"all": parts} if parts else None


def _amount(value: Any) -> bool:
    """Can this be an amount of money, in whole minor units?"""
    return (
        isinstance(value, int | Decimal) and not isinstance(value, bool) and 0 < value < 10**9 and value * 100 == int(value * 100)
    )


def _plain(value: Any) -> Any:
    """JSON data for YAML: exact decimals as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value
