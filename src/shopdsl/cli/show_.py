"""`shopdsl show`."""

from __future__ import annotations

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

    With a run folder: the conversation of a trial, with its tool calls and the value of every metric. A business case can be
    asked for by its name.

    Example: shopdsl show build/paper.plan.jsonl general/3
    """
    if Path(name).is_dir() and trial is not None:
        _record(Path(name), trial, package)
    elif (Path(name) / "manifest.json").is_file():
        raise Trouble(f"{name} is a run; name one of its trials, or a case, as well: shopdsl show {name} TRIAL", USAGE)
    elif Path(name).suffix == ".jsonl" or Path(name).is_file():
        _plan(Path(name), trial, format_)
    else:
        _document(name, kind, package)


def _record(folder: Path, trial: str, package: Path | None) -> None:
    from shopdsl.cli.scoring import look_at
    from shopdsl.runtime.examine import readable
    from shopdsl.runtime.manifest import RunBroken
    from shopdsl.runtime.report.conversation import conversation, expectations

    for look in look_at(folder, trial, package):
        try:
            with readable(trial):
                lines = [
                    *conversation(look.record, look.trial),
                    "",
                    *expectations(look.names),
                    *map(_metric, look.values.items()),
                ]
        except RunBroken as error:
            raise Trouble(str(error), USAGE) from None
        for line in lines:
            click.echo(line)


def _metric(entry: tuple[str, float | None]) -> str:
    name, value = entry
    shown = "n/a" if value is None else "unscored" if value != value else f"{value:.3f}"
    return f"{name:<28} {shown}"


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
    from shopdsl.cli.planned import planned, source_map

    world = open_world(path)
    if trial is None:
        summary = {k: world.header[k] for k in ("suite", "package", "seed", "sources", "cohorts")}
        summary |= {
            k: sorted(world.header[k]) for k in ("stores", "personas", "beats", "reveals", "customers", "metrics", "rubrics")
        }
        emit({"plan": world.plan.digest, **summary})
        return
    from shopdsl.dsl.terminal import clean

    found = [data for id in world.plan.called(trial) if (data := world.plan.trial(id))]
    if not found:
        raise Trouble(f"the plan has no trial and no case {trial}; ids are COHORT/NUMBER", USAGE)
    for data in found:
        if format_ == "json":
            emit(data)
        else:
            click.echo("\n".join(clean(line) for line in planned(world.trial(data), source_map(path))))
