"""The command line: one file a verb, imported when it is called, so that `--help` stays quick."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from shopdsl import __version__

# before numpy is imported: one query is a small product, for which threads that wait for each other cost more than they bring
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

VERBS = {
    "check": "Report every finding of a package or of files; write nothing.",
    "compile": "Check, draw and prove a suite; write its plan.",
    "run": "Play the trials of a plan; score them and print the profile.",
    "merge": "Join the shards of a run into one folder.",
    "score": "Score records again, also with metrics written after the run.",
    "report": "Print the profile of one run or more, or write it as HTML.",
    "compare": "Compare two runs of one suite, trial by trial.",
    "export": "Write records and their metrics for other tools: Parquet, or a log of Inspect AI.",
    "judge": "Compare a judge with people: draw answers to be labelled, and calibrate it.",
    "replay": "Play the calls that cases list, and print what they change.",
    "import": "Write the tasks and data of others as specs.",
    "test": "Run the spec tests and mutants of a package.",
    "show": "Print a merged document, or a trial and where its values come from.",
    "evidence": "Which metric needs which evidence, and what each view decides.",
    "explain": "Print the page of a diagnostic.",
    "schema": "Print the JSON Schema of a kind of document.",
    "index": "Make the search index of a store.",
    "mcp": "Serve the tools of a running trial over stdio, to an assistant that speaks MCP.",
}


class Verbs(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"shopdsl.cli.{cmd_name}_").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        from difflib import get_close_matches

        if args and args[0] not in VERBS and not args[0].startswith("-"):
            near = get_close_matches(args[0], VERBS, n=1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shopdsl")
def cli() -> None:
    """Benchmarks for shopping agents, written as specs.

    Example: shopdsl compile && shopdsl run
    """


def main() -> None:
    """The entry point: exit code 3 and one line for a bug of ours, never a traceback."""
    try:
        cli.main(standalone_mode=True)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        click.echo(f"error: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""), err=True)
        sys.exit(2)
    except Exception as error:  # the last line of defence: a bug is reported as one
        from shopdsl.cli.common import BUG, report_bug

        report_bug(error)
        sys.exit(BUG)
