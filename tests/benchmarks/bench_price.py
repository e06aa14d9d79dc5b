"""The best price of twelve products and six coupons, in chosen and in random mixes, and the best basket of three sellers."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from random import Random

from measure import bound, fastest, figure, seconds, title

from shopdsl.dsl.library.pricing import Condition, Line, Offer, Rule, Shipping, Step, TooLarge, best_basket, best_price, price

TIMES = 7
MIXES = 200
SEED = 12


def reaches(amount: int) -> tuple[Condition, ...]:
    """A condition on the subtotal."""
    return (Condition("subtotal", ">=", Decimal(amount)),)


def basket(products: int) -> list[Line]:
    """Lines of three sellers and four categories, at prices without a pattern that helps."""
    return [Line(f"p{n}", Decimal(1000 + n * 7919 % 18000) / 100, 1, f"s{n % 3}", f"c{n % 4}") for n in range(products)]


def mixed(total: int) -> list[Rule]:
    """Six coupons: two for one product of choice, two of sellers, two of the order, most of them on what is left."""
    rows = [
        ("one", "product", (Step((), percent=Decimal(10)),), "running", "order"),
        ("two", "product", (Step((), percent=Decimal(15)),), "list", "order"),
        ("tiers", "seller", (Step(reaches(300), take=Decimal(30)), Step(reaches(200), take=Decimal(15))), "running", "none"),
        ("share", "seller", (Step((), percent=Decimal(5)),), "running", "order"),
        ("order", "order", (Step(reaches(total * 85 // 100), take=Decimal(60)),), "running", "none"),
        ("each", "order", (Step((), take=Decimal(10), each=Decimal(100)),), "running", "none"),
    ]
    return [Rule(n, s, steps, base=b, once_per=o, coupon=True) for n, s, steps, b, o in rows]


def chosen(count: int, total: int) -> list[Rule]:
    """Coupons that each go on one product of choice, before a threshold on what they leave."""
    steps = [(Step((), percent=Decimal(5 + 3 * n)),) for n in range(count)]
    rules = [Rule(f"x{n}", "product", s, base="running", once_per="order", coupon=True) for n, s in enumerate(steps)]
    return [*rules, Rule("auto", "order", (Step(reaches(total * 9 // 10), take=Decimal(50)),), base="running")]


def random_step(draw: Random, mean: int) -> Step:
    """An amount, a percentage or an amount for each part of what a target costs on average, often from a threshold on."""
    when = reaches(mean * draw.randint(60, 110) // 100) if draw.random() < 0.6 else ()
    amount = Decimal(draw.randint(1, max(2, mean // 8)))
    match draw.choice(("take", "percent", "each")):
        case "take":
            return Step(when, take=amount)
        case "percent":
            return Step(when, percent=Decimal(draw.randint(3, 25)))
        case _:
            return Step(when, take=max(Decimal(1), amount // 4), each=Decimal(max(10, mean // draw.randint(2, 6))))


def random_rule(draw: Random, name: str, lines: list[Line], *, coupon: bool) -> Rule:
    """A rule of any scope, mostly on what is left, sometimes capped, sometimes not to be combined with some of the others."""
    scope = draw.choice(("product", "product", "category", "seller", "order"))
    targets = {"product": len(lines), "category": 4, "seller": 3, "order": 1}[scope]
    mean = int(sum(line.price for line in lines)) // targets
    return Rule(
        name,
        scope,
        tuple(random_step(draw, mean) for _ in range(draw.choice((1, 1, 2)))),
        cap=Decimal(draw.randint(10, 80)) if draw.random() < 0.2 else None,
        base=draw.choice(("list", "running", "running")),
        group=draw.choice(("", "", "a", "b")),
        stacks_with=None if draw.random() < 0.8 else frozenset(("", "a", "b")[: draw.randint(1, 3)]),
        coupon=coupon,
        once_per="none" if scope == "order" else draw.choice(("order", "order", "seller", "none")),
    )


def best_of(lines: list[Line], rules: list[Rule], fees: list[Shipping]) -> None:
    """The best price with every coupon held, or that it is too large."""
    try:
        best_price(lines, rules, [r.name for r in rules], fees)
    except TooLarge:
        print(f"   {len(lines)} products: too large")


def random_mixes(products: int, count: int, most: float) -> None:
    """The slowest and the middle one of seeded mixes: six coupons, an automatic rule and a fee of each seller."""
    draw = Random(SEED)
    calls = []
    for _ in range(count):
        lines = [
            Line(f"p{n}", Decimal(draw.randint(1000, 20000)) / 100, 1, f"s{draw.randrange(3)}", f"c{draw.randrange(4)}")
            for n in range(products)
        ]
        rules = [random_rule(draw, f"r{n}", lines, coupon=n < 6) for n in range(7)]
        free = int(sum(line.price for line in lines)) * draw.randint(20, 36) // 100
        fees = [Shipping("seller", "", Decimal(8), Decimal(free), base=draw.choice(("list", "running")))]
        calls.append(partial(best_of, lines, rules, fees))
    rough = sorted(calls, key=seconds)
    slowest = sorted(fastest(rough[-4:], 3))
    (middle,) = fastest([rough[count // 2]], 3)
    figure(f"middle of {count} random mixes, {products} x 6", middle * 1000, "ms")
    bound(f"worst of {count} random mixes, {products} x 6", slowest[-1] * 1000, most, "ms")


def prices(products: int) -> None:
    """Both mixes of coupons, beside a price without a choice."""
    lines = basket(products)
    total = int(sum(line.price for line in lines))
    fees = [Shipping("seller", "", Decimal(8), Decimal(150), base="running")]
    for name, rules in (("mixed", mixed(total)), ("one product each", chosen(6, total))):
        once, whole = fastest([lambda: price(lines, [], [], fees), partial(best_of, lines, rules, fees)], TIMES)
        figure(f"{products} products, {name}: best price / a price without coupons", whole / once, "x")
        bound(f"{products} products, six coupons, {name}", whole * 1000, 50 if products == 12 else 2000, "ms")


def sellers(products: int, most: float) -> float:
    """Seconds for a basket of three sellers, each with a threshold, a fee and a coupon."""
    wanted = [f"p{n}" for n in range(products)]
    offers = [
        Offer(w, f"s{k}", Decimal(1500 + n * 7919 % 6000 + (n * 31 + k * 17) % 47 * 10) / 100)
        for n, w in enumerate(wanted)
        for k in range(3)
    ]
    rows = ((199, 20, 99, 8), (149, 15, 88, 10), (79, 10, 49, 5))
    rules = [
        Rule(f"c{k}", "seller", (Step(reaches(a), take=Decimal(t)),), coupon=True, of=f"s{k}")
        for k, (a, t, *_) in enumerate(rows)
    ]
    fees = [Shipping("seller", f"s{k}", Decimal(fee), Decimal(free)) for k, (*_, free, fee) in enumerate(rows)]

    def best() -> None:
        try:
            best_basket(wanted, offers, rules, [r.name for r in rules], fees)
        except TooLarge:
            print(f"   {products} products: too large")

    (taken,) = fastest([best], TIMES)
    bound(f"{products} products, three sellers: the best basket", taken, most, "s")
    return taken


def main() -> None:
    """Twelve products, then forty."""
    title("price: the exact best price, and the exact best basket")
    for products in (12, 40):
        prices(products)
    random_mixes(12, MIXES, 50)
    random_mixes(40, MIXES // 20, 2000)
    few, many = sellers(12, 0.5), sellers(40, 2)
    bound("a basket of 40 / a basket of 12", many / few, 20)


if __name__ == "__main__":
    main()
