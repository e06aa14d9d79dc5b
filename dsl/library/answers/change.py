"""What stands behind 元 or 块 and belongs to the sum: 五角五分, 5 毛, 一毛九, 零五分 and the last 五 of 五块五."""

from __future__ import annotations

import re
from decimal import Decimal

from shopdsl.dsl.library.answers.numerals import NUMERALS, chinese
from shopdsl.dsl.library.answers.units import UNIT_AFTER

WHOLE = ("元", "块", "圆")
_DIGIT = "[0-9一二两三四五六七八九]"
_ALONE = f"(?![0-9.%{NUMERALS}])"
_JIAO = re.compile(rf" ?({_DIGIT}) ?[角毛](?![星形楼巾])")
_FEN = re.compile(rf" ?零? ?({_DIGIT}) ?分(?!钟|之|期)")
# 549元5分 may be a rating behind a price
_ONLY_FEN = re.compile(rf" ?零 ?({_DIGIT}) ?分(?!钟|之|期)")
_SHORT = re.compile(rf"({_DIGIT}){_ALONE}(?![a-z手等次维代])")


def change(low: str, at: int, whole: str) -> tuple[Decimal, int]:
    """The jiao and fen at a place behind a sum that ends with `whole`, in yuan, and where they end."""
    if jiao := _JIAO.match(low, at):
        fen = _FEN.match(low, jiao.end()) or _short(low, jiao.end())
        return _value(jiao[1]) / 10 + (_value(fen[1]) / 100 if fen else 0), fen.end() if fen else jiao.end()
    if fen := _ONLY_FEN.match(low, at):
        return _value(fen[1]) / 100, fen.end()
    short = _short(low, at) if whole == "块" else None
    return (_value(short[1]) / 10, short.end()) if short else (Decimal(0), at)


def _short(low: str, at: int) -> re.Match[str] | None:
    """A digit without a word behind it: 五块五 is 5.5, but 五块五个 is five things."""
    found = _SHORT.match(low, at)
    return None if found is None or UNIT_AFTER.match(low, found.end()) else found


def _value(sign: str) -> Decimal:
    return Decimal(sign if sign.isdigit() and sign.isascii() else chinese(sign) or 0)
