"""How far figures of business tasks can be trusted: do the cases notice mistakes, how do failures spread, do the tasks tell agents apart?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shopdsl.cli.scoring import Scoring
    from shopdsl.runtime.world import World


def validation(results: list[Scoring]) -> Iterator[str]:
    """The three levels as text, for the cohorts that have tasks; nothing where none has."""
    from shopdsl.runtime.report.tasks import gradient, spread

    names = [name for name, score in results[0].scores.items() if score.tasks]
    for name in names:
        runs = {r.agent: score.tasks for r in results if (score := r.scores.get(name)) and score.tasks}
        made, noticed = _teeth(results[0].scorer.examiner.world, name)
        yield ""
        yield f"how far to trust this ({name})"
        yield f"  level 1, cases: {made} single mistakes were made in right replies, and {noticed} are noticed"
        for agent, tasks in runs.items():
            yield f"  level 2, failures of {agent}: {spread(tasks)}"
        for line in gradient(runs):
            yield f"  level 3, telling apart: {line}"


def between_splits(results: list[Scoring]) -> Iterator[str]:
    """What the splits say together where they stand in cohorts or suites of their own."""
    from shopdsl.runtime.report.tasks import Tasks, memorised

    found: dict[str, list[Tasks]] = {}
    for result in results:
        found.setdefault(result.agent, []).extend(s.tasks for s in result.scores.values() if s.tasks)
    for agent, parts in found.items():
        said = memorised(Tasks([row for part in parts for row in part.rows]))
        if said and not any(memorised(part) for part in parts):
            yield ""
            yield f"what the splits suggest of {agent}"
            yield f"  {said}"


def _teeth(world: World, cohort: str) -> tuple[int, int]:
    from shopdsl.cli.searching import engines
    from shopdsl.runtime.expect.perform import Performer
    from shopdsl.runtime.expect.proof import teeth

    trials = [world.trial(d) for d in world.plan.trials() if d["cohort"] == cohort and d.get("script", {}).get("messages")]
    proved = [t for t in trials if t.case is not None and t.case["expects"]["groups"]]
    with engines(world) as encoder:
        found = [teeth(t, Performer(encoder)) for t in proved]
    return sum(m for m, _ in found), sum(n for _, n in found)
