"""The charts of the index as Vega-Lite data. Colours are names of the page's own (`--agent-0`), so that they follow light and dark."""

from __future__ import annotations

import json
from typing import Any

from shopdsl.runtime.report.html.data import Cohort

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
LABEL = 150
"""Longer names are cut in charts, in pixels: a phone must have room for the chart. Tables and legends have them in full."""
_UNIT = {"domain": [0, 1], "nice": False}
Spec = dict[str, Any]


def charts(cohort: Cohort, agents: list[str]) -> dict[str, Spec]:
    """The charts of a cohort, by name."""
    return {
        "profile": profile(cohort, agents),
        "ends": ends(cohort, agents),
        "density": density(cohort, agents),
        "distribution": distribution(agents),
    }


def _chart(description: str, values: list[dict[str, Any]], height: int, **parts: Any) -> Spec:
    return {
        "description": description,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
        **parts,
    }


def _by_agent(agents: list[str]) -> dict[str, Any]:
    """Every agent has a colour and a shape, and a line of its own within a row."""
    places = range(len(agents))
    return {
        "yOffset": {"field": "agent", "type": "nominal", "scale": {"domain": agents, "paddingOuter": 0.8}},
        "color": {
            "field": "agent",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": agents, "range": [f"--agent-{i % 8}" for i in places]},
        },
        "shape": {
            "field": "agent",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": agents, "range": [SHAPES[i % 8] for i in places]},
        },
    }


def _rows(field: str, order: list[str]) -> dict[str, Any]:
    axis = {"title": None, "tickBand": "extent", "grid": True, "labelLimit": LABEL}
    return {"field": field, "type": "nominal", "sort": order, "scale": {"domain": order, "padding": 0}, "axis": axis}


def _tips(*fields: str) -> list[dict[str, Any]]:
    return [
        {"field": f, "type": "nominal" if f in _WORDS else "quantitative", **({} if f in _WORDS else {"format": ".3~f"})}
        for f in fields
    ]


_WORDS = ("group", "agent", "tier", "end", "interval", "row")


def profile(cohort: Cohort, agents: list[str]) -> Spec:
    """The mean of every group with its interval."""
    values = [
        {"group": g.name, "agent": agents[i], "mean": round(m.value, 4), "low": _round(m.low), "high": _round(m.high)}
        for g in cohort.groups
        for i, m in enumerate(g.means)
        if m
    ]
    groups = [g.name for g in cohort.groups if any(g.means)]
    by = _by_agent(agents)
    x = {"type": "quantitative", "scale": _UNIT, "axis": {"title": None, "tickCount": 5, "format": ".1f"}}
    lines = {
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.65},
        "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {
            "x": {"field": "mean", **x},
            "shape": by["shape"],
            "tooltip": _tips("agent", "group", "mean", "low", "high"),
        },
    }
    shared = {"y": _rows("group", groups), "yOffset": by["yOffset"], "color": by["color"]}
    height = max(1, len(groups)) * (16 + 15 * len(agents))
    return _chart(f"Capability profile of {', '.join(agents)}", values, height, encoding=shared, layer=[lines, dots])


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def ends(cohort: Cohort, agents: list[str]) -> Spec:
    """The shares of end reasons: a bar for every tier and agent, below a line with the tier's name where there are several agents."""
    values, rows = [], []
    for tier in cohort.tiers:
        if len(agents) > 1 and not cohort.of_cases:
            rows.append(_tier(cohort, tier))
        for i, score in enumerate(cohort.scores):
            counts = score.ends_by_tier.get(tier) if score else None
            if counts:
                rows.append(_tier(cohort, tier) + (f"\n{agents[i]}" if len(agents) > 1 else ""))
                values += [
                    {"row": rows[-1], "end": r, "trials": counts[r], "place": p} for p, r in enumerate(cohort.ends) if counts[r]
                ]
    colours = {"domain": cohort.ends, "range": [f"--end-{i % 8}" for i in range(len(cohort.ends))]}
    head = "indexof(datum.label, '\\n') < 0"
    weight = {"condition": {"test": head, "value": 650 if len(agents) > 1 else 400}, "value": 400}
    y = _rows("row", rows)
    y["axis"] = {"title": None, "ticks": False, "labelLimit": LABEL, "labelFontWeight": weight}
    y["axis"]["labelExpr"] = f"{head} ? datum.label : split(datum.label, '\\n')[1]"
    encoding = {
        "y": y,
        "x": {
            "field": "trials",
            "type": "quantitative",
            "stack": "normalize",
            "axis": {"title": None, "format": "%", "tickCount": 4},
        },
        "color": {"field": "end", "type": "nominal", "legend": None, "scale": colours},
        "order": {"field": "place", "type": "quantitative"},
        "tooltip": _tips("row", "end", "trials"),
    }
    return _chart(
        "How trials ended, by tier",
        values,
        max(1, len(rows)) * 25,
        mark={"type": "bar", "height": {"band": 0.76}},
        encoding=encoding,
    )


