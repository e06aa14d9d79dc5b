"""Decimals that are spoken with 点: 二点四公斤, 12点4公斤, 二十五点五元, 百分之二点五.

A 点 may tell the time as well, so a unit or a currency has to follow, and neither 分 nor what is only counted: 两点五十分, 三点两个人.
"""

from __future__ import annotations

import re
from decimal import Decimal

from shopdsl.dsl.library.answers import numerals
from shopdsl.dsl.library.answers.units import CURRENCY_AFTER, UNIT_AFTER, UNITS

_DIGIT = "零〇一二两三四五六七八九"
POINTED = re.compile(
    rf"(?<![0-9.,{numerals.NUMERALS}点])([0-9]{{1,9}}|[{numerals.NUMERALS}]{{1,12}})点([{_DIGIT}]{{1,6}}|[0-9]{{1,6}})(?![0-9.十百{_DIGIT}])"
)
_MANY = re.compile("[万亿]|千(?![克米瓦卡赫])")
_DAYTIME = re.compile("(?:上午|下午|中午|早上|晚上|凌晨|傍晚|今晚|每天|当天|[今明后]天|[日号]) ?\\Z")
_PERCENT = re.compile("百分之 ?\\Z")
_COUNTS = frozenset(["point", "minute", "piece", "person", "clock"])


def pointed(low: str, start: int) -> tuple[Decimal, int] | None:
    """The decimal with 点 that begins at a place of a folded text, and its end; nothing where none does."""
    found = POINTED.match(low, start)
    if found is None or not _measures(low, start, found.end()):
        return None
    whole = Decimal(found[1]) if found[1].isdigit() else numerals.chinese(found[1])
    return None if whole is None else (Decimal(f"{whole}.{_figures(found[2])}"), found.end())


def _figures(spoken: str) -> str:
    return "".join(c if c.isascii() else str(numerals.chinese(c)) for c in spoken)


def _measures(low: str, start: int, end: int) -> bool:
    before = low[max(0, start - 4) : start]
    if _PERCENT.search(before):
        return True
    many = _MANY.match(low, end)
    at = many.end() if many else end
    unit = UNIT_AFTER.match(low, at)
    name = UNITS[unit[1] or unit[2]].name if unit else ""
    return not _DAYTIME.search(before) and (CURRENCY_AFTER.match(low, at) is not None or (name != "" and name not in _COUNTS))
