"""Writes docs/reference/ from the tables that the compiler itself reads, docs/evidence.md from the suite `paper`, and the map of files in
ARCHITECTURE.md from the files.

`python docs/build.py` writes; with `--check` it only names stale pages, and then its exit code is 1.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import jinja2

from shopdsl.cli import VERBS, cli
from shopdsl.compiler.header import scoring
from shopdsl.compiler.kinds.suite import compile_suite
from shopdsl.compiler.packages import load
from shopdsl.compiler.pipeline import find_suite
from shopdsl.compiler.shape import kinds, schema
from shopdsl.compiler.unit import Unit
from shopdsl.dsl.diagnostics import CODES, Code, Sink
from shopdsl.dsl.functions import FUNCTIONS, Function
from shopdsl.dsl.records import DUTIES, END_REASONS, EVIDENCE, RECORDS, VIEWS, Entry
from shopdsl.dsl.tree import plain
from shopdsl.dsl.vocabulary import CONTEXTS

DOCS = Path(__file__).resolve().parent
REFERENCE = DOCS / "reference"
SPECS = DOCS.parent / "specs"
PLACED = {"evidence": DOCS / "evidence.md"}
"""Pages that stand elsewhere than in the reference."""

PLACES = {
    "solve": "`solve` of a case; the products of its package's stores and its own are known too, and the names above",
    "expect": "`expect` and `constraints` of a case: all that `solve` and metrics know, and what `solve` names",
    "draw": "`draw` of a cohort; lines above are known too",
    "catalog": "`product.level` of a catalog",
    "price": "`product.price` of a catalog",
    "listing": "the other lines of a catalog's `product`: `budget`, `stock`, `rating` …",
    "search": "`search.text` of a store",
    "reveal": "`program` of a reveal plan",
    "guard": "`until` in a reveal plan, asked while a trial runs",
    "beat": "`directive` and `due` of a beat",
    "said": "`said` of a beat",
    "duty": "`expects` and `allows` of a beat",
    "allowed": "`always_allowed` of a toolset",
    "name_it": "`name_it` of a customer",
    "phrase": "`phrases` of a customer",
    "answer": "`answers` of a customer",
    "event": "`events` of a customer",
    "patience": "`frustration` of a customer",
    "briefing": "`prompt` of an agent that is a model",
    "voice": "`prompt` of a customer that a model puts into words",
    "instruct": "`instruct` of such a customer, made anew for each message",
    "tool": "`let`, `require`, `effect`, `finds` and `result` of a tool; its parameters are known too",
    "metric": "`let`, `ask`, `when` and `value` of a metric; `let`, `question`, `quoted` and `rules` of a judge, with what it is about",
    "forbid_call": "`call` in `forbid` of a case or a cohort; the products of the case are known too",
    "forbid_text": "`text` in `forbid` of a case or a cohort; the products of the case are known too",
    "forbid_end": "`end` in `forbid` of a case or a cohort; the products of the case are known too",
    "reference": "`reference` of a case: only the products of the case",
    "habit": "`rewrite` of a mutant; `call` only where the habit shows at a call, `text` only where it shows in what is said",
}
"""Where an author writes in each context; a context without a line here fails the build."""

GROUPS = {
    "E01": "Files and YAML",
    "E02": "Packages and documents",
    "E03": "Expressions",
    "E04": "Programs and effects",
    "E05": "Cohorts and draws",
    "E06": "Catalogs",
    "E07": "Metrics, rubrics, tests",
    "E08": "Customers and duties",
    "E10": "Records, business cases, promotions",
    "W09": "Warnings",
}
"""What the first digits of a code stand for."""


# tables


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose columns line up in the source as well, but for the last."""
    cells = [list(headers), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(headers))]
    lines = [_row(row, widths) for row in cells]
    return "\n".join([lines[0], _row(["-" * w for w in widths[:-1]] + ["---"], widths), *lines[1:]])


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True)]
    return f"| {' | '.join([*padded, cells[-1]])} |"


def code(text: str) -> str:
    """A text as inline code."""
    return f"`{text}`"


# what the pages show


