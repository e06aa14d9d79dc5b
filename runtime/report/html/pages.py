"""Reports and trials to HTML. Every value is escaped by the templates; scripts run by their digest alone, and nothing may be loaded."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from math import isnan
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from shopdsl.runtime.report.html.board import board, dimensions, failed
from shopdsl.runtime.report.html.charts import charts
from shopdsl.runtime.report.html.data import Cohort, Report, Row, Run
from shopdsl.runtime.report.html.scene import Scene
from shopdsl.runtime.report.text import cut, in_script, shown, slug, visible
from shopdsl.runtime.statistics import wilson

MOST_BYTES = 1_900_000
CUTS = (20_000, 2_000, 300, 80)
"""Texts are cut to the first of these lengths with which a page stays below MOST_BYTES."""


@dataclass(frozen=True)
class Link:
    """A link to another page."""

    href: str
    label: str
    here: bool = False


class Pages:
    """Renders the pages of one report."""

    def __init__(self) -> None:
        self._folder = files("shopdsl.runtime.report.html")
        self.most = CUTS[0]
        self._jinja = Environment(
            loader=FunctionLoader(self._template), autoescape=True, undefined=StrictUndefined, finalize=shown, trim_blocks=True, lstrip_blocks=True
        )  # fmt: skip
        self._jinja.filters |= {
            "cut": lambda text: cut(text, self.most),
            "percent": _percent,
            "figure": _figure,
            "words": _words,
            "share": _share,
        }
        self._jinja.globals |= {
            "position": _position,
            "page": lambda row: page_name(row.cohort, row.trial, row.repeat),
            "board": board,
            "failed": failed,
            "dimensions": dimensions,
        }

    def _template(self, name: str) -> str:
        return (self._folder / "templates" / name).read_text("utf-8")

    def _asset(self, name: str) -> str:
        return (self._folder / name).read_text("utf-8")

    @cached_property
    def _style(self) -> Markup:
        return Markup(re.sub(r"\s*\n\s*", "\n", re.sub(r"/\*.*?\*/", "", self._asset("style.css"), flags=re.S)).strip())

    def _page(self, template: str, scripts: list[str], **names: Any) -> str:
        """A page whose policy allows just these scripts."""
        allowed = " ".join(f"'sha256-{_digest(s)}'" for s in scripts)
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; base-uri 'none'; form-action 'none'"
        made = self._jinja.get_template(template)
        return made.render(style=self._style, policy=Markup(policy), scripts=[Markup(s) for s in scripts], **names)

    @cached_property
    def _trial_script(self) -> str:
        return self._asset("trial.js")

    def trial(self, scene: Scene, **around: Any) -> str:
        """The page of a trial; of one with a great deal of text, as much as a page holds."""
        text = ""
        for self.most in CUTS:
            text = self._page("trial.html.j2", [self._trial_script], scene=scene, **around)
            if len(text.encode()) < MOST_BYTES:
                break
        return text

    def index(self, report: Report) -> str:
        """The page of all agents and cohorts."""
        self.most = CUTS[1]
        labels = [visible(r.label) for r in report.runs]
        specs = {c.slug: charts(c, labels) for c in report.cohorts}
        heights = {c: {name: spec["height"] for name, spec in of.items()} for c, of in specs.items()}
        data = in_script({"charts": specs, **table(report)})
        scripts = [bundle(), self._asset("index.js")]
        return self._page("index.html.j2", scripts, report=report, labels=labels, heights=heights, data=Markup(data))


def bundle() -> str:
    """Vega-Lite and all that it needs, as one script."""
    from vl_convert import javascript_bundle

    return str(javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def page_name(cohort: str, trial: str, repeat: int) -> str:
    """The file of a trial in its agent's folder; the repeats after the first have their number."""
    number = trial.rpartition("/")[2]
    return f"{slug(cohort)}-{slug(number)}{f'-r{repeat}' if repeat else ''}.html"


COLUMNS: dict[str, Callable[[Row], Any]] = {
    "cohort": lambda r: r.cohort,
    "tier": lambda r: r.tier,
    "reveal": lambda r: r.reveal,
    "end": lambda r: r.end,
    "wanted": lambda r: r.wanted,
    "case": lambda r: (r.case.name, r.case.id),
    "class": lambda r: r.case.category,
    "level": lambda r: r.case.level,
    "split": lambda r: r.case.split,
    "done": lambda r: r.case.verdict,
}
"""What the rows of the table of trials can be grouped by."""


def table(report: Report) -> dict[str, Any]:
    """The table of trials, by columns; names are places in lists of names."""
    rows = report.rows
    metrics = {m.about["name"]: m.about for c in report.cohorts for g in c.groups for m in g.metrics}
    named: dict[str, Any] = {"agents": [_agent(r) for r in report.runs]}
    columns: dict[str, Any] = {"agent": [r.agent for r in rows], "repeat": [r.repeat for r in rows]}
    names: dict[str, list[Any]] = {}
    for column, of in COLUMNS.items():
        names[column], columns[column] = _listed([of(r) for r in rows])
    columns["credit"] = [None if r.case.credit is None else round(r.case.credit * 1000) for r in rows]
    columns["trial"] = [r.trial.rpartition("/")[2] for r in rows]
    columns["page"] = [page_name(r.cohort, r.trial, r.repeat) for r in rows]
    about = [
        {"name": n, "title": m["title"], "better": m["better"], "for": [slug(c) for c in m["for"]]} for n, m in metrics.items()
    ]
    slugs = [slug(c) for c in names["cohort"]]
    return named | {
        "names": names,
        "slugs": slugs,
        "metrics": about,
        "rows": columns,
        "values": [[_value(r, n) for r in rows] for n in metrics],
    }


def _agent(run: Run) -> dict[str, str]:
    return {"label": run.label, "slug": run.slug}


def _listed(values: list[Any]) -> tuple[list[Any], list[int]]:
    names = sorted(set(values))
    places = {name: i for i, name in enumerate(names)}
    return names, [places[v] for v in values]


def _value(row: Row, metric: str) -> float | None:
    """A value in thousandths; -1 where it failed, None where it does not apply."""
    value = row.values.get(metric)
    return None if value is None else -1 if isnan(value) else round(value * 1000)


def _percent(value: float | None) -> str:
    return "0%" if value is None else f"{min(1.0, max(0.0, value)):.1%}"


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _position(values: list[Any], value: Any) -> int:
    """Where an object stands: of two that are equal, each has its own place."""
    return next(i for i, v in enumerate(values) if v is value)


def _share(n: int, total: int) -> str:
    """A share of trials, with Wilson's interval."""
    low, high = wilson(n, total)
    return f"{n / total:.0%} ({low:.0%} – {high:.0%})"


def _words(name: str) -> str:
    return name.replace("_", " ")


__all__ = ["Cohort", "Link", "Pages", "page_name", "table"]
