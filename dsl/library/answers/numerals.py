"""How digits, Chinese numerals and English number words are read as values.

The decimal sign is a comma where the locale says so (German, French, Spanish and others), a point elsewhere; the other one
groups thousands. A form that only the other custom can have written is read by that custom: `1.299,00` is 1299 everywhere.
"""

from __future__ import annotations

import re
from decimal import Decimal

MAX_DIGITS = 15
_COMMA = frozenset(
    [
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "pl",
        "ru",
        "tr",
        "uk",
        "cs",
        "sk",
        "sv",
        "da",
        "nb",
        "no",
        "nn",
        "fi",
        "hu",
        "ro",
        "bg",
        "el",
        "hr",
        "sl",
        "sr",
        "id",
        "vi",
        "ca",
    ]
)
_POINT = frozenset(["es-mx", "es-us", "es-pr", "de-ch", "de-li", "it-ch"])
WORDS = {
    w: n
    for n, w in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1)
}
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SIZES = {"十": 10, "百": 100, "千": 1000}
NUMERALS = "".join([*_DIGITS, *_SIZES, "万"])


def decimal_comma(locale: str) -> bool:
    """Does the locale write a comma before the decimals?"""
    name = locale.lower().replace("_", "-").split(".")[0]
    return name not in _POINT and name.split("-")[0] in _COMMA


def _forms(point: str, group: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    exact = re.compile(rf"[0-9]{{1,3}}(?:[{group}' ][0-9]{{3}})+(?:[{point}][0-9]+)?|[0-9]+(?:[{point}][0-9]+)?")
    sure = re.compile(rf"[0-9]{{1,3}}(?:[{group}'][0-9]{{3}})+[{point}][0-9]{{1,2}}|[0-9]+[{point}][0-9]{{2}}")
    return exact, sure


_FORMS = {".": _forms(".", ","), ",": _forms(",", ".")}


def digits(run: str, locale: str) -> Decimal | None:
    """The value of a run of digits and separators; nothing where it is a version, a date or a list."""
    point = "," if decimal_comma(locale) else "."
    other = "." if point == "," else ","
    if sum(c.isdigit() for c in run) > MAX_DIGITS:
        return None
    for sign, form in ((point, _FORMS[point][0]), (other, _FORMS[other][1])):
        if form.fullmatch(run):
            return Decimal("".join(c for c in run.replace(sign, "p") if c.isdigit() or c == "p").replace("p", "."))
    return _short_decimal(run) if point == "," else None


def _short_decimal(run: str) -> Decimal | None:
    return Decimal(run) if re.fullmatch(r"[0-9]+\.[0-9]", run) else None


def chinese(text: str) -> int | None:
    """The value of a Chinese numeral up to 99,999, spoken short forms such as 五百五 too; nothing where it is none."""
    if all(c in _DIGITS for c in text):
        return None if len(text) == 2 or len(text) > 5 else int("".join(str(_DIGITS[c]) for c in text))
    whole, section, digit, size = 0, 0, 0, 1
    for at, c in enumerate(text):
        if c in _DIGITS:
            if digit:
                return None
            digit, size = _DIGITS[c], size if _DIGITS[c] else 1
        elif c == "万":
            if whole or not section + digit:
                return None
            whole, section, digit, size = (section + digit) * 10_000, 0, 0, 10_000
        elif not digit and not _bare_ten(text, at):
            return None
        else:
            section, digit, size = section + (digit or 1) * _SIZES[c], 0, _SIZES[c]
    value = whole + section + digit * max(1, size // 10)
    return value if value <= 99_999 else None


def _bare_ten(text: str, at: int) -> bool:
    return text[at] == "十" and (at == 0 or text[at - 1] in "零万〇")
