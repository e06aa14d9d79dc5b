"""tau2-bench, retail: its database, tasks and policy as a package. The two JSON files are copied as they are; specs point into them."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shopdsl.compiler.importers.writing import Imported, ImportFailed, parsed, read_text, slug, unique, write_cases
from shopdsl.compiler.importers.yaml_text import document, documents
from shopdsl.dsl import json_text
from shopdsl.dsl.source import Source

FILES = ("db.json", "tasks.json", "policy.md")
TERMS = {"DB": "state", "ACTION": "calls", "COMMUNICATE": "answer", "NL_ASSERTION": "assertions"}
"""Terms of a reward, and what a case counts for them."""
TABLES = {"order_id": "orders", "user_id": "users", "product_id": "products"}
"""Arguments that name a record, and its table."""
_AMOUNT = re.compile(r"\d+\.\d{1,2}")


@dataclass(frozen=True)
class Replayed:
    """What is known of tasks once their listed calls were played: those that change nothing, and the calls that were refused."""

    idle: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


def import_tau2(folder: Path, target: Path, known: Replayed) -> Imported:
    """Write the package. Raises ImportFailed."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ImportFailed(f"{folder} has no {missing[0]}; the folder of a domain holds {', '.join(FILES)}")
    texts = {name: read_text(folder / name) for name in FILES}
    tables, tasks = parsed("db.json", texts["db.json"]), parsed("tasks.json", texts["tasks.json"])
    whole = isinstance(tables, dict) and all(isinstance(rows, dict) for rows in tables.values())
    if not whole or not isinstance(tasks, list):
        raise ImportFailed("db.json must hold an object of tables, each an object of records, and tasks.json a list of tasks")
    reader = Tasks(Source("data/tasks.json", texts["tasks.json"]), tasks, tables, known)
    cases = reader.cases()
    (target / "data").mkdir(parents=True, exist_ok=True)
    for name in ("db.json", "tasks.json"):
        shutil.copyfile(folder / name, target / "data" / name)
    (target / "shopdsl.yaml").write_text(document(_MANIFEST), "utf-8")
    (target / "retail.yaml").write_text(documents([_store(texts["policy.md"]), _COHORT, _SUITE]), "utf-8")
    write_cases(target, cases)
    return Imported(len(cases), sum(len(rows) for rows in tables.values()), reader.left)


_MANIFEST = {"shopdsl": 1, "package": "tau2_retail", "version": "0.1.0", "requires": {}, "default_suite": "retail"}
_COHORT = {
    "kind": "cohort", "name": "retail", "extends": "business", "title": "tau2-bench, retail", "store": "retail",
    "cases": {"tags": ["tau2"]},
}  # fmt: skip
_SUITE = {
    "kind": "suite",
    "name": "retail",
    "title": "tau2-bench, retail",
    "seed": 1,
    "cohorts": ["retail"],
    "rubrics": {"retail": "business"},
}


def _store(policy: str) -> dict[str, Any]:
    return {
        "kind": "store", "name": "retail", "title": "The retailer of tau2-bench", "toolset": "tau2_retail", "currency": "USD",
        "records_file": "data/db.json", "system": policy,
    }  # fmt: skip


