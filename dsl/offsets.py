"""From the text of a YAML scalar back to the file: which character came from where.

YAML folds lines, drops indentation and resolves escapes, but never reorders what is visible. So the visible characters of the
value and of the raw text are the same sequence, and white space between two of them lies between their places.
"""

from __future__ import annotations

from collections.abc import Iterator

_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
            " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_BREAKS = "\n\r"


def offsets(raw: str, value: str, style: str) -> list[int]:
    """For each character of `value` its offset in `raw`, the scalar as written (with quotes or block header)."""
    visible = _visible(raw, style)
    result: list[int] = []
    place = _body(raw, style)
    for char in value:
        if char in " \t\n":
            hard = visible.peek
            if hard is not None and hard[0] == char:
                place = visible.take()
            result.append(min(place, len(raw)))
            place += 1
        else:
            start = visible.take()
            _close_gap(result, value, start)
            result.append(start)
            place = start + 1
    return [min(o, max(len(raw) - 1, 0)) for o in result]


class _visible:
    def __init__(self, raw: str, style: str) -> None:
        self._tokens = _tokens(raw, style)
        self._end = len(raw)
        self.peek: tuple[str, int] | None = next(self._tokens, None)

    def take(self) -> int:
        if self.peek is None:
            return self._end
        place = self.peek[1]
        self.peek = next(self._tokens, None)
        return place


def _close_gap(result: list[int], value: str, start: int) -> None:
    """White space before a visible character lies before it, however YAML folded it."""
    i = len(result) - 1
    while i >= 0 and value[i] in " \t\n" and result[i] >= start:
        result[i] = start - 1
        i -= 1


def _body(raw: str, style: str) -> int:
    if style in ("|", ">"):
        return raw.find("\n") + 1
    return 1 if style in ("'", '"') else 0


def _tokens(raw: str, style: str) -> Iterator[tuple[str, int]]:
    """Visible characters and escaped ones, with their offsets."""
    i = _body(raw, style)
    end = len(raw) - 1 if style in ("'", '"') else len(raw)
    while i < end:
        char = raw[i]
        if style == '"' and char == "\\":
            text, width = _escape(raw, i)
            if text:
                yield text, i
            i += width
        elif style == "'" and char == "'":
            yield char, i
            i += 2
        else:
            if char not in " \t\n\r":
                yield char, i
            i += 1


def _escape(raw: str, i: int) -> tuple[str, int]:
    kind = raw[i + 1 : i + 2]
    if kind in _HEX:
        digits = raw[i + 2 : i + 2 + _HEX[kind]]
        return chr(int(digits, 16)), 2 + len(digits)
    if kind in _BREAKS:
        return "", 2
    return _ESCAPES.get(kind, kind), 2
