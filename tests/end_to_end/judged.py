"""A small package whose metrics ask judges, a run of it, and answers of a model to their questions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import CORNER
from tests.endpoint import Request

TRIALS = 4
SPECS = """
---
kind: judge
name: mood
about: trial
question: |
  How does this conversation sound?
  <conversation>
  {{ join([m.role + ": " + m.text for m in messages], "\\n") }}
  </conversation>
verdict: [fine, sour, unclear]
rules: record(verdict="fine")
---
kind: judge
name: facts
about: message
question: |
  List what this message states.
  <message>
  {{ message.text }}
  </message>
many: true
verdict: [right, wrong]
answer: {claim: text, count: {optional: int}}
quote: claim
quoted: message.text
rules: '[record(verdict="right", claim=s, count=none) for s in sentences(message.text)]'
---
kind: model
name: small
model: some-model-7b
sampling: {max_tokens: 300, seed: 4}
limits: {retries: 3}
---
kind: judge
name: mine
by: small
---
kind: metric
name: good_mood
title: Good mood
group: manners
better: higher
for: [daily]
ask: {mood: {judge: mood}}
value: 'none if mood.verdict == "unclear" else mood.verdict == "fine"'
---
kind: metric
name: right_facts
title: Right facts
group: manners
better: higher
for: [daily]
ask: {stated: {judge: facts, for: m in agent_messages}}
value: mean(s.verdict == "right" for s in stated)
"""


def judged_package(folder: Path, specs: str = SPECS) -> Path:
    """A copy of the small package whose only metrics are `bought` and those that ask."""
    package = Path(shutil.copytree(CORNER, folder / "package"))
    path = package / "shop.yaml"
    text = path.read_text("utf-8").replace("extends: std.general\nstore: corner\ntrials: 20", COHORT)
    groups = "outcome: 1, manners: 1" + (", cases: 1" if "group: cases" in specs else "")
    path.write_text(text.replace("outcome: 1", groups).replace("metrics: [bought]", "") + specs, "utf-8")
    return package


COHORT = f"""extends: std.shopping
store: corner
trials: {TRIALS}
tables:
  tiers:
    simple: {{reveal: {{single: 100%}}}}
    moderate: {{reveal: {{linear: 100%}}}}
    multi_item: {{reveal: {{linear: 100%}}}}
    complex: {{reveal: {{linear: 100%}}}}"""


def shopdsl(*args: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the tool in a process of its own, without what the environment says of endpoints."""
    given = {k: v for k, v in os.environ.items() if k not in ("SHOPDSL_ENDPOINT", "SHOPDSL_API_KEY")} | (env or {})
    command = [sys.executable, "-m", "shopdsl.cli", *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, timeout=300, check=False)


def judged_run(package: Path) -> Path:
    """A run of the package, scored by rules."""
    for done in (shopdsl("compile", cwd=package), shopdsl("run", "-o", "run", cwd=package)):
        assert done.returncode == 0, done.stderr
    return package / "run"


@dataclass(frozen=True)
class Scores:
    """What `score --judge mine --format json` said; nothing but success will do."""

    stdout: str
    stderr: str

    @property
    def metrics(self) -> dict[str, Any]:
        return dict(json.loads(self.stdout)["cohorts"]["daily"]["metrics"])


def score(package: Path, url: str | None, env: dict[str, str] | None = None) -> Scores:
    """Score the run of a package by its model."""
    where = ["--endpoint", url] if url else []
    done = shopdsl("score", "run", "--judge", "mine", *where, "--format", "json", cwd=package, env=env)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return Scores(done.stdout, done.stderr)


def fair(request: Request) -> str:
    """A good answer to either question: the mood is fine, and the message is right."""
    message = re.findall(r"<message>\n(.*)\n</message>", request.prompt, re.S)
    return json.dumps({"answers": [{"verdict": "right", "claim": message[0], "count": None}]} if message else {"verdict": "fine"})


def kept(run: Path) -> list[dict[str, Any]]:
    """The answers that stand in a run folder, in whole lines."""
    lines = (run / "answers.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line.endswith("}")]
