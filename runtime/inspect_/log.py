"""The records of a run as a log of Inspect, for its viewer and its analysis functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
)
from inspect_ai.model import ModelOutput, ModelUsage

from shopdsl import __version__
from shopdsl.runtime.agents.protocol import AgentFault, clean
from shopdsl.runtime.examine import Examiner, Look
from shopdsl.runtime.inspect_ import scores
from shopdsl.runtime.inspect_.messages import conversation
from shopdsl.runtime.inspect_.samples import RECORD, sample
from shopdsl.runtime.manifest import RunBroken
from shopdsl.runtime.score import CohortScore


@dataclass
class RunLog:
    """The log of one run; records are taken one after the other."""

    manifest: dict[str, Any]
    examiner: Examiner
    samples: list[EvalSample] = field(default_factory=list)

    @property
    def model(self) -> str:
        """As Inspect names models: by whom it is served, and its name."""
        agent = self.manifest["agent"]
        served = agent.get("model")
        return f"openai-api/{served['name']}/{served['model']}" if served else f"shopdsl/{agent['name']}"

    def take(self, look: Look) -> Callable[[], None]:
        """The sample of a record; what is given adds it. Raises RunBroken where it cannot be read."""
        try:
            made = self._sample(look)
        except AgentFault as error:
            raise RunBroken(f"the record of trial {look.trial.id} cannot be read: {error}") from None
        return lambda: self.samples.append(made)

    def _sample(self, look: Look) -> EvalSample:
        record, trial = clean(look.record), look.trial
        begun, messages = sample(trial), conversation(record, trial.system)
        spoken = next((m.text for m in reversed(messages) if m.role == "assistant"), "")
        usage = {self.model: found} if (found := _usage(record)) else {}
        return EvalSample(
            id=trial.id, epoch=record["repeat"] + 1, input=begun.input, target=begun.target, messages=messages,
            output=ModelOutput.from_content(self.model, spoken), scores={scores.NAME: scores.score(self.examiner, look)},
            model_usage=usage, store={RECORD: record}, metadata={**(begun.metadata or {}), "end": record["end"]["reason"]},
        )  # fmt: skip

    def finished(self, results: dict[str, CohortScore], when: float) -> EvalLog:
        """The whole log, with the means that `score` gives; `when` the run ended is all that is known of its time."""
        created = datetime.fromtimestamp(int(when), UTC).isoformat()
        ids: list[int | str] = [*self.manifest["trials"]]
        expected = sum(c.trials for c in results.values())
        whole: Literal["success", "cancelled"] = "success" if len(self.samples) == expected else "cancelled"
        plan = self.manifest["plan"]
        known = {k: self.manifest.get(k) for k in ("plan", "suite", "agent", "shopdsl")}
        spec = EvalSpec(
            task="shopdsl/plan", task_id=plan[:22], task_version=plan[:12], created=created, model=self.model, metadata=known,
            dataset=EvalDataset(name=self.manifest["suite"], samples=len(ids), sample_ids=ids),
            config=EvalConfig(epochs=self.manifest["repeat"]), packages={"shopdsl": __version__},
        )  # fmt: skip
        found = EvalResults(total_samples=expected, completed_samples=len(self.samples), scores=_results(results))
        usage = sum((u for s in self.samples for u in s.model_usage.values()), ModelUsage())
        stats = EvalStats(started_at=created, completed_at=created, model_usage={self.model: usage} if usage.total_tokens else {})
        return EvalLog(status=whole, eval=spec, results=found, stats=stats, samples=self.samples)


def _results(cohorts: dict[str, CohortScore]) -> list[EvalScore]:
    """Each metric once, with a mean for each cohort to which it applied."""
    found: dict[str, EvalScore] = {}
    for cohort in cohorts.values():
        for metric in cohort.metrics.values():
            score = found.setdefault(metric.name, EvalScore(name=metric.name, scorer=scores.NAME))
            score.scored_samples = (score.scored_samples or 0) + metric.n
            if metric.value is None:
                continue
            if len(cohorts) == 1:
                score.metrics["mean"] = EvalMetric(name="mean", value=metric.value)
            else:
                score.metrics[f"grouped_{cohort.name}"] = EvalMetric(name=cohort.name, group="grouped", value=metric.value)
    return list(found.values())


def _usage(record: dict[str, Any]) -> ModelUsage | None:
    """What the agent's model took."""
    used = record.get("usage", {}).get("agent")
    if not used:
        return None
    read, made, cached = (int(used.get(k, 0)) for k in ("input", "output", "cached"))
    return ModelUsage(
        input_tokens=read - cached, output_tokens=made, total_tokens=read + made,
        input_tokens_cache_read=cached or None, reasoning_tokens=used.get("reasoning"),
    )  # fmt: skip
