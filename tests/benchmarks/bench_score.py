"""Scoring the records of the suite `paper` beside playing them (baseline agent, MiniLM store, index ready beforehand), and very many records."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import bound, compiled, figure, process, seconds, skipped, title
from playing import agent, opened, play

from shopdsl.compiler.packages import standard_folder
from shopdsl.runtime.examine import Examiner
from shopdsl.runtime.manifest import RECORDS
from shopdsl.runtime.parallel import seen_all
from shopdsl.runtime.score import Scorer
from shopdsl.runtime.shop.encoder import Encoder, EncoderMissing
from shopdsl.runtime.shop.index import matrix
from shopdsl.runtime.shop.search import Semantic
from shopdsl.runtime.world import World

TIMES = 5
MANY = 10_000


def main() -> None:
    """Play 160 trials once, score their records some times, and as many times over as make ten thousand."""
    title("score: 44 metrics of the 160 records of the suite `paper`, beside the run that made them")
    with TemporaryDirectory(prefix="shopdsl-bench-") as name:
        plan = compiled(standard_folder(), "paper", Path(name) / "paper.plan.jsonl")
        try:
            load, run = _run(opened(plan), Path(name) / "run")
        except EncoderMissing as error:
            return skipped("score", str(error))
        # each in a process of its own, as `shopdsl score` is: beside a loaded model every garbage collection would take longer
        spent = [process(sys.executable, __file__, str(plan), str(Path(name) / "run")).split() for _ in range(TIMES)]
        streams = [_stream(plan, Path(name) / "run", Path(name) / f"many{n}", n) for n in (MANY // 4, MANY)]
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
    (_, _, few), (wall, cpu, many) = streams
    figure(f"score {MANY:,} records", wall, "s")
    bound(f"growth of peak memory from {MANY // 4:,} records to {MANY:,}", many - few, 50, "MB")
    bound("wall time / CPU time of all processes", wall / cpu, 0.7)


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


def _stream(plan: Path, run: Path, folder: Path, count: int) -> tuple[float, float, float]:
    """Wall and CPU seconds of scoring so many records, the same ones again and again, and the scoring process's peak memory in MB."""
    folder.mkdir()
    lines = [json.loads(line) for line in (run / RECORDS).read_text("utf-8").splitlines()]
    with (folder / RECORDS).open("w", encoding="utf-8") as file:
        for i in range(count):
            repeat, place = divmod(i, len(lines))
            file.write(json.dumps(lines[place] | {"repeat": repeat}, separators=(",", ":")) + "\n")
    wall, cpu, peak = map(float, process(sys.executable, __file__, str(plan), str(folder), str(-(-count // len(lines)))).split())
    return wall, cpu, peak


def _many(plan: Path, folder: Path, repeat: int) -> None:
    """Print what scoring many records takes."""
    started = time.perf_counter()
    _score(opened(plan), folder, repeat)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(time.perf_counter() - started, sum(u.ru_utime + u.ru_stime for u in used), used[0].ru_maxrss / 1024)


def _child(plan: Path, folder: Path) -> None:
    """Print the seconds of a first score, opening the plan included, and of a second."""
    started = time.perf_counter()
    world = opened(plan)
    _score(world, folder)
    print(time.perf_counter() - started, seconds(lambda: _score(world, folder)))


def _score(world: World, folder: Path, repeat: int = 1) -> None:
    scorer = Scorer(Examiner(world), world.plan.ids, repeat)
    problems: list[str] = []
    for seen in seen_all(folder, scorer.examiner, problems):
        scorer.take(seen)
    scores = scorer.result()
    assert not problems, problems[0]
    assert all(score.score is not None for score in scores.values()), f"{folder / RECORDS} gave no score"


if __name__ == "__main__":
    if len(sys.argv) == 4:
        _many(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) == 3:
        _child(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()