def names(entries: dict[str, Entry]) -> str:
    """A table of names or fields; a column that would be empty is left out."""
    if not entries:
        return ""
    columns: list[tuple[str, Callable[[str, Entry], str]]] = [
        ("name", lambda name, e: code(name)),
        ("type", lambda name, e: code(str(e.type))),
        ("evidence", lambda name, e: e.evidence),
        ("unit", lambda name, e: e.unit),
        ("meaning", lambda name, e: e.doc),
    ]
    shown = [(head, cell) for head, cell in columns if any(cell(n, e) for n, e in entries.items())]
    return table([head for head, _ in shown], [[cell(n, e) for _, cell in shown] for n, e in entries.items()])


def functions(chosen: Iterable[Function]) -> str:
    """A table of functions with every way to call them."""
    rows = []
    for f in chosen:
        ways = "<br>".join(code(f.name + signature) for signature in f.signatures_text)
        rows.append([ways, f.doc, code(f.example)])
    return table(["function", "meaning", "example"], rows)


def page(of: Code) -> str:
    """The page of a diagnostic with its headings two levels down; a plain sentence where it is not written yet."""
    path = files("shopdsl.dsl.diagnostics") / "pages" / f"{of.id}.md"
    if not path.is_file():
        return "This diagnostic has no page yet."
    return demoted(path.read_text("utf-8").strip(), 2)


def demoted(text: str, levels: int) -> str:
    """Markdown with every heading so many levels lower; code blocks stay."""
    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(p if p.startswith("```") else re.sub(r"^(?=#)", "#" * levels, p, flags=re.MULTILINE) for p in parts)


def groups() -> list[tuple[str, list[Code]]]:
    """The codes under the headings of GROUPS."""
    found: dict[str, list[Code]] = {}
    for each in CODES.values():
        found.setdefault(GROUPS.get(each.id[:3], each.id[:3]), []).append(each)
    return list(found.items())


def keys(kind: str) -> str:
    """The keys of a kind, nested ones with their path: `tools.NAME.params`, `turns[].customer`."""
    top = schema(kind)
    inherited = set(top.get("x-needs", ()))
    rows = [
        [code(path), meaning(node), "yes, or inherited" if path in inherited else "yes" if needed else ""]
        for path, node, needed in walk(top)
    ]
    return table(["key", "what", "needed"], rows)


def walk(node: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Every key below a schema, depth first; shapes that kinds share are named and not entered."""
    for name, below in node.get("properties", {}).items():
        yield prefix + name, below, name in node.get("required", ())
        yield from walk(below, f"{prefix}{name}.")
    other = node.get("additionalProperties")
    if isinstance(other, dict) and ("properties" in other or isinstance(other.get("additionalProperties"), dict)):
        yield from walk(other, f"{prefix}NAME.")
    if isinstance(node.get("items"), dict):
        yield from walk(node["items"], f"{prefix.removesuffix('.')}[].")


def meaning(node: dict[str, Any]) -> str:
    """What a value is: the schema's own words, its bounds, and the shared shape it refers to."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        said = str(shared(name)["description"])
        return f"{said} ([{SHAPES[name]}](#{SHAPES[name]}))" if name in SHAPES else said
    text = str(node.get("description", "any value"))
    low, high = node.get("minimum"), node.get("maximum")
    return f"{text}, {low:,} to {high:,}" if low is not None and high is not None else text


SHAPES = {"block": "block", "blocks": "block", "source": "source"}
"""Shared definitions, and the shape with keys of its own that each is made of; the page shows a shape once."""


def shared(name: str) -> dict[str, Any]:
    """A definition that all kinds share."""
    found: dict[str, Any] = schema("common")["definitions"][name]
    return found


def shape_keys(name: str) -> str:
    """The keys of a shared shape."""
    rows = [[code(path), meaning(node), "yes" if needed else ""] for path, node, needed in walk(shared(name))]
    return table(["key", "what", "needed"], rows)


def spellings() -> str:
    """Shared scalars that have a spelling of their own."""
    definitions = schema("common")["definitions"]
    rows = [[name, d["description"], code(d["pattern"])] for name, d in sorted(definitions.items()) if "pattern" in d]
    return table(["value", "what", "spelling"], rows)


def usage(verb: str | None) -> str:
    """What `--help` prints, 100 columns wide wherever this runs."""
    here = click.Context(cli, info_name="shopdsl", terminal_width=100, max_content_width=100)
    options = cli.context_settings.get("help_option_names", ["--help"])
    for name in (verb or "").split():
        command = here.command.get_command(here, name) if isinstance(here.command, click.Group) else None
        assert command is not None
        here = click.Context(
            command, info_name=name, parent=here, terminal_width=100, max_content_width=100, help_option_names=options
        )
    return here.get_help().strip()


def verbs() -> list[str]:
    """Every verb, each followed by those below it."""
    context = click.Context(cli)
    found = []
    for name in VERBS:
        command = cli.get_command(context, name)
        below = command.list_commands(context) if isinstance(command, click.Group) else []
        found += [name, *(f"{name} {each}" for each in below)]
    return found


# the map of files in ARCHITECTURE.md

ROOT = DOCS.parent
MAP = ROOT / "ARCHITECTURE.md"
FOLDERS = ("dsl", "compiler", "runtime", "src/shopdsl/cli")
MARKS = ("<!-- files: written by docs/build.py -->", "<!-- end of files -->")


def purpose(path: Path) -> str:
    """The first line of a module's docstring, or of a grammar's comment."""
    if path.suffix == ".lark":
        return path.read_text("utf-8").partition("\n")[0].removeprefix("//").strip()
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]


