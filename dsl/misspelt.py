"""What people write instead of what the language has, and what to say then."""

from __future__ import annotations

SPELT = {"None": "write `none`", "null": "write `none`", "True": "write `true`", "False": "write `false`"}
ALIASES = {
    name: f"did you mean `{right}`?"
    for right, names in {
        "mean": ("average", "avg"),
        "len": ("length",),
        "sum": ("add",),
        "contains": ("includes", "has"),
        "choice": ("pick", "random_choice"),
        "uniform_int": ("randint", "random_int"),
        "lower": ("lowercase", "casefold"),
    }.items()
    for name in names
}
