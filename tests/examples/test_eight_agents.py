"""The study of eight agents: the commands of its page work, and what tells the agents apart does so on a small part as well."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, Shop

STUDY = ROOT / "examples" / "eight_agents"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PART = """
kind: cohort
name: part
extends: general
store: general_lexical
trials: 25
---
kind: cohort
name: probes
extends: refusal
store: general_lexical
---
kind: suite
name: part
seed: 1
cohorts: [part, probes]
rubrics: {part: general, probes: refusal}
"""
"""Twenty-five trials and the probes, in the store that is searched by words."""
WORST = {
    ("part", "under_action"): ("hesitant", max),
    ("part", "over_purchase"): ("eager", max),
    ("part", "claim_support"): ("talker", min),
    ("part", "active_search_hit_at_k"): ("hasty", min),
    ("part", "wrong_variant_rate"): ("hasty", max),
    ("part", "checkout_completed"): ("forgetful", min),
    ("part", "redundant_question_rate"): ("forgetful", max),
    ("part", "premature_add_rate"): ("pushy", max),
    ("part", "tone"): ("pushy", min),
    ("part", "claim_contradiction"): ("pleaser", max),
    ("probes", "probe_response_correct"): ("pleaser", min),
}
"""For each cohort and metric the agent that is worst in it, and whether the worst value is the greatest or the least."""
AGENTS = ["careful", "hesitant", "eager", "talker", "hasty", "forgetful", "pushy", "pleaser"]


def _commands() -> list[list[str]]:
    text = (STUDY / "README.md").read_text("utf-8")
    return [shlex.split(line) for block in SHELL.findall(text) for line in block.replace("\\\n", " ").splitlines() if line]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the study whose default suite is a small part."""
    ignore = shutil.ignore_patterns("build", "runs", "report")
    copy = Path(shutil.copytree(STUDY, tmp_path / "eight_agents", ignore=ignore))
    (copy / "part.yaml").write_text(PART.lstrip(), "utf-8")
    with (copy / "shopdsl.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("default_suite: part\n")
    return copy


def _values(shop: Shop, folder: Path, agent: str) -> dict[tuple[str, str], float | None]:
    """The value of every metric, by cohort."""
    done = shop("score", f"runs/{agent}", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    cohorts = json.loads(done.stdout)["cohorts"]
    return {(name, metric): m["value"] for name, cohort in cohorts.items() for metric, m in cohort["metrics"].items()}


def test_the_commands_of_the_page_work_and_every_agent_is_worst_in_its_own_metrics(shop: Shop, folder: Path) -> None:
    for command in _commands():
        assert command[0] == "shopdsl"
        done = shop(*command[1:], cwd=folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert (folder / "report" / "index.html").exists()
    values = {agent: _values(shop, folder, agent) for agent in AGENTS}
    for key, (agent, worst) in WORST.items():
        found = {a: v for a in AGENTS if (v := values[a].get(key)) is not None}
        assert [a for a, v in found.items() if v == worst(found.values())] == [agent], f"{key}: {found}"
    bought = {agent: values[agent]["part", "exact_purchase"] or 0 for agent in AGENTS}
    assert bought.pop("careful") == 1
    assert max(bought.values()) - min(bought.values()) < 0.3, bought  # twenty-five trials; on all 150 it is a few points


def test_the_page_runs_all_agents_and_its_table_has_a_row_for_each() -> None:
    text = (STUDY / "README.md").read_text("utf-8")
    run = next(command for command in _commands() if command[1] == "run")
    assert [run[i + 1] for i, word in enumerate(run) if word == "--agent"] == AGENTS
    assert re.findall(r"^\| `(\w+)` ", text, re.MULTILINE) == AGENTS
    assert re.findall(r"^name: (\w+)$", (STUDY / "agents.yaml").read_text("utf-8"), re.MULTILINE) == AGENTS
