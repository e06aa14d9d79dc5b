"""The profile on a terminal: scores by cohort and group, how trials ended, how dense tool calls were."""

from __future__ import annotations

from collections.abc import Iterator

from shopdsl.dsl.terminal import clean, columns, padded
from shopdsl.runtime.examine import FULL
from shopdsl.runtime.report import task_text
from shopdsl.runtime.score import CohortScore, MetricScore
from shopdsl.runtime.statistics import wilson

_BAR = 20


def profile(agent: str, judge: str, scores: dict[str, CohortScore], colour: bool = False, view: str = FULL) -> str:
    """The profile of one agent as text; `judge` is who answered the questions of its metrics, `view` the evidence that they could use."""
    played = [score for score in scores.values() if score.trials]
    return "\n".join(line for score in played for line in _cohort(agent, judge, score, colour, view)) + "\n"


def _cohort(agent: str, judge: str, c: CohortScore, colour: bool, view: str) -> Iterator[str]:
    played = sum(c.ends.values())
    yield ""
    yield _strong(clean(f"{c.title} ({c.name})"), colour) + f" — agent {clean(agent)}, {played} of {c.trials} trials"
    if view != FULL:
        decided = sum(m.value is not None or m.unscored > 0 for m in c.metrics.values())
        yield f"evidence {view}: {decided} of {len(c.metrics)} metrics have a value; without the full record there is no score"
    asked = sum(m.kind != "rule" for m in c.metrics.values())
    if asked:
        yield f"judge {clean(judge)} ({asked} of {len(c.metrics)} metrics ask it, marked ?)"
    if c.score is not None:
        yield f"score {c.score:.3f}  {_interval(c.low, c.high)}"
    for gate in c.gates:
        undecided = "not decided: its metric has no value"
        said = undecided if gate["passed"] is None else "passed" if gate["passed"] else clean(gate["else"]).upper()
        yield f"gate {gate['metric']}: {said}"
    if c.lost:
        yield f"{c.lost} trials are lost and not in these figures: with them a mean may lie anywhere between the two bounds that it shows"
    if c.unfaithful:
        yield f"in {c.unfaithful} trials the simulated customer did not say what it should, or said what it should not"
    width = max((columns(clean(m.title)) for m in c.metrics.values()), default=10)
    for group in dict.fromkeys(m.group for m in sorted(c.metrics.values(), key=group_order)):
        yield ""
        yield _strong(clean(group), colour)
        if group == "search" and c.ceiling is not None:
            yield f"  a search for its title shows {c.ceiling:.1%} of what is wanted: what is missed beyond that is not the backend's"
        for metric in c.metrics.values():
            if metric.group == group:
                yield _metric(metric, width, colour)
    if c.tasks is not None and view == FULL:
        yield from task_text.lines(c.tasks)
    yield from _ends(c, colour)


_GROUPS = ("outcome", "cart", "search", "tools", "grounding", "conversation", "pacing", "safety")


def group_order(m: MetricScore) -> tuple[int, str]:
    """By what metrics are put in order: the groups of the standard package as a trial goes on, then others."""
    return (_GROUPS.index(m.group) if m.group in _GROUPS else len(_GROUPS), m.group)


def _metric(m: MetricScore, width: int, colour: bool) -> str:
    arrow = ("↑" if m.better == "higher" else "↓") + (" " if m.kind == "rule" else "?")
    if m.value is None:
        return f"  {padded(m.title, width)} {arrow}   n/a" + (f"  ({m.unscored} unscored)" if m.unscored else "")
    if m.scale == "count":
        return f"  {padded(m.title, width)} {arrow} {m.value:.3f}  {'':<{_BAR}}  {_interval(m.low, m.high)}  n={m.n}, {clean(m.unit)}"
    good = m.value if m.better == "higher" else 1 - m.value
    bar = "█" * round(good * _BAR) + "·" * (_BAR - round(good * _BAR))
    note = f"  n={m.n}" + (f", {m.unscored} unscored" if m.unscored else "") + _bounds(m) + _passes(m)
    return f"  {padded(m.title, width)} {arrow} {m.value:.3f}  {_paint(bar, good, colour)}  {_interval(m.low, m.high)}{note}"


def _bounds(m: MetricScore) -> str:
    """What the value could be with the trials that are lost or unscored, where there are any."""
    missing = m.least is not None and m.most is not None and m.most - m.least > 1e-9
    return f", bounds {m.least:.3f} to {m.most:.3f}" if missing else ""


def _passes(m: MetricScore) -> str:
    """pass^k and pass@k for the most repeats."""
    return "".join(f", {name.replace('k', str(k))} {curve[k][0]:.3f}" for name, curve in m.passes.items() if (k := max(curve)))


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def _ends(c: CohortScore, colour: bool) -> Iterator[str]:
    yield ""
    yield _strong("how trials ended", colour)
    total = max(1, sum(c.ends.values()))
    for reason, n in c.ends.most_common():
        yield f"  {padded(reason, 20)} {n:>5}  {_share(n, total)}"
    if set(c.ends_by_tier) - {""}:
        yield from _tiers(c, colour)


def _tiers(c: CohortScore, colour: bool) -> Iterator[str]:
    yield ""
    yield _strong("by tier", colour) + "          trials  bought                calls/turn"
    for tier in sorted(c.ends_by_tier):
        ends = c.ends_by_tier[tier]
        n = sum(ends.values())
        found = c.density.get(tier)
        pace = f"{found[0]:.2f}  {_interval(*found[1:])}" if found else "n/a"
        yield f"  {padded(tier or '(none)', 14)} {n:>6}  {_share(ends['purchase_complete'], n)}  {pace}"


def _share(n: int, total: int) -> str:
    """A share of trials, with Wilson's interval."""
    low, high = wilson(n, total)
    return f"{n / total:>4.0%}  {f'[{low:.0%}, {high:.0%}]':<13}"


def _strong(text: str, colour: bool) -> str:
    return f"\033[1m{text}\033[0m" if colour else text


def _paint(bar: str, good: float, colour: bool) -> str:
    if not colour:
        return bar
    return f"\033[{32 if good >= 0.8 else 33 if good >= 0.5 else 31}m{bar}\033[0m"
