"""What tests of cases share: a package of specs with agents that play what a test wrote for them, run in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from shopdsl.cli import cli
from shopdsl.dsl.plan import open_plan
from shopdsl.runtime.examine import Examiner, Look
from shopdsl.runtime.expect.verdict import Verdict
from shopdsl.runtime.manifest import PLAN
from shopdsl.runtime.record import read_records
from shopdsl.runtime.world import World

Turn = list[Any]
"""What an agent does about one message: `[tool, arguments]` for each call, then at most one text."""
Scripts = dict[str, list[list[Turn]]]
"""By the first word of the customer, and by agent (`agent_0` …): what it does, turn by turn."""
AGENT = '''
"""Plays what is written in scripts.json for the first word that it hears; after its last turn it says "Yes?"."""
import json
from pathlib import Path

SCRIPTS = json.loads(Path(__file__).with_name("scripts.json").read_text("utf-8"))

def agent(number):
    def start(event):
        turns, todo, heard = [], [], []

        def step(event):
            if event["type"] == "customer":
                if not turns:
                    plays = SCRIPTS.get(event["text"].split(" ")[0], [[]])
                    turns[:] = [*plays[number if number < len(plays) else 0], None]
                todo[:] = turns.pop(0) if turns[0] is not None else []
            else:
                heard.append({"result": event["result"], "error": event["error"]})
            if not todo:
                return {"type": "say", "text": json.dumps(heard) if heard else "Yes?"}
            return act(todo.pop(0))

        return step

    return start

def act(what):
    if isinstance(what, str):
        return {"type": "say", "text": what}
    return {"type": "call", "id": what[0], "tool": what[0], "arguments": what[1]}

agent_0, agent_1, agent_2, agent_3 = map(agent, range(4))
'''


def run(*args: str | Path) -> Result:
    """The command line, in this process."""
    return CliRunner().invoke(cli, [str(a) for a in args])


@dataclass(frozen=True)
class Stage:
    """A package whose suite `cases` has one cohort `cases`."""

    folder: Path

    def compile(self) -> Result:
        """Compile its suite to plan.jsonl."""
        return run("compile", "--package", self.folder, "-o", self.folder / "plan.jsonl")

    def play(self, agent: str = "agent_0", *options: str | Path, name: str = "") -> Path:
        """The folder of a run; it must succeed."""
        place = self.folder / "runs" / (name or agent)
        done = run("run", self.folder / "plan.jsonl", "--agent", agent, "-o", place, "--package", self.folder, *options)
        assert done.exit_code == 0, (done.output, done.exception)
        return place

    def trials(self) -> dict[str, str]:
        """The trials of the plan, by the name of their case."""
        lines = (self.folder / "plan.jsonl").read_text("utf-8").split("\n")
        found = [json.loads(line) for line in lines if line and '"script"' in line]
        return {t["case"].rpartition(".")[2]: t["trial"] for t in found if "trial" in t}


def stage(folder: Path, name: str, specs: str, scripts: Scripts) -> Stage:
    """Write a package; its agents are `agent_0` to `agent_3`, whose module is named after the package."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = f"shopdsl: 1\npackage: {name}\nversion: 0.1.0\nrequires: {{}}\ndefault_suite: cases\n"
    (folder / "shopdsl.yaml").write_text(manifest, "utf-8")
    agents = "---\n".join(f"kind: agent\nname: agent_{n}\npython: {name}_agent:agent_{n}\nmax_calls: 40\n" for n in range(4))
    (folder / "agents.yaml").write_text(agents, "utf-8")
    (folder / "specs.yaml").write_text(specs, "utf-8")
    (folder / f"{name}_agent.py").write_text(AGENT, "utf-8")
    (folder / "scripts.json").write_text(json.dumps(scripts), "utf-8")
    return Stage(folder)


def records(run_folder: Path) -> dict[str, dict[str, Any]]:
    """The records of a run, by trial."""
    lines = (run_folder / "records.jsonl").read_text("utf-8").split("\n")
    return {r["trial"]: r for line in lines if line for r in [json.loads(line)]}


@lru_cache(maxsize=16)
def looks(run_folder: Path) -> dict[str, Look]:
    """The records of a finished run by trial, ready to be looked into: a plan is opened once for all that is asked of it."""
    examiner = Examiner(World(open_plan(run_folder / PLAN)))
    return {record["trial"]: examiner.look(record) for record in read_records(run_folder)}


def verdict_of(run_folder: Path, trial: str) -> Verdict:
    """What the case of a trial found."""
    found: Verdict = looks(run_folder)[trial].names["verdict"].get()
    return found


def calls(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a record."""
    return [e for e in record["events"] if e["type"] == "call"]
