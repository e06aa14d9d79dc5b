"""`shopdsl show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shopdsl.cli.common import USAGE, Trouble, emit, fail_on, open_unit, package_option


@click.command("show")
@click.argument("name")
@click.argument("trial", required=False)
@click.option("--kind", help="The kind of the document, where several have the name.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@package_option
def command(name: str, trial: str | None, kind: str | None, format_: str, package: Path | None) -> None:
    """Print a document merged with what it extends, a plan's contents, or a trial and where each of its values comes from.

    With a run folder: the conversation of a trial, with its tool calls and the value of every metric.

    Example: shopdsl show build/paper.plan.jsonl general/3
    """
    if Path(name).is_dir() and trial is not None:
        _record(Path(name), trial)
    elif Path(name).suffix == ".jsonl" or Path(name).is_file():
        _plan(Path(name), trial, format_)
    else:
        _document(name, kind, package)


def _record(folder: Path, trial: str) -> None:
    from shopdsl.cli.scoring import look_at
    from shopdsl.runtime.report.conversation import conversation

    for look in look_at(folder, trial):
        for line in conversation(look.record):
            click.echo(line)
        click.echo()
        for name, value in look.values.items():
            shown = "n/a" if value is None else "unscored" if value != value else f"{value:.3f}"
            click.echo(f"{name:<28} {shown}")


def _document(name: str, kind: str | None, package: Path | None) -> None:
    from shopdsl.compiler.shape import kinds
    from shopdsl.dsl.diagnostics import nearest

    unit, sink = open_unit(package)
    found = [d for k in kinds() if kind in (None, k) and (d := unit.workspace.find(k, name, unit.workspace.main.name))]
    if not found:
        fail_on(sink)
        known = [n for k in kinds() for n in unit.workspace.names(k, unit.workspace.main.name)]
        raise Trouble(f"there is no document `{name}`; {nearest(name, known)}".rstrip("; "), USAGE)
    for place, document in enumerate(found):
        click.echo(("---\n" if place else "") + f"# {document.span.source.path}")
        click.echo(_yaml(unit.body(document)), nl=False)


def _yaml(node: Any) -> str:
    from io import StringIO

    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 120
    out = StringIO()
    yaml.dump(_styled(node), out)
    return out.getvalue()


def _styled(node: Any) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString, SingleQuotedScalarString

    from shopdsl.dsl.tree import Mapping, Sequence, plain

    if isinstance(node, Mapping):
        return {k.text: _styled(v) for k, v in node}
    if isinstance(node, Sequence):
        return [_styled(v) for v in node.items]
    style = {
        "|": LiteralScalarString,
        ">": LiteralScalarString,
        "'": SingleQuotedScalarString,
        '"': DoubleQuotedScalarString,
    }.get(node.style)
    return style(node.text) if style else plain(node)


def _plan(path: Path, trial: str | None, format_: str) -> None:
    from shopdsl.cli.jobs import open_world

    world = open_world(path)
    if trial is None:
        summary = {k: world.header[k] for k in ("suite", "package", "seed", "sources", "cohorts")}
        summary |= {
            k: sorted(world.header[k]) for k in ("stores", "personas", "beats", "reveals", "customers", "metrics", "rubrics")
        }
        emit({"plan": world.plan.digest, **summary})
        return
    data = world.plan.trial(trial)
    if data is None:
        raise Trouble(f"the plan has no trial {trial}; ids are COHORT/NUMBER", USAGE)
    if format_ == "json":
        emit(data)
        return
    for line in _trial(world, data, _map(path)):
        click.echo(line)


def _map(path: Path) -> dict[str, Any]:
    beside = path.with_name(path.name.removesuffix(".jsonl") + ".map.json")
    try:
        data: dict[str, Any] = json.loads(beside.read_text("utf-8"))
        return data
    except (OSError, ValueError):
        return {"cohorts": {}, "documents": {}}


def _trial(world: Any, data: dict[str, Any], places: dict[str, Any]) -> list[str]:
    lines = [f"trial {data['trial']}, seed {data['seed']}, task {data['task']}", ""]
    cohort = places["cohorts"].get(data["cohort"], {"draw": {}})
    documents = places["documents"]
    rows = places.get("personas", {}).get(data["cohort"], {})
    for name, value in data["persona"].items():
        lines += _value(f"persona.{name}", value, rows.get(name, {}).get(value))
    trial = world.trial(data)
    items = trial.items()
    drawn = data["drawn"] | {
        "target": [f"{i.quantity} × {i.product.title} ({i.product.id}, {i.product.price})" for i in items],
        "withheld": [f"{i.product.id}: {', '.join(h.say for h in i.withheld)}" for i in items if i.withheld],
        "turn_budget": data["turn_budget"],
        "reveal": data["reveal"],
    }
    for name in [*(n for n in cohort["draw"] if n in drawn), *(n for n in drawn if n not in cohort["draw"])]:
        lines += _value(name, drawn[name], cohort["draw"].get(name))
    lines += _value("itinerary", [_beat(b, items) for b in data["beats"]], documents.get("reveal", {}).get(data["reveal"]))
    return lines


def _value(name: str, value: Any, place: dict[str, Any] | None) -> list[str]:
    where = f"    ← {place['file']}:{place['line']}  {place['text'][:90]}" if place else ""
    if isinstance(value, list) and value and sum(len(str(v)) for v in value) > 60:
        return [f"{name}:{where}", *(f"    {v}" for v in value)]
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return [f"{name}: {shown}{where}"]


def _beat(beat: dict[str, Any], items: list[Any]) -> str:
    about = f" about {beat['about']}" if beat["about"] else ""
    to = f" to {beat['to']}" if beat["to"] is not None else ""
    guard = " (the next waits for it)" if beat["guard"] is not None else ""
    return f"{beat['beat']} {'; '.join(items[i].product.title for i in beat['items'])}".rstrip() + about + to + guard
