"""`shopdsl schema`."""

from __future__ import annotations

import click

from shopdsl.cli.common import USAGE, Trouble, emit


@click.command("schema")
@click.argument("kind", required=False)
def command(kind: str | None) -> None:
    """Print the JSON Schema (draft-07) of a kind, `package`, `common`, or `spec` (any kind, for editors); without one, list the kinds.

    Example: shopdsl schema metric > metric.json
    """
    from shopdsl.compiler.shape import AUXILIARY, kinds, schema
    from shopdsl.dsl.diagnostics import nearest

    if kind is None:
        for name in kinds():
            click.echo(f"{name:<10} {schema(name)['description']}")
        return
    if kind not in (*kinds(), *AUXILIARY):
        raise Trouble(f"there is no kind `{kind}`; {nearest(kind, kinds()) or 'kinds: ' + ', '.join(kinds())}", USAGE)
    emit(schema(kind))
