"""`model`: which model, and how it is sampled; where it is served and with which key is the user's to say."""

from __future__ import annotations

from typing import Any

from shopdsl.compiler.packages import Document
from shopdsl.compiler.unit import Unit, text, value


def compile_model(unit: Unit, document: Document) -> dict[str, Any]:
    """The plan data of a model: its name at the endpoint, and its sampling as text, for plans hold no floats."""
    body = unit.body(document)
    sampling = value(body.get("sampling"), {})
    return {"name": document.name, "model": text(body.get("model")), "sampling": {k: str(v) for k, v in sorted(sampling.items())}}
