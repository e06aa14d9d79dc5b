"""The arguments of a tool call against the tool's parameters: types, ranges, references. A mistake is an answer to the agent, never a crash."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from shopdsl.dsl.catalog import Catalog
from shopdsl.dsl.entities import Entities
from shopdsl.dsl.values import Money
from shopdsl.runtime.shop.effects import Refused

MAX_LIST = 1_000
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
        case {"map": inner}:
            return {"type": "object", "additionalProperties": _schema(inner)}
        case {"ref": _}:
            return {"type": "string"}
        case {"optional": inner}:
            return _schema(inner)
    return {"type": _JSON.get(str(kind), "string")}


def resolve(params: list[dict[str, Any]], args: Any, catalog: Catalog, records: Entities) -> dict[str, Any]:
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
            value = _default(param)
        names[param["name"]] = value if value is None else _value(param, value, catalog.currency)
        match param["type"]:
            case {"ref": kind}:
                names[param["as"] or param["name"]] = _reference(param, kind, value, catalog, records)
            case {"list": {"ref": kind}} if value is not None:
                names[param["as"] or param["name"]] = [_reference(param, kind, v, catalog, records) for v in names[param["name"]]]
    return names


def _default(param: dict[str, Any]) -> Any:
    """What stands for an argument that is not given; plans write decimals as text."""
    given = param["default"]
    return float(given) if param["type"] in ("number", "money") and isinstance(given, str) else given


def _value(param: dict[str, Any], value: Any, currency: str) -> Any:
    match param["type"]:
        case {"range": [low, high]}:
            return _whole(param, value, low, high)
        case {"one_of": allowed}:
            if not any(value == a and isinstance(value, bool) == isinstance(a, bool) for a in allowed):
                raise Refused(param["else"] or f"{param['name']!r} must be one of: {', '.join(map(str, allowed))}.")
            return value
        case {"list": inner}:
            if not isinstance(value, list):
                raise Refused(f"{param['name']!r} must be a list.")
            if len(value) > MAX_LIST:
                raise Refused(f"{param['name']!r} has more than {MAX_LIST} members.")
            return [_value(param | {"type": inner}, v, currency) for v in value]
        case {"optional": inner}:
            return _value(param | {"type": inner}, value, currency)
        case {"map": inner}:
            if not isinstance(value, dict):
                raise Refused(f"{param['name']!r} must be an object.")
            if len(value) > MAX_LIST:
                raise Refused(f"{param['name']!r} has more than {MAX_LIST} entries.")
            return {k: _value(param | {"type": inner}, v, currency) for k, v in value.items()}
        case {"ref": _} | "text" | "duration":
            if not isinstance(value, str):
                raise Refused(f"{param['name']!r} must be a text.")
            return value[:10_000]
        case "int":
            return _whole(param, value, -(10**9), 10**9)
        case "number":
            return _number(param, value)
        case "money":
            return _money(param, value, currency)
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


def _money(param: dict[str, Any], value: Any, currency: str) -> Money:
    """An amount of the store's money; agents give it as a number."""
    exact = Decimal(repr(_number(param, value)))
    if exact * 100 != int(exact * 100):
        raise Refused(f"{param['name']!r} must be an amount of money with two decimals at most.")
    return Money(exact, currency)


def _reference(param: dict[str, Any], kind: str, value: Any, catalog: Catalog, records: Entities) -> Any:
    if value is None:
        return None
    found = _find(kind, value, catalog, records)
    if found is None:
        raise Refused(param["else"] or f"There is no {kind} {value!r}.")
    return found


def _find(kind: str, value: Any, catalog: Catalog, records: Entities) -> Any:
    if kind in records.tables.shapes:
        return records.find(kind, value)
    return catalog.by_id.get(value) if kind == "product" else catalog.by_name.get(value)
