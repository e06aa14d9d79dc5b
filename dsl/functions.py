"""Every function of the language: signature, meaning, example, and what computes it. Checker, evaluator and reference read this table.

A signature names parameter types; `kw: T` is a keyword, `each kw: T` one that is computed for every member of a
comprehension, `T...` any number of arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from shopdsl.dsl.library import claims as said
from shopdsl.dsl.library import collections as c
from shopdsl.dsl.library import commerce as shop
from shopdsl.dsl.library import draws, numbers, texts
from shopdsl.dsl.library.sums import arithmetic
from shopdsl.dsl.types import Type, parse_type
from shopdsl.dsl.values import Money, Row, show


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function."""

    positional: tuple[Type, ...]
    variadic: bool
    keywords: dict[str, Type]
    each: frozenset[str]
    result: Type


@dataclass(frozen=True)
class Function:
    """A function of the language. `takes_none`: it gets none arguments itself; `draws`: its first argument is a stream; `world`: it is
    the store that is asked; `local`: it is the store, or None where there is none.

    `evidence`: what it reads of a trial beside its arguments.
    """

    name: str
    signatures_text: tuple[str, ...]
    doc: str
    example: str
    call: Callable[..., Any]
    takes_none: bool = False
    draws: bool = False
    world: bool = False
    local: bool = False
    cost: int = 1
    evidence: str = ""

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        return tuple(map(parse_signature, self.signatures_text))


def parse_signature(text: str) -> Signature:
    """`(list[T], each weight: number) -> T?` as data."""
    params, _, result = text.rpartition(" -> ")
    positional: list[Type] = []
    keywords: dict[str, Type] = {}
    each: set[str] = set()
    variadic = False
    for part in _split(params.strip()[1:-1]):
        name, colon, kind = part.partition(":")
        if colon:
            bare = name.removeprefix("each ").strip()
            keywords[bare] = parse_type(kind.strip())
            each |= {bare} if name.startswith("each ") else set()
        else:
            variadic = part.endswith("...")
            positional.append(parse_type(part.removesuffix("...")))
    return Signature(tuple(positional), variadic, keywords, frozenset(each), parse_type(result))


