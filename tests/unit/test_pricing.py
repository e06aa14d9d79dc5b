"""Promotions: prices derived by hand, and a brute force by the definition beside the search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import product as combinations
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopdsl.dsl.library.pricing import (
    Condition,
    Line,
    Offer,
    Priced,
    Rule,
    Shipping,
    Step,
    TooLarge,
    best_basket,
    best_price,
    price,
    sentence,
)

SCOPES = ("product", "category", "seller", "order")


def money(amount: str | int) -> Decimal:
    """An amount with two places."""
    return Decimal(amount).quantize(Decimal("0.01"))


def at_least(amount: str | int) -> tuple[Condition, ...]:
    """A condition on the subtotal."""
    return (Condition("subtotal", ">=", Decimal(amount)),)


def off(name: str, amount: int, least: int = 0, **more: Any) -> Rule:
    """A coupon of a fixed amount for the order."""
    when = at_least(least) if least else ()
    return replace(Rule(name, "order", (Step(when, take=Decimal(amount)),), coupon=True), **more)


def percent(name: str, rate: int, **more: Any) -> Rule:
    """A coupon of a percentage for the order."""
    return replace(Rule(name, "order", (Step((), percent=Decimal(rate)),), coupon=True), **more)


# ---- the brute force: rules as they are defined, on every line, every choice tried ----

Lefts = tuple[Fraction, ...]
Way = tuple[Fraction, frozenset[str]]


def amount_of(rule: Rule, lines: Sequence[Line], left: Lefts, target: Sequence[int]) -> int:
    """What a rule takes of some lines, in cents."""
    remains = sum((left[i] for i in target), Fraction(0))
    listed = sum((Fraction(lines[i].price) * 100 * lines[i].quantity for i in target), Fraction(0))
    base, units = (remains if rule.base == "running" else listed), sum(lines[i].quantity for i in target)
    best = 0
    for step in rule.steps:
        values = [(base, Fraction(c.amount) * 100) if c.measure == "subtotal" else (units, Fraction(c.amount)) for c in step.when]
        if all(v > a or (c.op == ">=" and v == a) for c, (v, a) in zip(step.when, values, strict=True)):
            take = Fraction(step.take or 0) * 100
            raw = take if step.each is None else take * floor(base / (Fraction(step.each) * 100))
            raw = raw if step.percent is None else base * Fraction(step.percent) / 100
            whole = {"up": ceil(raw), "down": floor(raw), "half_up": floor(raw + Fraction(1, 2))}[rule.rounding]
            best = max(best, whole if rule.cap is None else min(whole, floor(rule.cap * 100)))
    return min(best, floor(remains))


def together(a: Rule, b: Rule) -> bool:
    """Whether two rules stack, by the words of the definition."""
    both = all(x.stacks_with is None or y.group in x.stacks_with for x, y in ((a, b), (b, a)))
    same = a.group != "" and a.group == b.group
    return both and not (same and (a.stacks_with is None or b.stacks_with is None))


def name_of(scope: str, line: Line, number: int) -> str:
    """What a line belongs to."""
    return {"order": "", "seller": line.seller, "category": line.category, "product": line.product}.get(scope, str(number))


def choices(rule: Rule, lines: Sequence[Line], left: Lefts) -> list[list[tuple[tuple[int, ...], int]]]:
    """The sets of applications that a rule may have here; empty where it takes nothing anywhere."""
    targets: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        name = name_of(rule.scope, line, i)
        if (rule.only is None or line.product in rule.only) and rule.of in ("", name):
            targets.setdefault(name, []).append(i)
    wide = SCOPES.index(rule.once_per) if rule.once_per != "none" else 0
    limits = rule.scope == "product" or (rule.once_per == "order")
    units: dict[str, list[tuple[tuple[int, ...], int]]] = {}
    for name, members in targets.items():
        if taken := amount_of(rule, lines, left, members):
            unit = name_of(rule.once_per, lines[members[0]], members[0]) if limits and (wide or rule.scope == "product") else name
            units.setdefault(unit, []).append((tuple(members), taken))
    limited = limits and rule.once_per != "none"
    if not units:
        return []
    return [list(c) for c in combinations(*units.values())] if limited else [[a for unit in units.values() for a in unit]]


def ways(lines: Sequence[Line], rules: Sequence[Rule], shipping: Sequence[Shipping]) -> Iterator[Way]:
    """Every valid choice: what it costs, and the rules that took something."""
    ordered = sorted(rules, key=lambda r: SCOPES.index(r.scope))

    def go(n: int, left: Lefts, used: tuple[Rule, ...], skipped: tuple[Rule, ...]) -> Iterator[Way]:
        if n == len(ordered):
            if all(any(not together(s, u) for u in used) for s in skipped):
                yield sum(left, Fraction(0)) + fees(lines, left, shipping), frozenset(r.name for r in used)
            return
        rule = ordered[n]
        found = choices(rule, lines, left)
        if all(together(rule, u) for u in used):
            for applications in found:
                after = list(left)
                for members, taken in applications:
                    whole = sum(left[i] for i in members)
                    for i in members:
                        after[i] = left[i] - taken * left[i] / whole
                yield from go(n + 1, tuple(after), (*used, rule), skipped)
        yield from go(n + 1, left, used, skipped if rule.coupon or not found else (*skipped, rule))

    yield from go(0, tuple(Fraction(x.price) * 100 * x.quantity for x in lines), (), ())


def fees(lines: Sequence[Line], left: Lefts, shipping: Sequence[Shipping]) -> Fraction:
    """All fees, in cents."""
    result = Fraction(0)
    for fee in shipping:
        names = {""} if fee.scope == "order" else {x.seller for x in lines if fee.of in ("", x.seller)}
        for name in names:
            mine = [i for i, x in enumerate(lines) if fee.scope == "order" or x.seller == name]
            total = sum(left[i] if fee.base == "running" else Fraction(lines[i].price) * 100 * lines[i].quantity for i in mine)
            free = None if fee.free_from is None else Fraction(fee.free_from) * 100
            spared = free is not None and (total > free or (total == free and fee.op == ">="))
            result += 0 if spared or not mine else Fraction(fee.fee) * 100
    return result


def by_hand(lines: Sequence[Line], rules: Sequence[Rule], shipping: Sequence[Shipping]) -> tuple[Fraction, list[frozenset[str]]]:
    """The least cost, and the sets of rules that reach it: fewest coupons first, then by names."""
    every = list(ways(lines, rules, shipping))
    least = min(cost for cost, _ in every)
    coupons = {r.name for r in rules if r.coupon}
    return least, sorted({u for c, u in every if c == least}, key=lambda u: (len(u & coupons), sorted(u)))


def cents(amount: Decimal) -> int:
    """Minor units."""
    return int(amount * 100)


# ---- what is drawn ----

amounts = st.integers(1, 60).map(lambda n: Decimal(n) / 2)
conditions = st.builds(
    lambda measure, op, n: Condition(measure, op, Decimal(n) if measure == "subtotal" else Decimal(n // 12)),
    st.sampled_from(["subtotal", "subtotal", "quantity"]), st.sampled_from([">=", ">"]), st.integers(1, 60),
)  # fmt: skip
steps = st.builds(
    lambda when, kind, n, each: Step(
        tuple(when),
        take=n if kind != "percent" else None,
        percent=min(n * 3, Decimal(100)) if kind == "percent" else None,
        each=each if kind == "each" else None,
    ),
    st.lists(conditions, max_size=2), st.sampled_from(["take", "percent", "each"]), amounts, amounts,
)  # fmt: skip
groups = st.sampled_from(["", "", "a", "b"])
bodies = st.builds(
    Rule, st.just(""), st.sampled_from(SCOPES), st.lists(steps, min_size=1, max_size=2).map(tuple),
    only=st.none() | st.frozensets(st.sampled_from(["p0", "p1", "p2", "p3"]), min_size=1),
    cap=st.none() | amounts, base=st.sampled_from(["list", "running"]), group=groups,
    stacks_with=st.none() | st.none() | st.frozensets(groups), coupon=st.sampled_from([True, True, False]),
    once_per=st.sampled_from(["order", "seller", "category", "product", "none"]),
    rounding=st.sampled_from(["half_up", "up", "down"]),
)  # fmt: skip
ruleses = st.lists(bodies, max_size=5).map(lambda found: [replace(r, name=f"r{n}") for n, r in enumerate(found)])
prices = st.integers(1, 4000).map(lambda n: Decimal(n) / 100) | st.integers(1, 40).map(Decimal)
basket_lines = st.lists(
    st.builds(Line, st.just(""), prices, st.integers(1, 3), st.sampled_from(["s", "t"]), st.sampled_from(["c", "d"])),
    min_size=1, max_size=4,
).map(lambda found: [replace(x, product=f"p{n}") for n, x in enumerate(found)])  # fmt: skip
shippings = st.lists(
    st.builds(
        Shipping, st.sampled_from(["order", "seller"]), st.sampled_from(["", "s", "t"]), amounts,
        st.none() | amounts.map(lambda a: a * 3),
        st.sampled_from([">=", ">"]), st.sampled_from(["list", "running"]),
    ),
    max_size=2,
)  # fmt: skip


def adds_up(priced: Priced) -> bool:
    """Whether the working comes to the total that it ends with."""
    *rows, last = priced.working
    return last.what == "total" and sum(r.amount for r in rows) == last.amount == priced.total


@settings(max_examples=200, deadline=None)
@given(basket_lines, ruleses, shippings)
def test_best_price_is_what_trying_everything_finds(lines: list[Line], rules: list[Rule], shipping: list[Shipping]) -> None:
    found = best_price(lines, rules, [r.name for r in rules], shipping)
    least, sets = by_hand(lines, rules, shipping)
    assert cents(found.total) == least
    assert [frozenset(found.used), *map(frozenset, found.ties)] == sets
    assert adds_up(found)
    assert found.goods - found.discount + found.shipping == found.total
    assert set(found.refused) == {r.name for r in rules} - set(found.used)


@settings(max_examples=200, deadline=None)
@given(basket_lines, ruleses, shippings, st.randoms(use_true_random=False))
def test_price_applies_held_coupons_in_order(lines: list[Line], rules: list[Rule], shipping: list[Shipping], draw: Any) -> None:
    held = [r.name for r in rules if r.coupon]
    draw.shuffle(held)
    held = held[: draw.randint(0, len(held))]
    found = price(lines, rules, held, shipping)
    mine = [r for r in rules if not r.coupon or r.name in held]
    best = max(([name in used for name in held], -cost) for cost, used in ways(lines, mine, shipping))
    assert ([name in found.used for name in held], -cents(found.total)) == best
    assert adds_up(found)


@settings(max_examples=100, deadline=None)
@given(basket_lines, ruleses, shippings)
def test_the_coupons_of_the_best_price_give_it(lines: list[Line], rules: list[Rule], shipping: list[Shipping]) -> None:
    best = best_price(lines, rules, [r.name for r in rules], shipping)
    assert price(lines, rules, best.used, shipping).total == best.total


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(prices, min_size=1, max_size=2), min_size=1, max_size=4), st.data(), shippings,
)  # fmt: skip
def test_best_basket_is_what_trying_everything_finds(rows: list[list[Decimal]], data: Any, shipping: list[Shipping]) -> None:
    rules = [replace(r, once_per="order" if r.once_per == "category" else r.once_per) for r in data.draw(ruleses)[:3]]
    offers = [Offer(f"p{n}", "st"[k], amount, None) for n, row in enumerate(rows) for k, amount in enumerate(row)]
    found = best_basket([f"p{n}" for n in range(len(rows))], offers, rules, [r.name for r in rules], shipping)
    costs = {}
    for picks in combinations(*([o for o in offers if o.product == f"p{n}"] for n in range(len(rows)))):
        lines = [Line(o.product, o.price, 1, o.seller) for o in picks]
        costs[tuple(o.seller for o in picks)] = by_hand(lines, rules, shipping)[0]
    least = min(costs.values())
    assert cents(found.priced.total) == least
    best = [picks for picks, cost in costs.items() if cost == least]
    told = [tuple(a.values()) for a in (found.assignment, *found.ties)]
    assert len(told) == min(len(best), 11)
    assert len(set(told)) == len(told)
    assert set(told) <= set(best)
    assert adds_up(found.priced)


# ---- derived by hand ----

COAT = [Line("coat", Decimal(599), 1, "north")]
PLATFORM = off("platform_50", 50, 500, group="platform", stacks_with=frozenset({"shipping"}))
STORE = Rule(
    "store_30", "seller", (Step(at_least(300), take=Decimal(30)),), group="store", stacks_with=frozenset(), coupon=True,
)  # fmt: skip


def test_two_coupons_that_do_not_stack() -> None:
    best = best_price(COAT, [PLATFORM, STORE], ["platform_50", "store_30"])
    assert (best.total, best.used, best.ties) == (money(549), ("platform_50",), ())
    assert best.refused == {"store_30": "does not stack with platform_50"}
    assert [(w.what, w.amount) for w in best.working] == [
        ("goods", money(599)),
        ("platform_50", money(-50)),
        ("total", money(549)),
    ]
    assert price(COAT, [PLATFORM, STORE], ["store_30", "platform_50"]).total == money(569)


def test_refused_says_why() -> None:
    late = off("late", 5, valid_from=date(2026, 11, 11), valid_until=date(2026, 11, 12))
    least = off("least", 5, 600)
    many = replace(off("many", 5), steps=(Step((Condition("quantity", ">", Decimal(1)),), take=Decimal(5)),))
    mine = [late, least, many, off("other", 1), off("shoes", 1, only=frozenset({"shoes"}))]
    found = price(COAT, mine, ["late", "least", "many", "shoes", "none"], at=date(2026, 11, 12))
    assert found.refused == {
        "late": "not valid on 2026-11-12",
        "least": "needs a subtotal of 600.00, and it is 599.00",
        "many": "needs a quantity of more than 1, and it is 1",
        "other": "not held",
        "shoes": "there is no product that it applies to",
        "none": "there is no such coupon",
    }
    assert found.total == money(599)
    assert price(COAT, [late], ["late"], at=date(2026, 11, 11)).total == money(594)


@pytest.mark.parametrize(
    ("rule", "total"),
    [
        (off("a", 50, 599), 549),
        (replace(off("a", 50), steps=(Step((Condition("subtotal", ">", Decimal(599)),), take=Decimal(50)),)), 599),
        (off("a", 700), 0),
        (percent("a", 10), "539.10"),
        (percent("a", 10, cap=Decimal(20)), 579),
        (replace(off("a", 1), steps=(Step((), take=Decimal(30), each=Decimal(200)),)), 539),
        (replace(off("a", 1), steps=(Step(at_least(100), take=Decimal(5)), Step(at_least(500), take=Decimal(40)))), 559),
    ],
)
def test_what_one_rule_takes(rule: Rule, total: int | str) -> None:
    assert price(COAT, [rule], ["a"]).total == money(total)


@pytest.mark.parametrize(("rounding", "total"), [("half_up", "0.04"), ("up", "0.04"), ("down", "0.05")])
def test_rounding_is_that_of_what_is_taken(rounding: Any, total: str) -> None:
    assert price([Line("pin", Decimal("0.05"))], [percent("a", 10, rounding=rounding)], ["a"]).total == money(total)


def test_a_running_base_and_an_automatic_rule_that_costs_a_coupon() -> None:
    sale = replace(percent("sale", 10), scope="seller", coupon=False)
    coupon = off("coupon", 100, 550, base="running")
    assert best_price(COAT, [sale, coupon], ["coupon"]).total == money("539.10")
    listed = replace(coupon, base="list")
    assert best_price(COAT, [sale, listed], ["coupon"]).total == money("439.10")
    rival = replace(coupon, group="x", stacks_with=frozenset())
    assert best_price(COAT, [sale, rival], ["coupon"]).used == ("coupon",)


def test_one_product_of_the_customers_choice() -> None:
    lines = [Line("a", Decimal(10)), Line("b", Decimal(40)), Line("c", Decimal(30))]
    half = replace(percent("half", 50), scope="product", once_per="order")
    found = best_price(lines, [half], ["half"])
    assert [(w.target, w.amount) for w in found.working if w.what == "half"] == [("b", money(-20))]
    assert best_price(lines, [replace(half, once_per="none")], ["half"]).total == money(40)


def test_a_coupon_may_cost_more_than_it_takes() -> None:
    fee = [Shipping("order", "", Decimal(10), Decimal(599), base="running")]
    small = off("small", 4)
    assert best_price(COAT, [small], ["small"], fee).refused == {"small": "would not make it cheaper"}
    assert price(COAT, [small], ["small"], fee).total == money(605)


def test_equal_choices_are_told() -> None:
    pair = [off(name, 5, group="x") for name in ("b", "a")]
    found = best_price(COAT, pair, ["a", "b"])
    assert (found.used, found.ties) == (("a",), (("b",),))


def three_platforms(products: int) -> tuple[list[str], list[Offer], list[Rule], list[Shipping]]:
    """Three sellers with a threshold coupon and a fee each; prices from a plain arithmetic rule."""
    wanted = [f"p{n}" for n in range(products)]
    offers = [
        Offer(w, s, Decimal(1500 + n * 7919 % 6000 + (n * 31 + k * 17) % 47 * 10) / 100, (1, 2, 4)[k])
        for n, w in enumerate(wanted) for k, s in enumerate(("jd", "tm", "pdd"))
    ]  # fmt: skip
    rows = (("jd", 199, 20, 99, 8), ("tm", 149, 15, 88, 10), ("pdd", 79, 10, 49, 5))
    coupons = [Rule(f"c_{s}", "seller", (Step(at_least(a), take=Decimal(t)),), coupon=True, of=s) for s, a, t, _, _ in rows]
    return wanted, offers, coupons, [Shipping("seller", s, Decimal(fee), Decimal(free)) for s, _, _, free, fee in rows]


def test_a_basket_of_three_platforms() -> None:
    wanted, offers, coupons, fees_ = three_platforms(7)
    urgent = {"p0": 2, "p3": 1}
    found = best_basket(wanted, offers, coupons, [c.name for c in coupons], fees_, within_days=urgent)
    usable = [[o for o in offers if o.product == w and (o.days or 0) <= urgent.get(w, 9)] for w in wanted]
    costs: dict[tuple[str, ...], Decimal] = {}
    for picks in combinations(*usable):
        total = sum((o.price for o in picks), Decimal(0))
        for s, a, t, free, fee in (("jd", 199, 20, 99, 8), ("tm", 149, 15, 88, 10), ("pdd", 79, 10, 49, 5)):
            goods = sum((o.price for o in picks if o.seller == s), Decimal(0))
            total += (fee if 0 < goods < free else 0) - (t if goods >= a else 0)
        costs[tuple(o.seller for o in picks)] = total
    least = min(costs.values())
    told = [tuple(a.values()) for a in (found.assignment, *found.ties)]
    assert found.priced.total == least
    assert sorted(told) == sorted(p for p, c in costs.items() if c == least)
    with pytest.raises(ValueError, match="nobody offers p0 within 0 days"):
        best_basket(wanted, offers, coupons, [], fees_, within_days={"p0": 0})


def test_equal_lines_are_one_line() -> None:
    lines = [Line("pin", Decimal("0.05"), 2)] * 50_000
    started = time.process_time()
    found = best_price(lines, [percent("a", 10)], ["a"])
    assert found.total == money(4500)
    first = found.working[0]
    assert (first.what, first.amount, first.note) == ("goods", money(5000), "100000 units")
    assert time.process_time() - started < 2


def test_a_large_problem_is_exact_or_refused_soon() -> None:
    wanted, offers, coupons, fees_ = three_platforms(40)
    started = time.process_time()
    found = best_basket(wanted, offers, coupons, [c.name for c in coupons], fees_)
    assert adds_up(found.priced)
    lines = [Line(f"p{n}", Decimal(1000 + n * n * 37 % 4999) / 100) for n in range(40)]
    hard = [replace(percent(f"r{n}", 3 + n), scope="product", once_per="order", base="running") for n in range(14)]
    with pytest.raises(TooLarge, match="drop products or coupons"):
        best_price(lines, [*hard, off("o", 90, 1000, base="running")], [r.name for r in hard] + ["o"])
    assert time.process_time() - started < 8


@pytest.mark.parametrize("bad", ["0.001", "-1", "NaN", "Infinity", "1E+999999"])
def test_prices_are_whole_minor_units(bad: str) -> None:
    with pytest.raises(ValueError, match="is no "):
        price([Line("a", Decimal(bad))], [], [])


@pytest.mark.parametrize(
    ("rule", "english", "chinese"),
    [
        (
            replace(PLATFORM, stacks_with=frozenset()),
            "¥50 off orders of ¥500 or more; not with other promotions",
            "全单满500元减50元，不可与其他优惠同用",
        ),
        (percent("a", 10, cap=Decimal(20)), "10% off orders; at most ¥20", "全单打9折，最多减20元"),
        (
            replace(off("a", 1), steps=(Step((), take=Decimal(30), each=Decimal(200)),), valid_until=date(2026, 11, 12)),
            "¥30 off every ¥200 of orders; valid to 2026-11-11",
            "全单每满200元减30元，至2026-11-11有效",
        ),
        (
            replace(percent("a", 15), base="running"),
            "15% off orders; of what earlier promotions leave",
            "全单打8.5折，按其他优惠后的金额计算",
        ),
        (
            replace(percent("a", 15), scope="product", once_per="order", stacks_with=frozenset({"shipping"})),
            "15% off purchases of one product; for one product in each order; only with shipping promotions",
            "单品打8.5折，每单限用于一种商品，仅可与shipping优惠同用",
        ),
        (
            replace(
                off("a", 1), scope="seller", of="jd",
                steps=(Step(at_least(99), take=Decimal(5)), Step(at_least(199), take=Decimal("20.5"))),
            ),
            "¥5 off purchases from jd of ¥99 or more, or ¥20.50 off purchases from jd of ¥199 or more, whichever is more",
            "jd满99元减5元或满199元减20.50元（取最优一档）",
        ),
    ],
)  # fmt: skip
def test_sentences(rule: Rule, english: str, chinese: str) -> None:
    assert sentence(rule, "¥", "en") == english
    assert sentence(rule, "¥", "zh") == chinese
