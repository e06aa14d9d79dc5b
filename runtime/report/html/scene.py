"""One trial as its page shows it: turn by turn what was said beside what was done, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from typing import Any

from shopdsl.dsl.catalog import Product
from shopdsl.dsl.env import Lazy
from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import Bag, Money
from shopdsl.runtime.examine import LOST, Look
from shopdsl.runtime.metric import Moment
from shopdsl.runtime.report.changes import Change, Records
from shopdsl.runtime.report.html.cases import Case, case_of
from shopdsl.runtime.report.html.data import GROUPS
from shopdsl.runtime.report.html.expected import Expected, expected
from shopdsl.runtime.report.tasks import SOUND
from shopdsl.runtime.report.text import compact
from shopdsl.runtime.world import FIXED

DUTIES = {"expected": "expected", "allowed": "allowed", "wrong_argument": "wrong argument", "none": "unnecessary"}


@dataclass(frozen=True)
class Line:
    """A product with how many were wanted and how many there are."""

    product: str
    title: str
    price: str
    wanted: int
    got: int


@dataclass
class Reveal:
    """A beat that came out with a message."""

    beat: str
    items: list[str]
    about: str
    to: str
    said: bool
    waits: bool


@dataclass
class Message:
    """What was written; the fields after `text` are of the customer."""

    at: int
    role: str
    text: str
    meant: str = ""
    told: str = ""
    why: str = ""
    frustration: int = 0
    stop: str = ""
    gives: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


@dataclass
class Call:
    """A tool call, what came back, and the cart after a write. Of what was found `got` is the rank, of the cart `wanted` is what it held before."""

    at: int
    tool: str
    kind: str
    duty: str
    args: list[tuple[str, str]]
    error: str | None
    found: list[Line]
    result: str
    cart: list[Line] | None
    total: str
    order: str
    changes: list[Change]


@dataclass
class Turn:
    """A customer's message and the agent's turn; the last one may have no answer."""

    number: int
    customer: Message | None = None
    reveals: list[Reveal] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    due: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    answers: list[Message] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Is it an end at which nothing was said or done?"""
        done = self.calls or self.answers or self.reveals or self.missing
        return not done and self.customer is not None and bool(self.customer.stop) and not self.customer.text.strip()


@dataclass
class Value:
    """A metric of this trial and the moments that decided it."""

    name: str
    title: str
    doc: str
    better: str
    text: str
    good: float | None
    moments: list[Moment]


@dataclass
class Scene:
    """The page of a trial."""

    trial: str
    cohort: str
    end: str
    detail: str
    about: list[tuple[str, str]]
    persona: list[tuple[str, str]]
    goods: list[Line]
    order: str
    turns: list[Turn]
    values: dict[str, list[Value]]
    checks: list[Expected]
    broken: list[str]
    case: Case
    fixed: bool

    @property
    def sound(self) -> bool:
        """Did it end as a case whose texts are given ends? Then its end says nothing."""
        return self.fixed and self.end in SOUND

    @property
    def wants(self) -> bool:
        """Does the trial want products? In a case that wants none there is no difference, and nothing is owed."""
        return any(line.wanted for line in self.goods)

    @property
    def decided(self) -> bool:
        """Is there a metric that knows its moments?"""
        return any(v.moments for group in self.values.values() for v in group)


def scene(look: Look) -> Scene:
    """A record as a page shows it."""
    data, record = look.trial.data, look.record
    scored, fixed = record["end"]["reason"] not in LOST, data["reveal"] == FIXED
    case = case_of(look, scored)
    turns = _Reading(look).turns(record["events"])
    return Scene(
        record["trial"],
        record["cohort"],
        record["end"]["reason"],
        compact(record["end"].get("detail") or ""),
        _about(look, record, case),
        [] if fixed else sorted((k.replace("_", " "), str(v).replace("_", " ")) for k, v in data["persona"].items()),
        _goods(look, record["final"].get("cart") or {}),
        _order(record["events"], look.trial.store.catalog.currency),
        turns,
        _values(look) if scored else {},
        expected(look) if scored else [],
        _broken(look) if scored else [],
        case,
        fixed,
    )


def _about(look: Look, record: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """What a trial was drawn as, or what its case is."""
    data = look.trial.data
    drawn = data["drawn"]
    of_case = {"case": case.id, "class": case.category, "level": case.level, "split": case.split}
    facts: list[tuple[str, Any]] = [(name, value or None) for name, value in of_case.items()]
    facts += [("tier", drawn.get("tier")), ("difficulty", drawn.get("difficulty"))]
    facts += [("reveal", None if data["reveal"] == FIXED else data["reveal"])]
    turns = sum(e["type"] == "customer" and e.get("stop") is None for e in record["events"])
    facts += [
        ("messages", f"{turns} of {'' if data['reveal'] == FIXED else 'at most '}{data['turn_budget']}"),
        ("tool calls", sum(e["type"] == "call" for e in record["events"])),
    ]
    return [(name, str(value)) for name, value in facts if value is not None]


def _order(events: list[dict[str, Any]], currency: str) -> str:
    order = next((e["order"] for e in events if e.get("order")), None)
    if order is None:
        return ""
    return f"order {order['id']}" + (f", {Money(order['total'], currency)}" if order.get("total") else "")


def _goods(look: Look, cart: dict[str, int]) -> list[Line]:
    """What was wanted beside what is there at the end: the wanted first, then what is there besides."""
    wanted = {i.product.id: i.quantity for i in look.trial.items()}
    by_id = look.trial.store.catalog.by_id
    return [line(by_id.get(i), i, wanted.get(i, 0), cart.get(i, 0)) for i in dict.fromkeys([*wanted, *cart])]


def line(product: Product | None, id_: str, wanted: int, got: int) -> Line:
    """A product of the catalog; one that is not in it is shown by its id."""
    return Line(id_, product.title if product else id_, str(product.price) if product else "", wanted, got)


def _values(look: Look) -> dict[str, list[Value]]:
    groups: dict[str, list[Value]] = {}
    for name, value in look.values.items():
        about = look.examiner.metrics[name].data
        groups.setdefault(about["group"], []).append(
            Value(
                name,
                about["title"],
                about.get("doc") or "",
                about["better"],
                *_figure(value, about["better"], about.get("scale", "share")),
                [] if value is None else look.moments(name),
            )
        )
    order = {g: i for i, g in enumerate(GROUPS)}
    return dict(sorted(groups.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0])))


