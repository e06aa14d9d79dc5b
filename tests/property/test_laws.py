"""The drawn laws against their formulas: chi-square on 10,000 trials of the cohorts `general` and `grocery` with a fixed seed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from shopdsl.compiler.catalog import generate
from shopdsl.compiler.draw import Drawer, Drawn
from shopdsl.compiler.kinds.catalog import CatalogSpec, compile_catalog
from shopdsl.compiler.kinds.cohort import compile_cohort
from shopdsl.compiler.packages import load, standard_folder
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.catalog import Catalog
from shopdsl.dsl.diagnostics import Sink

N = 10_000
SHARES = {
    "fresh_food": 812, "dairy_frozen": 582, "pantry_snacks": 1353, "beverages": 465, "household_essentials": 456, "health_wellness": 282,
    "beauty_personal_care": 491, "baby": 155, "pet": 171, "apparel": 543, "shoes_accessories": 306, "furniture_decor": 371,
    "kitchen_appliances": 613, "electronics": 964, "computers_phones": 959, "tools_garden_auto": 446, "sports_outdoors": 181, "toys_games": 271,
    "books_media_office": 579,
}  # fmt: skip
SIGMAS = {
    "fresh_food": (3.99, 0.7),
    "apparel": (24.99, 0.6),
    "electronics": (79.99, 1.1),
    "computers_phones": (69.99, 1.2),
    "books_media_office": (14.99, 0.65),
}


@pytest.fixture(scope="module")
def unit() -> Unit:
    sink = Sink()
    return Unit(load(standard_folder(), sink), sink)


@pytest.fixture(scope="module")
def catalog(unit: Unit) -> Catalog:
    document = unit.workspace.find("catalog", "general", "std")
    assert document is not None
    spec = compile_catalog(unit, document)
    assert isinstance(spec, CatalogSpec)
    made = generate(spec, unit.sink)
    assert unit.sink.all() == []
    return made


def draw(unit: Unit, catalog: Catalog, cohort: str) -> list[Drawn]:
    document = unit.workspace.find("cohort", cohort, "std")
    assert document is not None
    drawer = Drawer(compile_cohort(unit, document), catalog, 2609)
    return [drawer.draw(i) for i in range(N)]


@pytest.fixture(scope="module")
def drawn(unit: Unit, catalog: Catalog) -> list[Drawn]:
    return draw(unit, catalog, "general")


@pytest.fixture(scope="module")
def grocery(unit: Unit, catalog: Catalog) -> list[Drawn]:
    return draw(unit, catalog, "grocery")


def chi_square(found: Mapping[Any, int], expected: Mapping[Any, float]) -> None:
    """Pearson's statistic below its 99.9 % quantile (Wilson and Hilferty's approximation); cells of fewer than five are pooled."""
    total = sum(found.values())
    assert set(found) <= set(expected), set(found) - set(expected)
    cells = sorted(((found.get(k, 0), p * total) for k, p in expected.items()), key=lambda c: -c[1])
    kept = [c for c in cells if c[1] >= 5]
    rest = [c for c in cells if c[1] < 5]
    if sum(e for _, e in rest) > 0:
        kept.append((sum(f for f, _ in rest), sum(e for _, e in rest)))
    statistic = sum((f - e) ** 2 / e for f, e in kept)
    df = len(kept) - 1
    limit = df * (1 - 2 / (9 * df) + 3.09 * math.sqrt(2 / (9 * df))) ** 3
    assert statistic < limit, (statistic, limit, kept)


def test_the_catalog_has_its_shares(catalog: Catalog) -> None:
    assert {c.name: len(c.products) for c in catalog.categories} == SHARES


@pytest.mark.parametrize("name", SIGMAS)
def test_prices_follow_their_law(catalog: Catalog, name: str) -> None:
    logs = sorted(math.log(p.price.number) for p in catalog.by_name[name].products)
    median, sigma = SIGMAS[name]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs))
    assert logs[len(logs) // 2] == pytest.approx(math.log(median), abs=0.05)
    assert spread == pytest.approx(sigma, rel=0.03)


def test_every_product_can_be_told_from_every_other(catalog: Catalog) -> None:
    said = Counter((p.noun, *(h.say for h in p.hints if h.name != "budget")) for p in catalog.products)
    assert [s for s, n in said.items() if n > 1] == []
    assert len({p.id for p in catalog.products}) == 10_000
    assert len({p.title for p in catalog.products}) > 9_000
    assert len({p.type for p in catalog.products}) >= 200


# the six breakpoints of the depth law: up to which price which abundance holds
BREAKPOINTS = [("23.10", 6), ("23.11", 5), ("46.41", 5), ("46.42", 4), ("93.26", 4), ("93.27", 3), ("187.38", 3), ("187.39", 2),
               ("376.49", 2), ("376.50", 1), ("5.00", 6), ("700.00", 1)]  # fmt: skip


@pytest.mark.parametrize(("price", "abundance"), BREAKPOINTS)
def test_the_depth_law_of_the_spec_has_its_breakpoints(unit: Unit, price: str, abundance: int) -> None:
    from shopdsl.dsl.env import Env
    from shopdsl.dsl.evaluate import evaluate
    from shopdsl.dsl.values import Money, Row

    document = unit.workspace.find("cohort", "general", "std")
    assert document is not None
    block = next(line.block for line in compile_cohort(unit, document).lines if line.name == "wanted")
    assert block is not None
    trees = {line.name: line.made.tree for line in block.lines}
    names: dict[str, Any] = {"lead": Row("", {"price": Money(Decimal(price), "USD")})}
    names["abundance"] = evaluate(trees["abundance"], Env(names))
    assert names["abundance"] == abundance
    repeat = evaluate(trees["repeat"], Env(names))
    assert repeat == pytest.approx(max(0.07, 1 - 2 / (1 + abundance)))


def test_tiers_and_breadth(drawn: list[Drawn]) -> None:
    tiers = Counter(str(d.names["tier"]) for d in drawn)
    assert tiers == {"simple": 3 * N // 10, "moderate": 2 * N // 10, "multi_item": 3 * N // 10, "complex": 2 * N // 10}
    assert {d.names["breadth"] for d in drawn if d.names["tier"] in ("simple", "moderate")} == {1}
    assert {d.names["breadth"] for d in drawn if d.names["tier"] == "multi_item"} == {2}
    chi_square(Counter(d.names["breadth"] for d in drawn if d.names["tier"] == "complex"), {3: 0.5, 4: 0.5})


def test_categories_by_share(drawn: list[Drawn]) -> None:
    alone = Counter(d.names["categories"][0].name for d in drawn)
    chi_square(alone, {name: n / 10_000 for name, n in SHARES.items()})


def test_depth_given_the_price_of_the_representative(drawn: list[Drawn]) -> None:
    """P(D = d) = r^(d-1) (1 - r), cut at 8, for simple trials whose representative costs up to 23.10 (r = 5/7)."""
    depths: Counter[int] = Counter()
    for d in drawn:
        wanted = d.names["wanted"]
        if d.names["breadth"] == 1 and wanted[0].price.number <= 23.10:
            depths[len(wanted)] += 1
    r = 1 - 2 / 7
    expected = {n: r ** (n - 1) * (1 - r) for n in range(1, 8)} | {8: r**7}
    assert sum(depths.values()) > 2_000
    chi_square(depths, expected)


def test_representatives_lie_around_the_median(drawn: list[Drawn], catalog: Catalog) -> None:
    """The Gaussian weight of the log price around the category's median, as a law over the products themselves."""
    category = catalog.by_name["pantry_snacks"]
    stock = [p for p in category.products if p.in_stock]
    weights = [math.exp(-((math.log(p.price.number / 3.49) / 0.5) ** 2) / 2) for p in stock]
    bands = [0, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 1e9]

    def band(price: float) -> int:
        return sum(price >= b for b in bands)

    expected: dict[int, float] = {}
    for p, w in zip(stock, weights, strict=True):
        expected[band(p.price.number)] = expected.get(band(p.price.number), 0) + w / sum(weights)
    leads = [d.names["wanted"][0] for d in drawn if d.names["categories"][0] is category]
    chi_square(Counter(band(p.price.number) for p in leads), expected)


