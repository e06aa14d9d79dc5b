"""Does a case tell right from wrong? Its own answer scores full marks; silence, an echo, what the shop says beforehand and single mistakes do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from shopdsl.dsl.env import Env
from shopdsl.dsl.evaluate import compile_tree, guarded
from shopdsl.dsl.values import Failed, Row
from shopdsl.runtime.expect.mutations import Mutation, mutations
from shopdsl.runtime.expect.oracle import Part, Reply, right_replies
from shopdsl.runtime.expect.perform import Performer
from shopdsl.runtime.expect.solve import case_values
from shopdsl.runtime.expect.transcript import transcript
from shopdsl.runtime.expect.unasked import is_closed
from shopdsl.runtime.expect.verdict import Verdict
from shopdsl.runtime.world import Trial

FULL = 1 - 1e-9
TRIED = 300
"""So many mistakes are tried in one case."""
MOST = 3
"""So many mistakes that a case does not notice are told."""

_IDLE = "an agent that does and says nothing succeeds"


_UNSAID = ("none", "never_before", "that", "fits")
"""Kinds of expectations that hold of a text which says nothing."""


@dataclass(frozen=True)
class Played:
    """The record of a trial that an agent played, and what its case found."""

    record: dict[str, Any]
    verdict: Verdict | None


@dataclass(frozen=True)
class Flaw:
    """What is wrong with a case: `unproved`, `idle`, `survives`, `leak`, `tie`, `equal` or `nothing`; the group that it is about, or an empty text."""

    kind: str
    message: str
    group: str = ""


def prove_case(trial: Trial, performer: Performer) -> Iterator[Flaw]:
    """All that is wrong with the case of a trial whose messages are fixed."""
    try:
        ties = list(_ties(trial))
        yield from ties
        if not ties:
            yield from _proof(trial, performer, right_replies(trial))
    except Failed as error:
        yield Flaw("unproved", f"what the case expects cannot be computed: {error}")


def prove_played(trial: Trial, performer: Performer, right: Played, silent: Played) -> Iterator[Flaw]:
    """All that is wrong with the case of a trial in which wishes come out by plan, after the oracle and the silent agent played it."""
    try:
        ties = list(_ties(trial))
        yield from ties
        if not ties:
            yield from _proof_of_play(trial, performer, right, silent)
    except Failed as error:
        yield Flaw("unproved", f"what the case expects cannot be computed: {error}")


def _proof_of_play(trial: Trial, performer: Performer, right: Played, silent: Played) -> Iterator[Flaw]:
    assert trial.case is not None
    if right.verdict is None:
        return
    if not full(right.verdict):
        yield _unproved(trial, right.verdict)
        return
    if silent.verdict is not None and silent.verdict.holds and not trial.case["expects"]["idle"]:
        yield Flaw("idle", _IDLE)
        return
    fixed, replies = transcript(trial, right.record)
    again = performer.perform(fixed, replies)
    if again is not None and full(again):  # not where it looks at what only a customer who answers can bring about
        yield from _survivors(fixed, performer, replies, again)


def _ties(trial: Trial) -> Iterator[Flaw]:
    """A query gives one product, or the case accepts several."""
    assert trial.case is not None
    values = case_values(trial.case, trial)
    for entry in trial.case.get("solve", ()):
        if "among" not in entry:
            continue
        found = values[entry["name"]]
        if not found:
            yield Flaw("nothing", f"the query `{entry['name']}` finds no product")
        elif len(found) > 1 and entry["by"] is not None and not entry["ties"]:
            names = ", ".join(str(p) for p in found[:4])
            yield Flaw("tie", f"the query `{entry['name']}` gives {len(found)} products that are equally good: {names}")
    yield from _equal_prices(trial, values)


_CHOSEN = ("used", "working", "assignment")
"""Of a price, what is one of several where others cost the same."""


def _equal_prices(trial: Trial, values: dict[str, Any]) -> Iterator[Flaw]:
    """What is expected of a price is the same for every choice that costs as much."""
    assert trial.case is not None
    trees = [trial.case["expects"], [e.get("value") for e in trial.case.get("solve", ())]]
    for of, name in _reads(trees):
        try:
            found = guarded(compile_tree(of))(Env({**trial.names, **values}, None, trial.store))
        except Failed:
            continue  # inside of a query, for each of its members
        others = found.fields().get("others" if name == "assignment" else "ties", 0) if isinstance(found, Row) else 0
        if others:
            yield Flaw("equal", f"`{name}` of a price is expected, and another choice costs as much")
            return


def _reads(tree: Any) -> Iterator[tuple[Any, str]]:
    if isinstance(tree, list) and len(tree) == 3 and tree[0] == "attr" and tree[2] in _CHOSEN:
        yield tree[1], tree[2]
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _reads(part)


def _proof(trial: Trial, performer: Performer, replies: list[Reply]) -> Iterator[Flaw]:
    found = performer.perform(trial, replies)
    if found is None:
        return
    if not full(found):
        yield _unproved(trial, found)
        return
    assert trial.case is not None
    silent = [Reply() for _ in replies]
    if not trial.case["expects"]["idle"]:
        yield from _idle(trial, performer, silent)
    yield from _survivors(trial, performer, replies, found)


def _unproved(trial: Trial, found: Verdict) -> Flaw:
    """The right replies do not succeed: the first group that misses something says where."""
    short = next((g.name for g in found.groups if g.counted and g.score < FULL), "")
    most = trial.data["script"].get("limits", {}).get("calls")
    within = "" if most is None else f", within `limits: {{calls: {most}}}`,"
    return Flaw("unproved", f"an agent that does what the case expects{within} does not succeed: {reasons(found)}", short)


def full(found: Verdict) -> bool:
    """Is it a success, with full marks in all that is counted?"""
    return found.success and all(g.score >= FULL for g in found.groups if g.counted)


def reasons(found: Verdict) -> str:
    """Why it is not."""
    return "; ".join(dict.fromkeys(found.reasons)) or "its rule of success does not hold"


def _idle(trial: Trial, performer: Performer, silent: list[Reply]) -> Iterator[Flaw]:
    found = performer.perform(trial, silent)
    if found is not None and found.holds:
        yield Flaw("idle", _IDLE)
        return
    script = trial.data["script"]["messages"]
    echo = [Reply(parts=[Part(m["text"], {"op": "echo"})]) for m in script]
    repeated = performer.perform(trial, echo)
    if repeated is not None and full(repeated):
        yield Flaw("leak", "an agent that repeats what the customer writes succeeds", "answer")
    yield from _told(trial, performer)


def _told(trial: Trial, performer: Performer) -> Iterator[Flaw]:
    """The whole answer must not stand in what the agent is told before the first message."""
    texts = {"`system`": trial.system} | {f"the doc of `{t['name']}`": t["description"] for t in trial.store.schemas()}
    found = _answered(trial, performer, " ".join(texts.values()))
    if found is None or not found[0] or not found[1]:
        return
    places = [where for where, text in texts.items() if (one := _answered(trial, performer, text)) and one[1]]
    words = ", ".join(f"`{w}`" for w in found[1][:5])
    where = f": {words}, in {', '.join(places[:5])}" if places else ""
    message = f"all that the answer must say stands in what the agent is told before the first message{where}"
    yield Flaw("leak", message, "answer")


def _answered(trial: Trial, performer: Performer, text: str) -> tuple[bool, list[str]] | None:
    """Whether a text, said in every turn, is the answer, and what of it it says."""
    found = performer.perform(trial, [Reply(parts=[Part(text, {"op": "told"})]) for _ in trial.data["script"]["messages"]])
    answer = next((g for g in found.groups if g.name == "answer" and g.counted), None) if found else None
    if found is None or answer is None:
        return None
    return answer.ok, [c.what for c in found.checks if c.group == "answer" and c.kind not in _UNSAID and c.ok]


def _survivors(trial: Trial, performer: Performer, replies: list[Reply], right: Verdict) -> Iterator[Flaw]:
    survived = (m for m, noticed in tried(trial, performer, replies, right) if not noticed)
    for mutation in islice(survived, MOST):
        yield Flaw("survives", f"the case scores full marks although {mutation.what}", mutation.group)


def tried(trial: Trial, performer: Performer, replies: list[Reply], right: Verdict) -> Iterator[tuple[Mutation, bool]]:
    """Every single mistake in what success counts, and whether the case notices it."""
    counted = {g.name for g in right.groups if g.counted} | ({"state"} if is_closed(trial) else set())
    for mutation in islice(mutations(trial, replies), TRIED):
        if mutation.group in counted:
            found = performer.perform(trial, mutation.replies)
            yield mutation, found is None or not full(found)


def teeth(trial: Trial, performer: Performer) -> tuple[int, int]:
    """How many single mistakes were made in the right replies of a case, and how many it notices."""
    try:
        replies = right_replies(trial)
        right = performer.perform(trial, replies)
        seen = [noticed for _, noticed in tried(trial, performer, replies, right)] if right else []
    except Failed:
        return 0, 0
    return len(seen), sum(seen)
