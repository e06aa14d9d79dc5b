"""The shape of a document against the JSON Schema of its kind, every finding at the offending key or value."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from shopdsl.dsl.diagnostics import Sink, codes, nearest
from shopdsl.dsl.source import Span
from shopdsl.dsl.tree import Mapping, Node, Scalar, Sequence, plain, pruned

MANY = 50
"""More unknown keys than this are one finding."""
AUXILIARY = ("common", "package", "spec")


@cache
def kinds() -> tuple[str, ...]:
    """Every kind of document."""
    folder = files("shopdsl.dsl") / "schemas"
    names = (p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json"))
    return tuple(sorted(n for n in names if n not in AUXILIARY))


@cache
def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind (draft-07)."""
    data: dict[str, Any] = json.loads((files("shopdsl.dsl") / "schemas" / f"{kind}.json").read_text("utf-8"))
    return data


@cache
def _validator(kind: str) -> Any:
    from jsonschema import Draft7Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT7

    registry = Registry().with_resource("common.json", DRAFT7.create_resource(schema("common")))
    return Draft7Validator(schema(kind), registry=registry)


def check_shape(kind: str, node: Mapping, sink: Sink) -> None:
    """Report every key and value of a document that its schema does not allow."""
    partial = node.get("extends") is not None
    if partial:
        whole = pruned(node)
        assert isinstance(whole, Mapping)
        node = whole
    split = _split_mappings(node, sink)
    for error in _validator(kind).iter_errors(plain(node)):
        inside = any(id(n) in split for n in _way(node, list(error.absolute_path)))
        if not inside and not (partial and error.validator == "required"):
            _report(error, node, sink)


def _split_mappings(node: Node, sink: Sink) -> set[int]:
    """The mappings in which YAML has split an expression (reported); what else is wrong with them follows from that."""
    found: set[int] = set()
    if isinstance(node, Mapping):
        if split_by_yaml(node, sink):
            found.add(id(node))
        children = [value for _, value in node]
    else:
        children = node.items if isinstance(node, Sequence) else []
    for child in children:
        found |= _split_mappings(child, sink)
    return found


def _way(root: Node, path: list[Any]) -> list[Node]:
    """The nodes on the way to a path."""
    return [_locate(root, path[:i])[0] for i in range(len(path) + 1)]


def check_complete(kind: str, node: Mapping, span: Span, partial: bool, sink: Sink) -> None:
    """Report keys that a whole document must have; `partial`: it was merged, so that its parts are looked at only now."""
    if partial:
        for error in _validator(kind).iter_errors(plain(node)):
            if error.validator == "required":
                _report(error, node, sink)
    for key in schema(kind).get("x-needs", ()):
        if node.get(key) is None:
            what = schema(kind)["properties"][key].get("description", "")
            sink.add(codes.MISSING_KEY, f"this {kind} needs `{key}`", span, f"add `{key}:`" + (f", {what}" if what else ""))


def check_one_of(sink: Sink, node: Mapping, first: str, second: str) -> None:
    """Report the second of two keys that exclude each other."""
    place = node.key(second)
    if node.get(first) is not None and place is not None:
        sink.add(codes.WRONG_SHAPE, f"`{second}` does not go with `{first}`", place.span, "keep one of the two")


def _report(error: Any, root: Mapping, sink: Sink) -> None:
    node, key = _locate(root, list(error.absolute_path))
    span = node.span if not isinstance(node, Mapping | Sequence) or key is None else key.span
    what = error.schema.get("description", "")
    match error.validator:
        case "additionalProperties" if _flow_expression(error, node, sink):
            pass
        case "additionalProperties":
            _unknown_keys(error, node, sink)
        case "required" if _flow_expression(error, node, sink):
            pass
        case "required":
            _missing(error, node, key, sink)
        case "propertyNames" | "pattern":
            _pattern(error, node, key, what, sink)
        case "enum" | "const":
            allowed = [str(v) for v in error.schema.get("enum", [error.schema.get("const")])]
            help = nearest(str(error.instance), allowed) or f"allowed: {', '.join(allowed)}"
            sink.add(codes.NOT_A_CHOICE, f"`{error.instance}` is not one of the choices", span, help)
        case "minimum" | "maximum":
            low, high = error.schema.get("minimum"), error.schema.get("maximum")
            sink.add(codes.OUT_OF_RANGE, f"{error.instance} is out of range", span, f"{what or 'a number'}, from {low} to {high}")
        case _:
            _wrong_shape(error, node, key, span, what, sink)


def _locate(root: Node, path: list[Any]) -> tuple[Node, Scalar | None]:
    """The node at a path, and the key that leads to it."""
    node, key = root, None
    for step in path:
        if isinstance(node, Mapping):
            key = node.key(str(step))
            node = node.get(str(step)) or node
        elif isinstance(node, Sequence) and isinstance(step, int):
            node, key = node.items[step], None
    return node, key


