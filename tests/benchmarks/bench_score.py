"""Scoring the records of the suite `paper` beside playing them: baseline agent, MiniLM store, index ready beforehand."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import bound, compiled, figure, process, seconds, skipped, title
from playing import agent, opened, play

from shopdsl.compiler.packages import standard_folder
from shopdsl.runtime.record import RECORDS, read_records
from shopdsl.runtime.score import Scorer
from shopdsl.runtime.shop.encoder import Encoder, EncoderMissing
from shopdsl.runtime.shop.index import matrix
from shopdsl.runtime.shop.search import Semantic
from shopdsl.runtime.world import World

TIMES = 5


def main() -> None:
    """Play 100 trials once, score their records some times."""
    title("score: 100 records of the suite `paper`, beside the run that made them")
    with TemporaryDirectory(prefix="shopdsl-bench-") as name:
        plan = compiled(standard_folder(), "paper", Path(name) / "paper.plan.jsonl")
        try:
            load, run = _run(opened(plan), Path(name) / "run")
        except EncoderMissing as error:
            return skipped("score", str(error))
        # each in a process of its own, as `shopdsl score` is: beside a loaded model every garbage collection would take longer
        spent = [process(sys.executable, __file__, str(plan), str(Path(name) / "run")).split() for _ in range(TIMES)]
    fresh, again = (min(map(float, column)) for column in zip(*spent, strict=True))
    rows = (
        ("loading the model", load),
        ("the run after that", run),
        ("score from files alone", fresh),
        ("a second score of the same plan", again),
    )
    for label, value in rows:
        figure(label, value, "s")
    bound("score from files alone / the run with loading its model", fresh / (load + run), 0.1)
    bound("score from files alone / the run after that", fresh / run, 0.1)


def _run(world: World, folder: Path) -> tuple[float, float]:
    """Seconds of loading the model, and of playing every trial; reading or making the index is in neither."""
    encoder = Encoder()
    try:
        load = seconds(lambda: encoder.encode(["a query that no customer asks"]))
        for name in world.header["stores"]:
            store = world.store(name)
            store.engine = Semantic(matrix(store, encoder), encoder.vectors)
        return load, seconds(lambda: play(world, world.trials(), agent("baseline"), folder, encoder))
    finally:
        encoder.close()


def _child(plan: Path, folder: Path) -> None:
    """Print the seconds of a first score, opening the plan included, and of a second."""
    started = time.perf_counter()
    world = opened(plan)
    _score(world, folder)
    print(time.perf_counter() - started, seconds(lambda: _score(world, folder)))


def _score(world: World, folder: Path) -> None:
    scorer = Scorer(world)
    scorer.expect([data["trial"] for data in world.plan.trials()])
    scorer.read(read_records(folder))
    scores = scorer.result()
    assert all(score.score is not None for score in scores.values()), f"{folder / RECORDS} gave no score"


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _child(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()