def _broken(look: Look) -> list[str]:
    """The rules of its case that a trial broke."""
    found = look.names["verdict"].get()
    return found.broken if found is not None else []


def _figure(value: float | None, better: str, scale: str) -> tuple[str, float | None]:
    if value is None:
        return "n/a", None
    if isnan(value):
        return "unscored", None
    if scale == "count":
        return f"{value:.0f}", None
    return f"{value:.3f}", value if better == "higher" else 1 - value


class _Reading:
    """Reads events in their order and groups them into turns."""

    def __init__(self, look: Look) -> None:
        self.look, self.trial = look, look.trial
        self.by_id = look.trial.store.catalog.by_id
        self.items = look.trial.items()
        self.wanted = {i.product.id: i.quantity for i in self.items}
        calls = look.names["calls"]
        self.duties = {c.at: c.duty for c in (calls.get() if isinstance(calls, Lazy) else calls)}
        self.cart: dict[str, int] = {}
        self.records = Records(self.trial)
        self.made: list[Turn] = []

    def turns(self, events: list[dict[str, Any]]) -> list[Turn]:
        """All turns, each with what it owed and did not get."""
        flags: dict[int, list[str]] = {}
        for found in self.look.unfaithful:
            flags.setdefault(found.at, []).append(found.why)
        for at, event in enumerate(events):
            {"customer": self._customer, "call": self._call, "agent": self._agent}[event["type"]](at, event, flags.get(at, []))
        self._missing()
        return self.made

    def _turn(self) -> Turn:
        if not self.made:
            self.made.append(Turn(0))
        return self.made[-1]

    def _customer(self, at: int, event: dict[str, Any], flags: list[str]) -> None:
        told = event.get("directives") or []
        message = Message(at, "customer", event["text"], event.get("meant") or "", " ".join(told), event.get("rationale") or "")
        message.frustration, message.stop = event["frustration"], event["stop"] or ""
        message.gives, message.flags = list(event.get("gives") or ()), flags
        said = event.get("said") or []
        reveals = [self._reveal(place, i >= len(said) or said[i]) for i, place in enumerate(event["beats"])]
        asked = [self.items[i].product.title for i in event["asked"]]
        due = [f"{n} × {self.items[i].product.title}" for i, n in event["due"]]
        self.made.append(Turn(len(self.made) + 1, message, reveals, asked, due))

    def _reveal(self, place: int, said: bool) -> Reveal:
        beat = self.trial.itinerary[place]
        titles = [self.items[i].product.title for i in beat["items"]]
        to = "" if beat["to"] is None else f"{beat['to']:g}" if isinstance(beat["to"], float) else str(beat["to"])
        return Reveal(beat["beat"], titles, beat["about"] or "", to, said, beat["guard"] is not None)

    def _call(self, at: int, event: dict[str, Any], flags: list[str]) -> None:
        tool = self.trial.store.tools.get(event["tool"])
        args = event["args"]
        pairs = [(k, compact(v)) for k, v in args.items()] if isinstance(args, dict) else [("", compact(args))]
        found = [line(self.by_id.get(i), i, self.wanted.get(i, 0), rank) for rank, i in enumerate(event.get("finds") or (), 1)]
        call = Call(
            at,
            compact(event["tool"]),
            tool.kind if tool else "unknown tool",
            DUTIES.get(self.duties.get(at, ""), ""),
            pairs,
            event["error"],
            found if tool and tool.kind == "retrieval" else [],
            compact(event["result"]),
            *self._after(event),
            _order([event], self.trial.store.catalog.currency),
            self.records.changes(event),
        )
        self._turn().calls.append(call)

    def _after(self, event: dict[str, Any]) -> tuple[list[Line] | None, str]:
        if "cart" not in event:
            return None, ""
        before, self.cart = self.cart, event["cart"]
        bag = Bag({self.by_id[i]: n for i, n in self.cart.items() if i in self.by_id})
        lines = [line(self.by_id.get(i), i, before.get(i, 0), self.cart.get(i, 0)) for i in dict.fromkeys([*before, *self.cart])]
        return lines, str(total(bag)) if bag else ""

    def _agent(self, at: int, event: dict[str, Any], flags: list[str]) -> None:
        self._turn().answers.append(Message(at, "agent", event["text"], flags=flags))

    def _missing(self) -> None:
        expected = self.look.names["expected"]
        for duty in expected.get() if isinstance(expected, Lazy) else expected:
            item = duty.names.get("item")
            turn = next((t for t in self.made if t.number == duty.turn), None)
            if turn is not None and not duty.met and not duty.wrong:
                turn.missing.append(
                    (duty.tool or f"a {duty.kind} call") + (f" for {item.product.title}" if item is not None else "")
                )