def _unknown_keys(error: Any, node: Node, sink: Sink) -> None:
    assert isinstance(node, Mapping)
    known = error.schema.get("properties", {})
    unknown = [key for key, _ in node if key.text not in known]
    if len(unknown) > MANY:
        sink.add(codes.UNKNOWN_KEY, f"{len(unknown):,} unknown keys, the first is `{_short(unknown[0].text)}`", unknown[0].span)
        return
    for key in unknown:
        help = nearest(key.text, known) or f"known here: {', '.join(sorted(known))}"
        sink.add(codes.UNKNOWN_KEY, f"unknown key `{_short(key.text)}`", key.span, help)


def _missing(error: Any, node: Node, key: Scalar | None, sink: Sink) -> None:
    assert isinstance(node, Mapping)
    start = node.entries[0][0].span if node.entries else node.span
    for name in error.validator_value:
        if name not in error.instance:
            what = error.schema.get("properties", {}).get(name, {}).get("description", "")
            sink.add(
                codes.MISSING_KEY,
                f"`{name}` is missing",
                key.span if key else start,
                f"add `{name}:`" + (f", {what}" if what else ""),
            )


def _pattern(error: Any, node: Node, key: Scalar | None, what: str, sink: Sink) -> None:
    span = node.span
    if error.parent is not None or error.validator == "propertyNames" or isinstance(node, Mapping):
        found = node.key(str(error.instance)) if isinstance(node, Mapping) else None
        span = found.span if found else span
    code = codes.BAD_NAME if "name" in what else codes.WRONG_SHAPE
    mended = re.sub(r"[^a-z0-9]+", "_", str(error.instance).lower()).strip("_")
    help = f"write `{mended}`" if code is codes.BAD_NAME and mended[:1].isalpha() else ""
    sink.add(code, f"`{_short(error.instance)}` is not {what or 'spelt right'}", span, help)


def _wrong_shape(error: Any, node: Node, key: Scalar | None, span: Span, what: str, sink: Sink) -> None:
    if _flow_expression(error, node, sink):
        return
    found = _found(error.instance)
    if error.validator in ("minItems", "minProperties"):
        sink.add(codes.WRONG_SHAPE, "this is empty", span, f"expected {what}" if what else "")
        return
    if isinstance(node, Mapping | Sequence):
        span = Span(span.source, span.start, min(span.end, _line_end(span)))
    if span.start == span.end and key is not None:
        span = key.span
    colon = "; a text with a colon stands in quotes" if _split_text(error, node) else ""
    sink.add(codes.WRONG_SHAPE, f"this is {found}", span, f"expected {_wanted(error.schema, what, error.instance)}{colon}")


def _split_text(error: Any, node: Node) -> bool:
    """Has YAML made a mapping of a text with a colon?"""
    text = error.validator == "type" and "string" in _as_list(error.validator_value)
    return text and isinstance(node, Mapping) and len(node.entries) == 1


def _wanted(schema: dict[str, Any], what: str, value: Any) -> str:
    """What a schema asks for, in words; a single value where a list is needed is shown as one."""
    if schema.get("type") == "array" and what:
        return f"a list of {what.removeprefix('the ')}" + (f", such as `[{value}]`" if isinstance(value, str | int) else "")
    if schema.get("type") == "object" and what and not what.startswith(("a ", "an ", "how ", "drawn ")):
        return f"a mapping of {what.removeprefix('the ')}"
    return what or _types(schema)


def _line_end(span: Span) -> int:
    end = span.source.text.find("\n", span.start)
    return span.end if end < 0 else end


_EXPRESSIONS = tuple(schema("common")["definitions"][n]["description"] for n in ("expression", "condition", "template"))
_BLOCK = schema("common")["definitions"]["draw"]["additionalProperties"]["description"]


def _flow_expression(error: Any, node: Node, sink: Sink) -> bool:
    """An unquoted `[x for …]` or `{k: v for …}` is a YAML list or mapping."""
    text = node.span.source.text[node.span.start : node.span.end]
    if isinstance(node, Scalar) or error.schema.get("description") not in (*_EXPRESSIONS, _BLOCK) or text[:1] not in ("[", "{"):
        return False
    help = f"write it in quotes: '{_short(text)}'"
    sink.add(codes.SPLIT_BY_YAML, "YAML reads this as a list or mapping, not as an expression", node.span, help)
    return True


def split_by_yaml(node: Mapping, sink: Sink) -> bool:
    """Report what YAML leaves behind where it cut an expression at a comma, brace or `#`; true where it did."""
    for _, value in node:
        if isinstance(value, Scalar) and value.style == "" and unbalanced(value.text):
            message = f"YAML has split this expression: `{_short(value.text)}` is only its beginning"
            sink.add(
                codes.SPLIT_BY_YAML, message, value.span, "put the whole expression in quotes, or write the mapping as a block"
            )
            return True
    return False


def unbalanced(text: str) -> bool:
    """Are brackets opened that are not closed (outside of quotes)?"""
    depth, quote = 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char in "([{") - (char in ")]}")
    return depth > 0


def _as_list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _types(schema: dict[str, Any]) -> str:
    return " or ".join(_as_list(schema.get("type", "something else")))


def _found(value: Any) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text `{_short(value)}`"
        case list():
            return "a list"
    return "a mapping"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
