"""What must hold of every drawn trial: order of beats, one due a target, the close at the end, the turn budget, goods in stock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shopdsl.compiler.draw import Drawn
from shopdsl.compiler.kinds.beat import Beat
from shopdsl.compiler.kinds.cohort import Cohort
from shopdsl.compiler.kinds.reveal import Reveal
from shopdsl.dsl.diagnostics import Code, codes
from shopdsl.dsl.pacing import messages
from shopdsl.dsl.source import Span

Finding = tuple[Code, str, Span, str]


def prove(drawn: Drawn, beats: list[dict[str, Any]], reveal: Reveal, cohort: Cohort) -> Iterator[Finding]:
    """Every way in which a drawn trial breaks the rules, with the place that is to blame."""
    program = reveal.node.content
    for code, message, help in (*_order(beats, reveal.beats), *_dues(beats, drawn, reveal.beats), *_last(beats, reveal.beats)):
        yield code, message, program, help
    need, budget = messages(beats, reveal.limits), drawn.turn_budget
    lines = {line.name: line.span for line in cohort.lines}
    if need > budget:
        help = f"raise `turn_budget`, want less, or let `{reveal.name}` say more in one message"
        yield (
            codes.OVER_BUDGET,
            f"its {len(beats)} beats take {need} messages, and it has {budget}",
            lines["turn_budget"],
            help,
        )
    for item in drawn.items:
        if item.product.stock < item.quantity:
            message = f"{item.quantity} of `{item.product.title}` are wanted, and {item.product.stock} are in stock"
            yield codes.TARGET_UNAVAILABLE, message, lines["target"], "draw from `p for p in … if p.in_stock`"


Found = tuple[Code, str, str]


def _order(beats: list[dict[str, Any]], kinds: dict[str, Beat]) -> Iterator[Found]:
    for place, beat in enumerate(beats):
        before = {b["beat"] for b in beats[:place] if set(b["items"]) & set(beat["items"])}
        for needed in kinds[beat["beat"]].after:
            if needed not in before:
                yield (
                    codes.BEAT_ORDER,
                    f"`{beat['beat']}` comes before any `{needed}` of its item",
                    f"put `{needed}` before it in the program",
                )
        then = kinds[beat["beat"]].then
        after = {b["beat"] for b in beats[place + 1 :] if b["items"] == beat["items"]}
        if then is not None and then not in after:
            yield codes.BEAT_ORDER, f"no `{then}` follows `{beat['beat']}`", f"put `{then}` after it in the program"


def _dues(beats: list[dict[str, Any]], drawn: Drawn, kinds: dict[str, Beat]) -> Iterator[Found]:
    opened = [i for b in beats if kinds[b["beat"]].due and kinds[b["beat"]].data["opens"] for i in b["items"]]
    for item in drawn.items:
        times = opened.count(item.index)
        if times != 1:
            message = f"`{item.product.title}` falls due {times} times in its plan"
            yield codes.TARGET_NOT_DUE, message, "every item needs exactly one beat that asks for it"


def _last(beats: list[dict[str, Any]], kinds: dict[str, Beat]) -> Iterator[Found]:
    closing = [i for i, b in enumerate(beats) if kinds[b["beat"]].last]
    if any(kinds[b["beat"]].last for b in beats[:-1]) or (not closing and any(k.last for k in kinds.values())):
        names = " or ".join(f"`{n}`" for n, k in sorted(kinds.items()) if k.last)
        message = f"{names} is not the last beat of its plan" if closing else f"its plan never comes to {names}"
        yield codes.NOT_LAST, message, "end the program with it, once"
