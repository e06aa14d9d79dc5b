"""Inspect AI's side of the benchmarks `run` and `turn`; started with the Python that has `inspect-ai`, and with the path of a job.

A job is `{"samples", "turns", "calls", "texts", "results", "log"}`: how many of each, what customers say and tools give, and a folder for logs.
With an `"address"` its model is served there, else it is Inspect's mock model. It prints the seconds of the evaluation, CPU time and wall time. Tools
only hand over a ready text and the model's answers are made up, so that what is measured is the harness.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver, use_tools
from inspect_ai.tool import Tool, tool


@tool
def search_products(results: list[str]) -> Tool:
    async def execute(query: str, top_k: int) -> str:
        """Search the shop for products, best match first.

        Args:
            query: What to look for.
            top_k: How many results.
        """
        return results[0]

    return execute


@tool
def get_product(results: list[str]) -> Tool:
    async def execute(product_id: str) -> str:
        """All that the shop knows of one product.

        Args:
            product_id: The product.
        """
        return results[1]

    return execute


@solver
def conversation(turns: int, texts: list[str]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for turn in range(turns):
            state.messages.append(ChatMessageUser(content=texts[turn % len(texts)]))
            state = await generate(state)
        return state

    return solve


def model(calls: int) -> Any:
    """Makes the calls of a turn one by one, then says something."""
    asks: list[tuple[str, dict[str, Any]]] = [
        ("search_products", {"query": "coffee", "top_k": 10}),
        ("get_product", {"product_id": "P1"}),
    ]

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        made = next(i for i, message in enumerate(reversed(messages)) if message.role == "user") // 2
        say = ModelOutput.from_content("mockllm", "Here is what I found.")
        output = ModelOutput.for_tool_call("mockllm", *asks[made % 2]) if made < calls else say
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # else Inspect looks for a tokenizer on the network
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def served(address: str) -> Any:
    """The model of an OpenAI-compatible endpoint; as many requests at once as shopdsl makes."""
    config = GenerateConfig(max_connections=16, max_retries=0)
    return get_model("openai-api/bench/scripted", base_url=address, api_key="none", memoize=False, config=config)


def run(job: dict[str, Any], samples: int) -> tuple[float, float]:
    """CPU and wall seconds of one evaluation."""
    tools = use_tools(search_products(job["results"]), get_product(job["results"]))
    solvers = [tools, conversation(job["turns"], job["texts"])]
    task = Task(dataset=[Sample(input="Hello.", id=i) for i in range(samples)], solver=solvers)
    who = served(job["address"]) if "address" in job else model(job["calls"])
    cpu, started = time.process_time(), time.perf_counter()
    log = eval(task, model=who, display="none", log_dir=job["log"])[0]
    spent = time.process_time() - cpu, time.perf_counter() - started
    assert log.samples is not None, log.error
    assert log.status == "success", log.error
    made = [sum(m.role == "tool" for m in sample.messages) for sample in log.samples]
    assert made == [job["turns"] * job["calls"]] * samples, f"tool calls: {made[:3]}"
    return spent


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    run(given, 1)  # loads what Inspect loads at first use
    print(*run(given, given["samples"]))
