"""`shopdsl index`."""

from __future__ import annotations

from pathlib import Path

import click

from shopdsl.cli.common import USAGE, Trouble, progress


@click.command("index")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "--store", help="The store, as `shopdsl show PLAN` names it; left out, the only one that is searched by embeddings."
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The index file.")
def command(plan: Path, store: str | None, output: Path) -> None:
    """Encode the products of a plan's store into an index file.

    A file beside a catalog of the standard package is used by every run with the same texts and weights.

    Example: shopdsl index build/paper.plan.jsonl -o specs/catalogs/general.index
    """
    from shopdsl.cli.jobs import open_world
    from shopdsl.runtime.shop.encoder import Encoder, EncoderMissing
    from shopdsl.runtime.shop.index import quantise, save

    world = open_world(plan)
    names = [n for n, s in world.header["stores"].items() if s["search"]["engine"] == "minilm"]
    name = store or (names[0] if len(names) == 1 else None)
    if name is None or name not in names:
        raise Trouble(f"name one of the stores that are searched by embeddings: {', '.join(names) or 'there is none'}", USAGE)
    found = world.store(name)
    encoder = Encoder(threads=2)
    try:
        with progress("encoding products", len(found.products)) as advance:
            rows, scales = quantise(encoder.encode(found.texts(), advance))
    except EncoderMissing as error:
        raise Trouble(str(error)) from None
    finally:
        encoder.close()
    save(output, found.data["search"]["texts"], rows, scales)
    click.echo(f"{output}: {len(rows):,} products, {output.stat().st_size:,} bytes")