def _tier(cohort: Cohort, tier: str) -> str:
    """A tier in words; cases have none, and are all in one row."""
    return tier.replace("_", " ") or ("all cases" if cohort.of_cases else "no tier")


def density(cohort: Cohort, agents: list[str]) -> Spec:
    """Tool calls per turn of the agent, by tier, with intervals."""
    values = []
    for tier in cohort.tiers:
        for i, score in enumerate(cohort.scores):
            found = score.density.get(tier) if score else None
            if found:
                calls, low, high = (round(v, 3) for v in found)
                values.append({"tier": _tier(cohort, tier), "agent": agents[i], "calls": calls, "low": low, "high": high})
    by = _by_agent(agents)
    tiers = [_tier(cohort, t) for t in cohort.tiers]
    x = {"type": "quantitative", "scale": {"zero": True}, "axis": {"title": None, "tickCount": 5}}
    lines = {
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
        "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {
            "x": {"field": "calls", **x},
            "shape": by["shape"],
            "tooltip": _tips("agent", "tier", "calls", "low", "high"),
        },
    }
    shared = {"y": _rows("tier", tiers), "yOffset": by["yOffset"], "color": by["color"]}
    return _chart(
        "Tool calls per turn, by tier", values, max(1, len(tiers)) * (14 + 14 * len(agents)), encoding=shared, layer=[lines, dots]
    )


def distribution(agents: list[str]) -> Spec:
    """How the values of a metric that the reader chooses are spread; the page computes the bars, a band of height 1 for every agent."""
    bands = {"domain": [0, len(agents)], "nice": False, "reverse": True}
    labels: dict[str, Any] = {
        "title": None,
        "values": [i + 0.6 for i in range(len(agents))],
        "grid": False,
        "ticks": False,
        "domain": False,
        "labelLimit": LABEL,
    }
    labels["labelExpr"] = f"{json.dumps(agents)}[floor(datum.value)]"
    y = {"type": "quantitative", "scale": bands, "axis": labels}
    bars = {
        "mark": {"type": "rect"},
        "encoding": {
            "x": {
                "field": "from",
                "type": "quantitative",
                "scale": _UNIT,
                "axis": {"title": None, "tickCount": 5, "format": ".1f"},
            },
            "x2": {"field": "to"},
            "y": {"field": "top", **y},
            "y2": {"field": "base"},
            "color": _by_agent(agents)["color"],
            "tooltip": _tips("agent", "interval", "trials"),
        },
    }
    ground = {
        "data": {"values": [{"base": i + 1} for i in range(len(agents))]},
        "mark": "rule",
        "encoding": {"y": {"field": "base", **y}},
    }
    return _chart("Distribution of trial values", [], len(agents) * 56, layer=[ground, bars])
