"""The arguments of a tool call against the tool's parameters: types, ranges, references. A mistake is an answer to the agent, never a crash."""

from __future__ import annotations

from typing import Any

from shopdsl.dsl.catalog import Catalog
from shopdsl.runtime.shop.effects import Refused

_JSON = {"text": "string", "int": "integer", "number": "number", "bool": "boolean", "money": "number", "duration": "string"}


def json_schema(params: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, as agents get it."""
    properties = {p["name"]: _schema(p["type"]) | ({"description": p["doc"]} if p["doc"] else {}) for p in params}
    required = [p["name"] for p in params if not p["optional"]]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(kind: Any) -> dict[str, Any]:
    match kind:
        case {"range": [low, high]}:
            return {"type": "integer", "minimum": low, "maximum": high}
        case {"one_of": values}:
            return {"type": "string", "enum": values} if all(isinstance(v, str) for v in values) else {"enum": values}
        case {"list": inner}:
            return {"type": "array", "items": _schema(inner)}
        case {"ref": _}:
            return {"type": "string"}
        case {"optional": inner}:
            return _schema(inner)
    return {"type": _JSON.get(str(kind), "string")}


def resolve(params: list[dict[str, Any]], args: Any, catalog: Catalog) -> dict[str, Any]:
    """The names that the parameters give to expressions; raises Refused."""
    if not isinstance(args, dict):
        raise Refused("The arguments must be an object.")
    known = {p["name"] for p in params}
    for name in args:
        if name not in known:
            raise Refused(f"There is no parameter {name!r}; there are: {', '.join(sorted(known)) or 'none'}.")
    names: dict[str, Any] = {}
    for param in params:
        value = args.get(param["name"])
        if value is None:
            if not param["optional"]:
                raise Refused(f"The parameter {param['name']!r} is missing.")
            value = param["default"]
        names[param["name"]] = value if value is None else _value(param, value)
        if isinstance(param["type"], dict) and "ref" in param["type"]:
            names[param["as"] or param["name"]] = _reference(param, value, catalog)
    return names


def _value(param: dict[str, Any], value: Any) -> Any:
    match param["type"]:
        case {"range": [low, high]}:
            return _whole(param, value, low, high)
        case {"one_of": allowed}:
            if not any(value == a and isinstance(value, bool) == isinstance(a, bool) for a in allowed):
                raise Refused(param["else"] or f"{param['name']!r} must be one of: {', '.join(map(str, allowed))}.")
            return value
        case {"ref": _} | "text" | "duration":
            if not isinstance(value, str):
                raise Refused(f"{param['name']!r} must be a text.")
            return value[:10_000]
        case "int":
            return _whole(param, value, -(10**9), 10**9)
        case "number" | "money":
            return _number(param, value)
        case "bool":
            if not isinstance(value, bool):
                raise Refused(f"{param['name']!r} must be true or false.")
    return value


def _whole(param: dict[str, Any], value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
        raise Refused(f"{param['name']!r} must be a whole number.")
    if not low <= value <= high:
        raise Refused(f"{param['name']!r} must be from {low} to {high}.")
    return int(value)


def _number(param: dict[str, Any], value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e12:
        raise Refused(f"{param['name']!r} must be a number.")
    return value


def _reference(param: dict[str, Any], value: Any, catalog: Catalog) -> Any:
    if value is None:
        return None
    kind = param["type"]["ref"]
    found = catalog.by_id.get(value) if kind == "product" else catalog.by_name.get(value)
    if found is None:
        raise Refused(param["else"] or f"There is no {kind} {value!r}.")
    return found
