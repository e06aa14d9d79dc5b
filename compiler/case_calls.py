"""The calls that a case lists, against the tools and the data of the store in which it is played."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from shopdsl.compiler.expect.nodes import Listed
from shopdsl.compiler.fixtures import numbered
from shopdsl.compiler.kinds.case import Case
from shopdsl.compiler.kinds.store import Store
from shopdsl.compiler.literals import unlike
from shopdsl.compiler.origin import Origin
from shopdsl.compiler.unit import Unit, text
from shopdsl.dsl.diagnostics import codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping


def check_call(unit: Unit, case: Case, call: Listed, tools: dict[str, Any], store: Store) -> None:
    """Report a tool or parameter that the store does not have, an argument of another type, and what is named and not there."""
    if not known_tool(unit, call.tool, call.tool_span, list(tools)):
        return
    if call.wanted and call.tool not in case.played.get("tools", tools):
        help = "add it to `available_tools`, or do not expect it"
        unit.sink.add(codes.UNRESOLVED, f"`available_tools` leaves out `{call.tool}`", call.tool_span, help)
    params = {p["name"]: p for p in tools[call.tool]["params"]}
    for name, span in call.named.items():
        if name not in params:
            help = nearest(name, params) or f"parameters: {', '.join(params)}"
            unit.sink.add(codes.UNRESOLVED, f"`{call.tool}` has no parameter `{name}`", span, help)
    place = partial(_place, unit, case, call)
    for name in call.args if call.wanted and not _meant(unit, case, call) else ():
        if name in params and (wanted := unlike(params[name]["type"], call.args[name])):
            message = f"`{name}` of `{call.tool}` is {wanted}, and this is something else"
            unit.sink.add(codes.WRONG_SHAPE, message, place(name), f"write {wanted}")
    for name, record, key in _missing(call, params, case, store) if call.wanted and not _meant(unit, case, call) else ():
        message = f"this call names the {record} `{key}`, and there is none: it will be refused"
        unit.sink.add(
            codes.CALL_TO_NOTHING,
            message,
            place(name),
            "name one that is there; where the refusal is what is wanted, write `error: true`",
        )


def _meant(unit: Unit, case: Case, call: Listed) -> bool:
    """Does the author want a refusal? An imported case says only that a replay was refused."""
    provenance = unit.body(case.document).get("provenance")
    return call.refused and not (isinstance(provenance, Mapping) and text(provenance.get("from")) == "import")


def _place(unit: Unit, case: Case, call: Listed, argument: str) -> Span | None:
    """Where an argument stands for the author of the case."""
    return Origin(unit, case.document).place(f"{call.id}.{argument}", call.arg_spans.get(argument))


def known_tool(unit: Unit, name: str, span: Span, tools: list[str]) -> bool:
    """Has the store a tool? One that it has not is reported."""
    if name in tools:
        return True
    help = nearest(name, tools) or f"tools: {', '.join(tools)}"
    unit.sink.add(codes.UNRESOLVED, f"the store has no tool `{name}`", span, help)
    return False


def _missing(call: Listed, params: dict[str, Any], case: Case, store: Store) -> Iterator[tuple[str, str, str]]:
    """Literal arguments that name records which are not there."""
    for name, given_value in call.args.items():
        kind = params[name]["type"] if name in params else None
        match kind:
            case {"ref": record} | {"list": {"ref": record}} if (known := _keys(record, case, store)) is not None:
                for key in given_value if isinstance(given_value, list) else [given_value]:
                    if isinstance(key, str) and key not in known:
                        yield name, record, str(key)


def _keys(record: str, case: Case, store: Store) -> Collection[str] | None:
    """The keys of the records that there are, or the ids of the products; None where they are not known yet."""
    if record == "product":
        own = numbered(case.fixtures, len(store.listing))
        return [*store.product_ids.values(), *own.values()] if store.catalog is None else None
    return {*store.records[record], *case.records.get(record, ())} if record in store.records else None