@dataclass
class Tasks:
    """The tasks of a file as cases."""

    source: Source
    tasks: list[Any]
    tables: dict[str, Any]
    known: Replayed

    def __post_init__(self) -> None:
        self.left: list[str] = []

    def cases(self) -> list[dict[str, Any]]:
        """A case for every task."""
        text = self.source.text
        places = json_text.elements(text, text.index("["))
        names = Counter(str(task.get("id")) for task in self.tasks if isinstance(task, dict))
        twice = [name for name, n in names.items() if n > 1]
        if twice:
            raise ImportFailed(f"tasks.json holds two tasks of the id {twice[0]!r}")
        made = [self._case(number, task, place) for number, (task, place) in enumerate(zip(self.tasks, places, strict=True))]
        taken: set[str] = set()
        for case in made:
            case["name"] = unique(case["name"], taken)
        return made

    def _case(self, number: int, task: Any, place: int) -> dict[str, Any]:
        try:
            return self._made(task, place)
        except (KeyError, TypeError, AttributeError) as error:
            line = self.source.position(place)[0]
            raise ImportFailed(
                f"tasks.json:{line}: task {number} is not a task of tau2-bench ({type(error).__name__}: {error})"
            ) from None

    def _made(self, task: dict[str, Any], place: int) -> dict[str, Any]:
        told = task["user_scenario"]["instructions"]
        if not isinstance(told["reason_for_call"], str):
            raise TypeError("reason_for_call is no text")
        asked = task["evaluation_criteria"]
        actions = asked.get("actions") or []
        lines = {"line": self._line(place, ()), "lines": self._lines(asked, actions, place)}
        unused = {k: told[k] for k in ("task_instructions", "unknown_info") if told.get(k)}
        return {
            "kind": "case", "name": slug(f"task_{task['id']}"), "id": str(task["id"]), "category": "tool_orchestration", "tags": ["tau2"],
            "provenance": {"from": "import", "deidentified": True},
            "origin": {"file": "data/tasks.json", **lines, **({"data": unused} if unused else {})},
            "utterances": [" ".join(t for t in (told.get("known_info"), told["reason_for_call"]) if t)],
            "expect": self._expect(asked, actions),
            "success": " and ".join(self._counted(str(task["id"]), asked)),
            **({"inaction": "right"} if str(task["id"]) in self.known.idle else {}),
        }  # fmt: skip

    def _expect(self, asked: dict[str, Any], actions: list[Any]) -> dict[str, Any]:
        expect: dict[str, Any] = {}
        if actions:
            expect["calls"] = {"all": [self._call(a) for a in actions]}
        if asked.get("communicate_info"):
            expect["answer"] = {"all": [_told(t) for t in asked["communicate_info"]]}
        expect["state"] = {"same_as": "calls"}
        if asked.get("nl_assertions") or "NL_ASSERTION" in asked["reward_basis"]:
            expect["assertions"] = asked.get("nl_assertions") or []
        return expect

    def _call(self, action: dict[str, Any]) -> dict[str, Any]:
        compared = action.get("compare_args")
        ignored = [k for k in action["arguments"] if compared is not None and k not in compared]
        made = {
            "id": action["action_id"],
            "tool": action["name"],
            "args": json.loads(json.dumps(action["arguments"], default=float)),
        }
        refused = {"error": True} if action["action_id"] in self.known.refused else {}
        return made | ({"ignore": ignored} if ignored else {}) | refused

    def _counted(self, task: str, asked: dict[str, Any]) -> list[str]:
        unknown = [term for term in asked["reward_basis"] if term not in TERMS]
        self.left += [f"task {task}: the reward term {term} is not counted" for term in unknown]
        return [TERMS[term] for term in asked["reward_basis"] if term in TERMS] or ["state"]

    def _lines(self, asked: dict[str, Any], actions: list[Any], place: int) -> dict[str, int]:
        """Where the parts of a case stand, and the arguments that name what is not there."""
        parts = {"calls": "actions", "answer": "communicate_info", "assertions": "nl_assertions", "state": "reward_basis"}
        lines = {name: self._line(place, ("evaluation_criteria", key)) for name, key in parts.items() if key in asked}
        for number, action in enumerate(actions):
            for name, value in action["arguments"].items():
                table = TABLES.get(name)
                if table is not None and value not in self.tables.get(table, ()):
                    path = ("evaluation_criteria", "actions", number, "arguments", name)
                    lines[f"{action['action_id']}.{name}"] = self._line(place, path)
        return lines

    def _line(self, place: int, path: tuple[Any, ...]) -> int:
        return self.source.position(json_text.locate(self.source.text, path, place)[0])[0]


def _told(text: str) -> dict[str, Any]:
    return {"money": f"${text}"} if _AMOUNT.fullmatch(text) else {"says": text}
