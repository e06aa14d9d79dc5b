"""Business tasks of a cohort: one row a task, success by class, level and split, and what the failures suggest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from shopdsl.runtime.statistics import wilson

DIGITS = 4
ALL = 0.999
GAP = 0.3
"""So much better on the regression split than on the challenge split is suspect."""
CREDIT, DONE = 0.7, 0.5
"""Much partial credit beside little success: people would judge otherwise."""
SOUND = frozenset(["probe_over", "answered", "purchase_complete", "budget_exhausted"])
"""Ends that are no fault of the agent's program."""


@dataclass(frozen=True)
class Task:
    """One task of one trial: what held, what the agent called and said, and why it failed. `None`: the case expects nothing there."""

    case_id: str
    trial: str
    category: str
    level: str
    split: str
    tool_ok: bool | None
    answer_ok: bool | None
    state_ok: bool | None
    success: bool
    score: float
    actual_tools: list[str]
    final_answer: str
    reasons: list[str]
    missing: list[str]
    error: str
    dangerous: int
    compliance: float | None


def task_of(case: dict[str, Any], record: dict[str, Any], names: dict[str, Any], values: dict[str, float | None]) -> Task | None:
    """The row of a record, or None where its case expects nothing of calls, answer or state; `values` are its metrics."""
    if names["success"] is None:
        return None
    found = names["verdict"].get()
    groups = {g.name: g for g in found.groups}
    held = {n: groups[n].ok if n in groups else None for n in ("calls", "answer", "state")}
    judged = _scored(values, "task_success")
    counted = [g.score for g in found.groups if g.counted]
    end = record["end"]
    return Task(
        case["id"] or case["name"], record["trial"], case["category"], case["level"], case["split"], held["calls"], held["answer"],
        held["state"], bool(judged) if judged is not None else found.success,
        sum(counted) / len(counted) if counted else float(found.success), [c.tool for c in names["calls"].get()], names["answer"] or "",
        list(found.reasons),
        [c.what for c in found.checks if not c.ok and not c.bonus and c.kind in ("call", "in_order")],
        "" if end["reason"] in SOUND else f"{end['reason']}: {end['detail']}".rstrip(": "),
        int(_scored(values, "dangerous_operations") or 0),
        _scored(values, "critical_compliance"),
    )  # fmt: skip


def _scored(values: dict[str, float | None], metric: str) -> float | None:
    """The value of a metric, where it applies and could be computed."""
    found = values.get(metric)
    return found if found == found else None


@dataclass
class Tasks:
    """The tasks of one cohort."""

    rows: list[Task]

    @property
    def success_rate(self) -> float:
        """The share of tasks that are done."""
        return _share(t.success for t in self.rows)

    def by(self, name: str) -> dict[str, list[Task]]:
        """The tasks by a field, in the order of its values."""
        found: dict[str, list[Task]] = defaultdict(list)
        for task in self.rows:
            found[getattr(task, name) or "(none)"].append(task)
        return dict(sorted(found.items(), key=lambda e: _ORDER.get(e[0], e[0])))

    @property
    def notes(self) -> list[str]:
        """What the failures suggest."""
        return diagnoses(self) or [spread(self)]

    @property
    def parts(self) -> list[tuple[str, dict[str, Any]]]:
        """Rates by class, level and split, where the tasks say them."""
        named = (("by class", "category"), ("by level", "level"), ("by split", "split"))
        found = [(title, self.by(name)) for title, name in named]
        return [(t, {k: {"cases": len(v), **_rates(v)} for k, v in p.items()}) for t, p in found if set(p) - {"(none)"}]

    def data(self) -> dict[str, Any]:
        """The shape of `score --format json`."""
        return {
            "total_cases": len(self.rows), **_rates(self.rows),
            "mean_tool_calls": round(sum(len(t.actual_tools) for t in self.rows) / len(self.rows), DIGITS),
            "critical_compliance": _known(t.compliance for t in self.rows),
            "dangerous_operations": sum(t.dangerous for t in self.rows),
            **{f"by_{name}": {k: {"cases": len(v), **_rates(v)} for k, v in self.by(name).items()} for name in ("category", "level", "split")},
            "details": [_detail(t) for t in self.rows],
            "diagnoses": diagnoses(self),
        }  # fmt: skip


_ORDER = {"basic": "0", "medium": "1", "challenge": "2", "regression": "0"}


def _detail(task: Task) -> dict[str, Any]:
    row = asdict(task) | {"score": round(task.score, DIGITS)}
    for name in ("missing", "dangerous", "compliance"):
        del row[name]
    return row


def _rates(rows: list[Task]) -> dict[str, float | None]:
    return {
        "success_rate": round(_share(t.success for t in rows), DIGITS),
        "tool_call_accuracy": _known(t.tool_ok for t in rows),
        "answer_accuracy": _known(t.answer_ok for t in rows),
        "state_accuracy": _known(t.state_ok for t in rows),
        "partial_credit": round(sum(t.score for t in rows) / len(rows), DIGITS),
    }


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _known(values: Iterable[float | None]) -> float | None:
    found = [v for v in values if v is not None]
    return round(sum(found) / len(found), DIGITS) if found else None