def file_map() -> str:
    """Every source file below FOLDERS with its purpose, a table a folder."""
    parts = []
    for init in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("__init__.py")):
        files = sorted(p for p in init.parent.iterdir() if p.suffix == ".py" and p != init)
        files += sorted((init.parent / "grammar").glob("*.lark"))
        rows = [[code(p.relative_to(init.parent).as_posix()), purpose(p)] for p in files]
        folder = init.parent.relative_to(ROOT).as_posix()
        parts += [f"**{folder}/** {purpose(init)}", *([table(["file", "what it does"], rows)] if rows else [])]
    return "\n\n".join(parts)


def mapped() -> str:
    """ARCHITECTURE.md with the map as it should be."""
    before, _, rest = MAP.read_text("utf-8").partition(MARKS[0])
    return f"{before}{MARKS[0]}\n\n{file_map()}\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}"


# what each view decides


def paper() -> dict[str, dict[str, Any]]:
    """The metrics of the suite `paper`, compiled, in the order of their groups and names."""
    sink = Sink()
    unit = Unit(load(SPECS, sink), sink)
    suite = find_suite(unit, "paper")
    if suite is None or sink.has_errors:
        raise SystemExit("the suite `paper` has errors: run `shopdsl check --package specs`")
    metrics = scoring(unit, unit.compiled(compile_suite, suite))["metrics"]
    return dict(sorted(metrics.items(), key=lambda pair: (pair[1]["group"], pair[0])))


