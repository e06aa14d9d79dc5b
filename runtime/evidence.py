"""A record as metrics see it: the names of the vocabulary, each computed when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from shopdsl.dsl.env import Lazy
from shopdsl.dsl.library.commerce import total
from shopdsl.dsl.values import Bag, Row
from shopdsl.runtime.duties import Matcher, compile_duties
from shopdsl.runtime.expect.scene import Scene
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.expect.verdict import verdict
from shopdsl.runtime.forbidden import Prohibition, forbidden
from shopdsl.runtime.ledger import Ledger
from shopdsl.runtime.trial import make_ledger
from shopdsl.runtime.world import Trial


@dataclass(frozen=True)
class Final:
    """The end state."""

    cart: Bag
    order: Any
    total: Any


class Reader:
    """Turns records of one plan into the names that metrics use."""

    def __init__(self, penalties: dict[str, dict[str, Any]], rules: dict[str, list[Any]], cases: dict[str, Any]) -> None:
        self._penalties, self._cases = penalties, cases
        self._rules = {cohort: [Prohibition(r) for r in found] for cohort, found in rules.items()}
        self._case_rules = {name: [Prohibition(r) for r in case["forbid"]] for name, case in cases.items()}
        self._duties: dict[str, Any] = {}

    def names(self, trial: Trial, record: dict[str, Any]) -> dict[str, Any]:
        """All names of the metric vocabulary for one record."""
        ledger = make_ledger(trial)
        for item, say in zip(ledger.items, record.get("says", ()), strict=False):
            item.say = say
        for event in record["events"]:
            ledger.feed(event)
        names = self._ledger_names(trial, record, ledger) | self._trial_names(trial)
        names |= self._case_names(trial, ledger, names["final"])
        names |= self._verdict_names(trial, ledger, names)
        names["calls"] = Lazy(lambda: (names["expected"].get(), names["verdict"].get(), ledger.calls)[2])
        return names

    def _verdict_names(self, trial: Trial, ledger: Ledger, names: dict[str, Any]) -> dict[str, Any]:
        """What the case of a trial found; nothing is looked for before a metric asks."""
        own = self._cases.get(trial.data.get("case", ""))
        if own is None or not own.get("expects", {}).get("groups"):
            return {
                "own_case": None,
                "verdict": Lazy(lambda: None),
                "success": None,
                "groups": [],
                "checks": [],
                "assertions": [],
            }
        played = replace(trial, case=own)  # scoring takes the case as it is written now
        known = {**played.names, **case_values(own, played)}
        scene = Scene(played, ledger, known, lambda: names | {"calls": ledger.calls})
        found = Lazy(lambda: verdict(scene, list(dict.fromkeys(e.name for e in names["forbidden"].get()))))
        return {
            "own_case": own,
            "verdict": found,
            "success": Lazy(lambda: found.get().success),
            "groups": Lazy(lambda: found.get().groups),
            "checks": Lazy(lambda: found.get().checks),
            "assertions": Lazy(lambda: [Row(t, {"text": t}) for t in found.get().assertions]),
        }

    def _ledger_names(self, trial: Trial, record: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
        matched = Lazy(lambda: self._matched(trial, ledger))
        cart = ledger.cart
        agent = [m for m in ledger.messages if m.role == "agent"]
        retrieved = [c for c in ledger.calls if c.kind == "retrieval" and c.error is None and (c.query is not None or c.results)]
        return {
            "final": Final(cart, ledger.order, total(cart)),
            "messages": ledger.messages,
            "agent_messages": agent,
            "customer_messages": [m for m in ledger.messages if m.role == "customer"],
            "answer": agent[-1].text if agent else None,
            "turns": ledger.turns,
            "searches": retrieved,
            "items": ledger.items,
            "beats": ledger.beats,
            "expected": matched,
            "frustration": ledger.frustration,
            "rationales": ledger.rationales,
            "end": Row("", {"reason": record["end"]["reason"]}),
        }

    def _case_names(self, trial: Trial, ledger: Ledger, final: Final) -> dict[str, Any]:
        key = trial.data.get("case", "")
        rules = self._rules.get(trial.data["cohort"], []) + self._case_rules.get(key, [])
        return {
            "case": case_row(self._cases.get(key)),
            "forbidden": Lazy(lambda: forbidden(rules, ledger, final, trial.fixtures)),
            "prohibitions": len(rules),
        }

    def _trial_names(self, trial: Trial) -> dict[str, Any]:
        target = Bag({i.product: i.quantity for i in trial.items()})
        drawn = trial.data["drawn"]
        return {
            "target": target,
            "target_set": frozenset(target.counts),
            "cohort": trial.data["cohort"],
            "persona": trial.persona,
            "tier": drawn.get("tier", ""),
            "difficulty": drawn.get("difficulty"),
            "reveal": trial.data["reveal"],
            "turn_budget": trial.data["turn_budget"],
            "penalties": self._penalties[trial.data["cohort"]],
        }

    def _matched(self, trial: Trial, ledger: Ledger) -> Any:
        key = trial.data["cohort"]  # a cohort has one store: the same beats owe other classes of calls with other tools
        if key not in self._duties:
            self._duties[key] = compile_duties(trial.beats, ledger.tools)
        always = trial.store.data["toolset"]["always_allowed"]
        return Matcher(ledger, self._duties[key], always).run()


def case_row(case: dict[str, Any] | None) -> Row | None:
    """A case as expressions see it."""
    fields = ("name", "expected", "refuse", "pointer", "over_refusal")
    about = {"category": "", "split": "", "level": "", "tags": []}
    return Row(case["name"], {k: case[k] for k in fields} | {k: case.get(k, v) for k, v in about.items()}) if case else None


def penalty_rows(classes: dict[str, Any]) -> dict[str, Row]:
    """Weights of mistakes by class, as expressions see them."""
    return {c: Row(c, {k: float(v) for k, v in weights.items()}) for c, weights in classes.items()}
