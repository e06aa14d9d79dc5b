"""Texts of others in a report: what cannot be seen is spelt out, what is very long is cut and says so, names become file names."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """A text whose control characters, marks of direction and lone surrogates are spelt out: `[U+202E]`."""
    return _UNSEEN.sub(lambda m: f"[U+{ord(m[0]):04X}]", text)


def shown(value: Any) -> Any:
    """What a template prints of a value: of every plain text the visible form. Markup is made by templates, and stays as it is."""
    return visible(value) if type(value) is str else value


def cut(text: str, most: int) -> str:
    """A text, or its beginning and how much is left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters are in the record)"


def compact(value: Any) -> str:
    """A value of a record as JSON; a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def slug(name: str) -> str:
    """A name as part of a file name. Other characters than letters, digits, `_` and `-` are replaced, and a digest keeps names apart."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80]
    return safe if safe == name else f"{safe}_{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def in_script(data: Any) -> str:
    """Data as JSON that cannot end the script element it stands in."""
    text = visible(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    return text.replace("<", "\\u003c")