def _split(params: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for char in params:
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [*parts, current.strip()] if current.strip() else parts


def _search(world: Any, *args: Any, **kw: Any) -> Any:
    return world.search(*args, **kw)


def _cents(store: Any, n: int) -> Money:
    return Money(Decimal(n) / 100, store.catalog.currency if store is not None else "USD")


def _basket(world: Any, products: Any, coupons: Any, within: Any = None) -> Any:
    return world.market.basket(products, coupons, within or {})


def _row(**fields: Any) -> Row:
    return Row("", fields)


def _near(a: Any, b: Any) -> float | None:
    return a.nearness(b)  # type: ignore[no-any-return]


_TABLE = [
    # aggregates
    Function("sum", ("(list[bool]) -> int", "(list[int]) -> int", "(list[number]) -> number", "(list[money]) -> money"),
             "The members added up, none left out; of nothing 0.", "sum(c.quantity for c in calls)", c.total_of, True),
    Function("mean", ("(list[bool]) -> number?", "(list[number]) -> number?"),
             "The mean of the members, none left out; of nothing none. A bool counts as 0 or 1.",
             'mean(c.error == none for c in calls)', c.mean, True),
    Function("min", ("(list[T]) -> T?", "(T, T...) -> T"), "The least member, or the least of the arguments.", "min(6, n)", c.least, True),
    Function("max", ("(list[T]) -> T?", "(T, T...) -> T"), "The greatest member, or the greatest of the arguments.",
             "max(frustration)", c.greatest, True),
    Function("count", ("(list[T]) -> int",), "How many members there are, none and false left out.",
             "count(c for c in calls if c.error != none)", c.count, True),
    Function("any", ("(list[bool]) -> bool",), "Is one member true?", "any(p in s.results for p in target)", c.any_of, True),
    Function("all", ("(list[bool]) -> bool",), "Are all members true? Of nothing: yes.", "all(i in cart for i in wave)", c.all_of, True),
    Function("first", ("(list[T]) -> T?",), "The first member that is not none.", "first(t for t in tiers if 3 in t.levels)", c.first, True),
    Function("last", ("(list[T]) -> T?",), "The last member that is not none.", "last(agent_messages)", c.last, True),
    # lists, sets, bags
    Function("len", ("(list[T]) -> int", "(text) -> int"), "How many members, or characters.", "len(target)", c.length),
    Function("list", ("(list[T]) -> list[T]",), "The members as a list, in order.", "list(target)", c.as_list),
    Function("set", ("(list[T]) -> set[T]",), "The members as a set.", "set(final.cart)", c.as_set),
    Function("flat", ("(list[list[T]]) -> list[T]",), "The members of the members.", "flat(c.results for c in calls)", c.flat),
    Function("sorted", ("(list[T], each by: U) -> list[T]",), "The members in rising order, of themselves or of `by`.",
             "sorted(p for p in products, by=p.price)", c.ordered),
    Function("reverse", ("(list[T]) -> list[T]",), "The members from last to first.", "reverse(messages)", c.reverse),
    Function("rank", ("(list[T], T) -> int?",), "The place of a member, from 1; none where it is absent.", "rank(s.results, p)", c.rank),
    Function("range", ("(int, int) -> list[int]",), "The whole numbers from the first to the second, both included.",
             "range(1, 5)", c.whole_numbers),
    Function("size", ("(bag[T]) -> int",), "How many units a bag holds.", "size(target)", c.size),
    Function("abs_diff", ("(bag[T], bag[T]) -> int",), "Units that are in one bag and not in the other.", "abs_diff(t.after, target)", c.abs_diff),
    Function("waves", ("(list[T], at_most: int, each by: U) -> list[list[T]]",),
             "As few pieces as possible, as equal as possible; neighbours with one `by` stay together where they fit.",
             "waves(i for i in basket, at_most=4, by=i.category)", c.waves),
    Function("deal", ("(list[T], at_most: int, each by: U) -> list[list[T]]",),
             "As few pieces as possible, dealt round-robin over the groups that `by` makes.",
             "deal(i for i in basket, at_most=4, by=i.category)", c.deal),
    Function("record", ("() -> any",), "A record of the given fields.", "record(id=p.id, price=p.price)", _row, True),
    # numbers and money
    Function("round", ("(number) -> int", "(number, int) -> number", "(money, int) -> money"), "Rounded half up, to so many digits.",
             "round(4.25, 1)", numbers.rounded),
    Function("abs", ("(int) -> int", "(number) -> number", "(money) -> money"), "Without its sign.", "abs(a - b)", numbers.magnitude),
    Function("floor", ("(number) -> int",), "The next whole number below.", "floor(x)", lambda x: int(x // 1)),
    Function("ceil", ("(number) -> int",), "The next whole number above.", "ceil(x / 5)", lambda x: -int(-x // 1)),
    Function("ln", ("(number) -> number?",), "Natural logarithm; none unless positive.", "ln(type.price)", numbers.ln),
    Function("log10", ("(number) -> number?",), "Logarithm to base 10; none unless positive.", "log10(p.price.number)", numbers.log10),
    Function("exp", ("(number) -> number",), "e to the power.", "exp(-x ** 2 / 2)", numbers.exp),
    Function("sqrt", ("(number) -> number?",), "Square root; none of a negative number.", "sqrt(2)", numbers.sqrt),
    Function("mod", ("(int, int) -> int?",), "Remainder of a division.", "mod(trial, 10)", numbers.remainder),
    Function("clip", ("(number, low: number, high: number) -> number",), "Between `low` (0) and `high` (1).", "clip(x)", numbers.clip),
    Function("normal_quantile", ("(number) -> number",), "The standard normal quantile of a probability.",
             "normal_quantile(standing)", numbers.normal_quantile),
    Function("arithmetic", ("(text) -> number?",), "What a text of numbers, `+ - * /` and brackets comes to; none where it cannot be read.",
             'arithmetic("(2 + 3) * 4.5")', arithmetic),
    Function("cents", ("(int) -> money",), "Money from minor units: in tools and in what a case expects that of the store, elsewhere US dollars.",
             "cents(549)", _cents, local=True),
    Function("same_money", ("(money, money) -> bool",), "Equal amounts, whatever the currency.", "same_money(a, b)", numbers.same_money),
    Function("shelf_price", ("(money) -> money",), "A price as shops write it: …9 cents, .49 or .99.", "shelf_price(cents(1234))", numbers.shelf_price),
    # texts
    Function("lower", ("(text) -> text",), "In lower case.", "lower(answer)", texts.lower),
    Function("words", ("(text) -> list[text]",), "The words, case folded, without punctuation.", "len(words(m.text))", texts.words),
    Function("contains", ("(text, text) -> bool",), "Do the words of the second stand in the first, one after the other?",
             'contains(m.text, "sold out")', texts.contains),
    Function("mentions", ("(text, text) -> bool",), "Are two thirds of the words that matter in the second in the first?",
             "mentions(message, item.say)", texts.mentions),
    Function("text", ("(T) -> text",), "A value as a text, as templates show it.", 'text(item.quantity) + " of " + item.say', show),
    Function("untagged", ("(T) -> text",), "A value as a text in which no tag ends: `</` becomes `< /`. Questions of judges do it by themselves.",
             "untagged(m.text)", texts.untagged, True),
    Function("join", ("(list[T]) -> text", "(list[T], text) -> text"), "The members as one text, with a separator (`, `) between.",
             'join([h.say for h in item.told], " and ")', texts.join),
    Function("headline", ("(text) -> text",), "Title case as shops write it; units and small words stay.", 'headline("dark roast, 500 g")', texts.headline),
    Function("matches", ("(text, text) -> bool",), "Does a regular expression (RE2) match somewhere?", r'matches(m.text, r"\bPO-\d+")', texts.matches),
    Function("prices", ("(text) -> list[money]",), "The amounts of money that a text quotes.", "prices(m.text)", texts.prices),
    # what a text says
    Function("sentences", ("(text) -> list[text]",), "The sentences, list items and table rows of a text, without their marks.",
             "len(sentences(m.text))", said.sentences),
    Function("questions", ("(text) -> list[text]",), "The sentences that ask something.", "questions(m.text)", said.questions),
    Function("claims", ("(text, list[product]) -> list[claim]",),
             "What a text claims of these products, by rules: price, rating, reviews, stock, brand, attributes, features; and whether their record agrees.",
             'mean(c.truth == "supported" for c in claims(m.text, known))', said.claims, evidence="K"),
    Function("statements", ("(text, list[product]) -> list[statement]",),
             "What a text states of cart and order, by rules. Offers and intentions state nothing.",
             'any(s.kind == "ordered" for s in statements(m.text, known))', said.statements),
    # shops
    Function("total", ("(bag[product]) -> money?",), "What the units of a bag cost together; none for an empty bag.", "total(cart)", shop.total,
             evidence="K"),
    Function("similar", ("(product) -> set[product]",), "The other products of the same type.", "similar(i.product)", shop.similar, evidence="K"),
    Function("related", ("(product, category) -> list[product]",),
             "Products in stock that are bought with this one: of its aisle, else of the category.", "related(lead, c)", shop.related),
    Function("hints", ("(list[product]) -> list[hint]",), "What a customer can say of the products.", "hints(target)", shop.hints),
    Function("aspects", ("(item) -> list[text]", "(product) -> list[text]"), "What one can ask about a product.", "aspects(item)", shop.aspects),
    Function("nearness", ("(call, call) -> number?",), "The similarity of the queries of two searches, -1 to 1, recorded when they ran.",
             "nearness(s, r) >= .95", _near),
    Function("search", ("(text, limit: int, category: category?, price_max: number?) -> list[product]",),
             "The products that the store's search finds, best first.", "search(query, limit=10)", _search, True, world=True),
    Function("best_price", ("(list[product], list[text]) -> priced", "(bag[product], list[text]) -> priced"),
             "The cheapest choice of coupons for a basket, exactly, with its working.", "best_price(products, coupons).total",
             lambda world, basket, coupons: world.market.best(basket, coupons), world=True, cost=2_000),
    Function("price_with", ("(list[product], list[text]) -> priced", "(bag[product], list[text]) -> priced"),
             "What a basket costs with just these coupons, with its working; `refused` says why one does not apply.",
             "price_with([product], coupons).total",
             lambda world, basket, coupons: world.market.price(basket, coupons), world=True, cost=2_000),
    Function("best_basket", ("(list[product], list[text], within: map[product, int]) -> priced",
                             "(bag[product], list[text], within: map[product, int]) -> priced"),
             "The cheapest seller of each product and choice of coupons, exactly; `within` says in how many days one is needed.",
             "best_basket(products, coupons).assignment", _basket, world=True, cost=5_000),
    Function("figure", ("(text) -> number?",), "The first number that stands in a text; none where there is none.",
             'figure(p.attributes["weight"])', texts.figure),
    # draws
    Function("choice", ("(map[K, number]) -> K", "(list[T], each weight: number) -> T"),
             "One member, each as likely, or by `weight`; of a map of weights, a key. Of nothing: none.",
             "choice(p for p in products, weight=p.share)", draws.choice, draws=True),
    Function("sample", ("(list[T], k: int, each weight: number) -> list[T]", "(list[T], int) -> list[T]"),
             "k different members, or all where there are fewer.", "sample(c for c in categories, k=2)", draws.sample, draws=True),
    Function("shuffle", ("(list[T]) -> list[T]",), "The members in random order.", "shuffle(basket)", draws.shuffle, draws=True),
    Function("chance", ("(number) -> bool",), "True with this probability.", "chance(difficulty / 10)", draws.chance, draws=True),
    Function("uniform", ("(number, number) -> number",), "A number between two, each as likely.", "uniform(0, 1)", draws.uniform, draws=True),
    Function("uniform_int", ("(int, int) -> int",), "A whole number from the first to the second.", "uniform_int(1, 6)", draws.uniform_int, draws=True),
    Function("geometric", ("(number) -> int",), "Tries up to and with the first success, each with this probability.",
             "geometric(1 - repeat)", draws.geometric, draws=True, cost=200),
    Function("power_law", ("(int, int, shift: number, alpha: number, decay: number) -> int",),
             "q from low to high with P(q) ∝ (q + shift)^-alpha · decay^(q - low).", "power_law(1, 5, alpha=2.5)", draws.power_law, draws=True),
    Function("normal", ("(number, number) -> number",), "A normal variate of mean and standard deviation.", "normal(0, 1)", draws.normal, draws=True),
    Function("lognormal", ("(number, number) -> number",), "exp of a normal variate.", "lognormal(0, 1)", draws.lognormal, draws=True),
]  # fmt: skip

FUNCTIONS = {f.name: f for f in _TABLE}
