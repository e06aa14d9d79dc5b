"""`shopdsl explain`."""

from __future__ import annotations

import click

from shopdsl.cli.common import USAGE, Trouble


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Print the page of a diagnostic; without a code, the list of all.

    Example: shopdsl explain E0302
    """
    from importlib.resources import files

    from shopdsl.dsl.diagnostics import CODES, nearest

    if code is None:
        for known in CODES.values():
            click.echo(f"{known.id}  {known.title}")
        return
    found = CODES.get(code.upper())
    if found is None:
        raise Trouble(f"there is no diagnostic {code}; {nearest(code.upper(), CODES) or '`shopdsl explain` lists all'}", USAGE)
    page = files("shopdsl.dsl.diagnostics") / "pages" / f"{found.id}.md"
    click.echo(f"{found.id}: {found.title}\n\n{page.read_text('utf-8').strip()}")