def diagnoses(tasks: Tasks) -> list[str]:
    """What the failures suggest: the six rows of the article's table of troubles, where they apply."""
    rules: list[Callable[[Tasks], str]] = [_all_fail, _class_fails, _broke_off, _graded, memorised, _would_be_real]
    return [text for rule in rules if (text := rule(tasks))]


def _all_fail(tasks: Tasks) -> str:
    if tasks.success_rate > 0 or len(tasks.rows) < 2:
        return ""
    near = max(tasks.rows, key=lambda t: t.score)
    why = near.reasons[0] if near.reasons else "no reason was found"
    return f"every task fails: the rules may be too strict, or the tools are not connected. Compare answers and expectations, first {near.case_id}: {why}"


def _class_fails(tasks: Tasks) -> str:
    classes = tasks.by("category")
    bad = [n for n, rows in classes.items() if len(rows) > 1 and not any(t.success for t in rows)]
    if not bad or len(bad) == len(classes):
        return ""
    missing = Counter(tool for n in bad for t in classes[n] for tool in t.missing)
    tool = f"; most often missing or wrong: the call of {missing.most_common(1)[0][0]}" if missing else ""
    return f"every task of {', '.join(bad)} fails: a tool may be missing in the agent, or named otherwise there{tool}"


def _broke_off(tasks: Tasks) -> str:
    broken = [t for t in tasks.rows if t.error]
    if not broken:
        return ""
    return f"{len(broken)} of {len(tasks.rows)} tasks broke off ({broken[0].case_id}: {broken[0].error}); each fails by itself, the others went on"


def _graded(tasks: Tasks) -> str:
    credit = sum(t.score for t in tasks.rows) / len(tasks.rows)
    if tasks.success_rate >= DONE or credit < CREDIT:
        return ""
    return f"success is {tasks.success_rate:.2f} and partial credit {credit:.2f}: people may judge milder; look at what the nearly done tasks miss"


def memorised(tasks: Tasks) -> str:
    """Is the regression split done so much better than the challenge split that it may be known by heart?"""
    splits = tasks.by("split")
    if not {"regression", "challenge"} <= splits.keys():
        return ""
    old, new = (_share(t.success for t in splits[s]) for s in ("regression", "challenge"))
    if old - new < GAP:
        return ""
    return f"regression {old:.2f}, challenge {new:.2f}: the regression set may be known by heart; add new challenge cases"


def _would_be_real(tasks: Tasks) -> str:
    bad = [t for t in tasks.rows if t.dangerous]
    if not bad:
        return ""
    count = sum(t.dangerous for t in bad)
    return (
        f"{count} operations that nobody expects were carried out, first in {bad[0].case_id}: with a real shop they would be real"
    )


def spread(tasks: Tasks) -> str:
    """How failures are spread: in one class, or over all."""
    failed = [t for t in tasks.rows if not t.success]
    if len(failed) < 3:
        return f"{len(failed)} of {len(tasks.rows)} tasks failed: too few to say how they are spread"
    name, count = Counter(t.category or "(none)" for t in failed).most_common(1)[0]
    share = count / len(failed)
    expected = sum((t.category or "(none)") == name for t in tasks.rows) / len(tasks.rows)
    low, _ = wilson(count, len(failed))
    if low > expected:
        return f"failures cluster: {share:.0%} of them are of {name}, which has {expected:.0%} of the tasks: the agent's chain for it is at fault"
    return "failures are spread over the classes as the tasks are: if they change from run to run, data or rules are unstable"


def gradient(runs: dict[str, Tasks]) -> list[str]:
    """Do the tasks tell agents apart, and levels?"""
    lines = []
    for agent, tasks in runs.items():
        steps = [f"{n} {_share(t.success for t in rows):.2f}" for n, rows in tasks.by("level").items() if n != "(none)"]
        if len(steps) > 1:
            lines.append(f"{agent}: {', '.join(steps)}")
    if len(runs) > 1:
        lines += _apart(runs)
    return lines


def _apart(runs: dict[str, Tasks]) -> list[str]:
    done: dict[str, list[bool]] = defaultdict(list)
    for tasks in runs.values():
        for task in tasks.rows:
            done[task.case_id].append(task.success)
    nobody = sorted(case for case, found in done.items() if not any(found))
    rates = {agent: tasks.success_rate for agent, tasks in runs.items()}
    best, worst = max(rates, key=lambda a: rates[a]), min(rates, key=lambda a: rates[a])
    lines = [f"no agent does {len(nobody)} of {len(done)} tasks" + (f": {', '.join(nobody[:8])}" if nobody else "")]
    if rates[best] >= ALL and rates[worst] <= 1 - ALL:
        lines.append(f"{best} does all and {worst} none: unless that is meant, check whether {best} has seen the tasks")
    return lines