def test_quantities_follow_the_steep_power_law(drawn: list[Drawn]) -> None:
    weights = {q: q**-2.5 for q in range(1, 6)}
    total = sum(weights.values())
    chi_square(Counter(i.quantity for d in drawn for i in d.items), {q: w / total for q, w in weights.items()})


@pytest.mark.parametrize("difficulty", [1, 5, 9, 10])
def test_hints_are_withheld_with_a_tenth_of_the_difficulty(drawn: list[Drawn], difficulty: int) -> None:
    kinds = {"colour", "size", "dimension", "budget"}
    chosen = [d for d in drawn if d.names["difficulty"] == difficulty]
    held = sum(len(i.withheld) for d in chosen for i in d.items)
    able = sum(sum(h.kind in kinds for h in i.hints) for d in chosen for i in d.items)
    if difficulty == 10:
        assert held == able
    else:
        chi_square({"held": held, "told": able - held}, {"held": difficulty / 10, "told": 1 - difficulty / 10})


def test_the_turn_budget_is_slack_and_weight_by_items(drawn: list[Drawn]) -> None:
    weights = {"simple": 1.0, "moderate": 1.25, "multi_item": 1.75, "complex": 2.25}
    for d in drawn:
        half_up = math.floor(weights[str(d.names["tier"])] * len(d.items) + 0.5)
        assert d.turn_budget == 3 + half_up


