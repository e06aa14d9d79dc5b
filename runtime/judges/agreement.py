"""How far a judge agrees with people, and what its verdicts say of all answers once its errors are taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shopdsl.runtime.statistics import LEVEL, RESAMPLES, SEED, around, interval, wilson

UNSCORED = "unscored"
"""The column of answers for which the judge gave no verdict."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; `reason` says in words why it, or its interval, is missing."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    def as_data(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class VerdictAgreement:
    """One verdict against the rest. `labelled` counts its labels with a verdict; rates are shares of all answers with a verdict."""

    labelled: int
    sensitivity: Estimate
    specificity: Estimate
    observed: Estimate
    corrected: Estimate

    def as_data(self) -> dict[str, Any]:
        return {k: v.as_data() if isinstance(v, Estimate) else v for k, v in vars(self).items()}


@dataclass(frozen=True)
class Agreement:
    """A judge against labels. Figures are over the answers with a verdict: `unscored` of the `labelled` and of all `answers` have none."""

    labelled: int
    labelled_unscored: int
    answers: int
    unscored: int
    accuracy: Estimate
    kappa: Estimate
    confusion: dict[str, dict[str, int]]
    verdicts: dict[str, VerdictAgreement]

    def as_data(self) -> dict[str, Any]:
        plain = {k: v for k, v in vars(self).items() if isinstance(v, int | dict) and k != "verdicts"}
        figures = {"accuracy": self.accuracy.as_data(), "kappa": self.kappa.as_data()}
        return {**plain, **figures, "verdicts": {name: v.as_data() for name, v in self.verdicts.items()}}


def agreement(pairs: Iterable[tuple[str, str | None]], judged: Iterable[str | None], verdicts: Sequence[str]) -> Agreement:
    """Compare a judge with labels: `pairs` of label and verdict, `judged` its verdicts on answers without a label.

    The labelled answers must be drawn from those that the rates are about: `pairs` and `judged` together are all answers.
    A label or verdict that is not one of `verdicts` is a ValueError.
    """
    cells, others = Counter(pairs), Counter(judged)
    _closed(cells, others, verdicts)
    table = [[cells[label, verdict] for verdict in verdicts] for label in verdicts]
    spoken = [sum(column) + others[v] for v, column in zip(verdicts, zip(*table, strict=True), strict=True)]
    silent = {label: cells[label, None] for label in verdicts}
    labelled = sum(cells.values())
    return Agreement(
        labelled=labelled,
        labelled_unscored=sum(silent.values()),
        answers=labelled + sum(others.values()),
        unscored=sum(silent.values()) + others[None],
        accuracy=_share(sum(table[i][i] for i in range(len(verdicts))), sum(map(sum, table))),
        kappa=_kappa(table),
        confusion={
            v: {**dict(zip(verdicts, row, strict=True)), UNSCORED: silent[v]} for v, row in zip(verdicts, table, strict=True)
        },
        verdicts=_each(table, spoken, verdicts),
    )


def _closed(cells: Counter[tuple[str, str | None]], others: Counter[str | None], verdicts: Sequence[str]) -> None:
    used = {label for label, _ in cells} | {v for _, v in cells if v is not None} | {v for v in others if v is not None}
    unknown = sorted(used - set(verdicts))
    if unknown:
        raise ValueError(f"`{unknown[0]}` is not a verdict of this judge; there are: {', '.join(verdicts)}")


def _share(successes: int, n: int) -> Estimate:
    return Estimate(successes / n, *wilson(successes, n)) if n else Estimate(reason="there is no answer to tell it from")


# agreement beyond chance


def _kappa(table: list[list[int]]) -> Estimate:
    import numpy as np

    cells = np.array(table)
    n, classes = int(cells.sum()), int((cells.sum(axis=1) > 0).sum())
    if classes < 2:
        return Estimate(reason="labels of at least two verdicts are needed" if n else "no answer has both a label and a verdict")
    value = float(_kappas(cells[None])[0])
    draws = _random().multinomial(n, cells.ravel() / n, size=RESAMPLES).reshape(RESAMPLES, *cells.shape)
    return Estimate(value, *(around(value, interval(_kappas(draws))) or (value, value)))


def _kappas(cells: Any) -> Any:
    """Cohen's kappa of every confusion matrix; NaN where chance alone agrees always."""
    import numpy as np

    n = cells.sum(axis=(1, 2))
    agreed = np.trace(cells, axis1=1, axis2=2) / n
    chance = (cells.sum(axis=1) * cells.sum(axis=2)).sum(axis=1) / (n * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance < 1, (agreed - chance) / (1 - chance), np.nan)


# rates


def _each(table: list[list[int]], spoken: list[int], verdicts: Sequence[str]) -> dict[str, VerdictAgreement]:
    """Every verdict against the rest."""
    rows, answers = _resampled(table), _resampled([spoken])[:, 0]
    return {v: _one(table, spoken, i, rows, answers) for i, v in enumerate(verdicts)}


def _resampled(rows: list[list[int]]) -> Any:
    """Every row of counts drawn again so often as it was counted: (resamples × rows × columns)."""
    import numpy as np

    random = _random()
    drawn = [random.multinomial(sum(row), np.array(row) / max(1, sum(row)), size=RESAMPLES) for row in rows]
    return np.stack(drawn, axis=1)


def _random() -> Any:
    import numpy as np

    return np.random.RandomState(SEED)


def _one(table: list[list[int]], spoken: list[int], i: int, rows: Any, answers: Any) -> VerdictAgreement:
    own, rest = sum(table[i]), sum(map(sum, table)) - sum(table[i])
    false = sum(row[i] for row in table) - table[i][i]
    observed = _share(spoken[i], sum(spoken))
    return VerdictAgreement(
        labelled=own,
        sensitivity=_share(table[i][i], own),
        specificity=_share(rest - false, rest),
        observed=observed,
        corrected=_corrected(own, rest, table[i][i], false, observed, (rows, answers, i)),
    )


def _corrected(own: int, rest: int, hits: int, false: int, observed: Estimate, drawn: tuple[Any, Any, int]) -> Estimate:
    """The rate that a judge with these errors must have seen to say what it said (Rogan and Gladen)."""
    if observed.value is None:
        return Estimate(reason="the judge gave no verdict")
    if not own or not rest:
        return Estimate(
            reason=f"no answer that {'has' if not own else 'lacks'} this verdict is labelled, so the judge's errors are unknown"
        )
    if hits * rest <= false * own:  # sensitivity + specificity <= 1, in whole numbers
        return Estimate(reason="the judge gives this verdict no more often where it is right than where it is wrong")
    value = float(_rogan_gladen(observed.value, hits / own, false / rest))
    rows, answers, i = drawn
    hit, wrong = rows[:, i, i] / own, (rows[:, :, i].sum(axis=1) - rows[:, i, i]) / rest
    return Estimate(value, *_spread(answers[:, i] / answers.sum(axis=1), hit, wrong))


def _rogan_gladen(observed: Any, hit: Any, wrong: Any) -> Any:
    import numpy as np

    return np.clip((observed - wrong) / (hit - wrong), 0, 1)


def _spread(observed: Any, hit: Any, wrong: Any) -> tuple[float, float]:
    """The interval over resamples; one in which the judge tells nothing leaves every rate possible, and counts as 0 below, as 1 above."""
    import numpy as np

    tells = hit > wrong
    rates = _rogan_gladen(observed, np.where(tells, hit, 1), np.where(tells, wrong, 0))
    tail = (1 - LEVEL) / 2 * 100
    return float(np.percentile(np.where(tells, rates, 0), tail)), float(np.percentile(np.where(tells, rates, 1), 100 - tail))