def decided(metrics: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The metrics that each view decides."""
    return {view: [n for n, m in metrics.items() if set(m["evidence"]) <= set(letters)] for view, letters in VIEWS.items()}


def evidence_parts() -> dict[str, Any]:
    """What docs/evidence.md shows."""
    metrics = paper()
    by_view = decided(metrics)
    counts = {view: len(found) for view, found in by_view.items()}
    return {
        "total": len(metrics),
        "counts": counts,
        "view_table": table(
            ["view", "evidence", "decides"], [[code(v), VIEWS[v], f"{n} of {len(metrics)}"] for v, n in counts.items()]
        ),
        "step_list": "\n".join(step(low, high, by_view) for low, high in STEPS),
        "metric_table": metric_table(metrics, by_view),
        "by_hand": f"{', '.join(str(n) for n in BY_HAND[:-1])} and {BY_HAND[-1]}",
        "verdict": agreement(list(counts.values())),
    }


STEPS = (
    ("final_cart", "state"),
    ("transcript", "transcript_and_calls"),
    ("transcript_and_calls", "state_and_transcript"),
    ("state", "state_and_transcript"),
    ("state_and_transcript", "full"),
)
"""From one view to one that holds more."""
BY_HAND = [8, 3, 5, 10, 20, 44]
"""What we read by hand from the definitions, in the order of VIEWS."""


def step(low: str, high: str, by_view: dict[str, list[str]]) -> str:
    """What is known with one view and not with the other."""
    more = [n for n in by_view[high] if n not in by_view[low]]
    letters = "".join(sorted(set(VIEWS[high]) - set(VIEWS[low]), key=VIEWS["full"].index))
    return f"- **{words(low)} → {words(high)}** (and {letters}): {len(more)} more, {', '.join(code(n) for n in more)}."


def words(name: str) -> str:
    """A name as words."""
    return name.replace("_", " ")


def metric_table(metrics: dict[str, dict[str, Any]], by_view: dict[str, list[str]]) -> str:
    """All metrics, with a mark where a view decides one."""
    rows = [
        [m["group"], code(n), m["title"], m["kind"], m["evidence"], *("●" if n in found else "" for found in by_view.values())]
        for n, m in metrics.items()
    ]
    return table(["group", "metric", "title", "kind", "needs", *(words(view) for view in by_view)], rows)


def agreement(counts: list[int]) -> str:
    """How the compiled counts compare with those read by hand."""
    if counts == BY_HAND:
        return "The compiled specs give the same six numbers."
    apart = [f"{words(v)} {n} and not {h}" for v, n, h in zip(VIEWS, counts, BY_HAND, strict=True) if n != h]
    return f"The compiled specs differ: {', '.join(apart)}."


# the documents of the standard package


def standard() -> dict[str, Any]:
    """What docs/reference/standard.md shows: documents of `std` by kind, each merged with what it extends, as plain data."""
    sink = Sink()
    unit = Unit(load(SPECS, sink), sink)
    found = {kind: {d.name: plain(unit.body(d)) for d in unit.documents(kind, "std")} for kind in kinds()}
    return {"documents": found, "tool_table": tool_table, "record_table": record_table, "titled": titled}


def signature(name: str, tool: dict[str, Any]) -> str:
    """A tool as it is called: optional parameters with a question mark."""
    given = tool.get("params", {})
    return f"{name}({', '.join(k + ('?' if p.get('optional') or 'default' in p else '') for k, p in given.items())})"


def tool_table(toolset: dict[str, Any]) -> str:
    """The tools of a toolset."""
    rows = [
        [code(signature(name, t)), t["class"], t.get("role", ""), " ".join(t.get("doc", "").split())]
        for name, t in toolset["tools"].items()
    ]
    return table(["tool", "class", "role", "what it does"], rows)


def record_table(toolset: dict[str, Any]) -> str:
    """The records that its tools read and write."""
    rows = [
        [code(n), code(r["key"]) if "key" in r else "", ", ".join(map(code, r["fields"]))] for n, r in toolset["records"].items()
    ]
    return table(["record", "key", "fields"], rows)


def titled(documents: dict[str, dict[str, Any]], *columns: str) -> str:
    """A table of documents, those with a group in its order: the name, and some of their keys."""
    rows = sorted(documents.items(), key=lambda pair: (str(pair[1].get("group", "")), pair[0]))
    cells = [[code(name), *(" ".join(str(body.get(c, "")).split()) for c in columns)] for name, body in rows]
    return table(["name", *columns], cells)


# pages


def render(name: str) -> str:
    """One page."""
    loader = jinja2.FileSystemLoader(DOCS / "templates")
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    known: dict[str, Any] = {
        "table": table, "code": code, "names": names, "functions": functions, "page": page, "groups": groups(), "keys": keys,
        "shape_keys": shape_keys, "spellings": spellings, "usage": usage, "places": PLACES, "contexts": CONTEXTS, "records": RECORDS,
        "evidence": EVIDENCE, "views": VIEWS, "end_reasons": END_REASONS, "duties": DUTIES, "table_of_functions": FUNCTIONS,
        "kinds": kinds(), "schema": schema, "shapes": sorted(set(SHAPES.values())), "shared": shared, "verbs": verbs(),
    }  # fmt: skip
    if name in PLACED:
        known |= evidence_parts()
    if name == "standard":
        known |= standard()
    text = environment.get_template(f"{name}.md.j2").render(known)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def pages() -> list[str]:
    """The pages that are made, one for each template."""
    return sorted(path.name.removesuffix(".md.j2") for path in (DOCS / "templates").glob("*.md.j2"))


def wanted() -> dict[Path, str]:
    """Every page that is written here, and what it should be."""
    return {PLACED.get(name, REFERENCE / f"{name}.md"): render(name) for name in pages()} | {MAP: mapped()}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` name the stale ones and return 1."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/build.py [--check]", file=sys.stderr)
        return 2
    stale = {path: text for path, text in wanted().items() if not path.is_file() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        print(f"{'stale' if arguments else 'wrote'} {path.relative_to(ROOT).as_posix()}")
        if not arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