@pytest.mark.parametrize(
    ("dimension", "weights"),
    [
        ("specificity", {"exact": 0.25, "partial": 0.45, "vague": 0.30}),
        ("commitment", {"decisive": 0.35, "comparing": 0.45, "wavering": 0.20}),
        ("price_importance", {"price_first": 0.38, "balanced": 0.42, "quality_first": 0.20}),
        ("vocabulary", {"catalogue": 0.35, "everyday": 0.45, "divergent": 0.20}),
        ("message_length", {"terse": 0.40, "medium": 0.45, "long": 0.15}),
        ("input_quality", {"clean": 0.65, "casual": 0.20, "typos": 0.12, "noisy": 0.03}),
    ],
)
def test_persona_dimensions(drawn: list[Drawn], dimension: str, weights: dict[str, float]) -> None:
    chi_square(Counter(d.persona.fields()[dimension].name for d in drawn), weights)


@pytest.mark.parametrize(
    ("tier", "weights"),
    [
        ("simple", {"batch": 0.5, "linear": 0.5}),
        ("moderate", {"batch": 0.4, "linear": 0.5, "nonlinear": 0.1}),
        ("multi_item", {"batch": 0.3, "linear": 0.4, "nonlinear": 0.3}),
        ("complex", {"batch": 0.15, "linear": 0.25, "nonlinear": 0.6}),
    ],
)
def test_styles_of_reveal(drawn: list[Drawn], tier: str, weights: dict[str, float]) -> None:
    several = [d for d in drawn if d.names["tier"] == tier and len(d.items) > 1]
    chi_square(Counter(d.names["reveal"] for d in several), weights)
    assert {d.names["reveal"] for d in drawn if len(d.items) == 1} == {"single"}


GROCERY_BREADTH = {
    "simple": {1: 0.5, 2: 0.5},
    "moderate": {2: 1.0},
    "multi_item": {2: 0.5, 3: 0.5},
    "complex": {3: 1 / 3, 4: 1 / 3, 5: 1 / 3},
}


@pytest.mark.parametrize("tier", GROCERY_BREADTH)
def test_grocery_trials_are_wider(grocery: list[Drawn], tier: str) -> None:
    chosen = Counter(d.names["breadth"] for d in grocery if d.names["tier"] == tier)
    if len(GROCERY_BREADTH[tier]) == 1:
        assert set(chosen) == set(GROCERY_BREADTH[tier])
    else:
        chi_square(chosen, GROCERY_BREADTH[tier])


def test_grocery_trials_buy_groceries(grocery: list[Drawn], catalog: Catalog) -> None:
    shelves = {c.name for c in catalog.categories if "grocery" in c.tags}
    assert len(shelves) == 9
    assert {i.product.category.name for d in grocery for i in d.items} == shelves
    assert max(len(d.items) for d in grocery) == 16


def test_grocery_quantities_are_flat_with_a_decay(grocery: list[Drawn]) -> None:
    weights = {q: (q + 50) ** -1 * 0.6 ** (q - 1) for q in range(1, 9)}
    total = sum(weights.values())
    chi_square(Counter(i.quantity for d in grocery for i in d.items), {q: w / total for q, w in weights.items()})


@pytest.mark.parametrize(("tier", "batch"), [("simple", 0.8), ("moderate", 0.75), ("multi_item", 0.7), ("complex", 0.65)])
def test_grocery_lists_come_mostly_at_once_and_never_mixed(grocery: list[Drawn], tier: str, batch: float) -> None:
    several = [d for d in grocery if d.names["tier"] == tier and len(d.items) > 1]
    chi_square(Counter(d.names["reveal"] for d in several), {"batch": batch, "linear": 1 - batch})
