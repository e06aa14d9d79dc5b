"""Numbers that only bound or compare: more than 7 days, 至少7天, 满609元减40, 还差609元 state neither 7 days nor ¥609.

What a rule allows is stated by its bound: "within 7 days", 最多7天, 不超过7天, and 超过7天不能退.
"""

from __future__ import annotations

import re

from shopdsl.dsl.library.answers.figures import Number

_A, _Z = r"(?<![a-z])", r"(?![a-z])"
_BEFORE = 30
_BEHIND = 40

_MORE_EN = "more than|over|at least|longer than|greater than|upwards? of|exceeds?|exceeding|nearly|almost|just under|a minimum of"
_MORE_ZH = "超过了?|超|超出|多于|大于|长于|至少|起码|最少|不止|将近|接近"
_ABOVE = re.compile(
    rf"(?<!no )(?<!not ){_A}(?:{_MORE_EN}) (?:the |a )?(?:full )?\Z"
    rf"|(?<![不没未])(?:{_MORE_ZH})(?:需要?|要|有|是)? ?\Z|(?<![最附])近\Z"
)
_AND_MORE = re.compile(
    r" ?(?:以上|之?多(?![件个买种款谢])|开外|起(?![,、])|\+)"
    rf"| (?:(?:or|and) (?:more|longer|above|up)|or over|at least|minimum){_Z}"
)
# 超过7天不能退: this says that it is the limit.
_LIMIT = re.compile("(?:以上|以后|之后|后|的|未|仍|还|就|则|将|再|商品|订单|申请|,| ){0,5}(?:不|无法|没法|拒绝|恕|自动|视为)")

_SAVED_EN = "saves?|saved|saving|savings of|need another|spend another|need to add|short by|missing"
_SAVED_ZH = "节省|立省|共省|省下|(?<![江东西南北川建州肃海徽林宁苏各全本外该])省|便宜|少花"
_LACKING_ZH = "还差|仍差|只差|尚差|就差|差了|相差|还缺|凑满|再凑"
_SET_OFF = re.compile(
    rf"{_A}(?:{_SAVED_EN})(?: (?:you|yourself|an extra|another|about|around|a total of|up to))? ?\Z"
    rf"|{_A}(?:cheaper|dearer|pricier) than ?(?:the )?\Z"
    rf"|(?:{_SAVED_ZH})[了您掉出]{{0,2}}(?:约|大约|整整|近)? ?\Z|(?<!不)(?:{_LACKING_ZH})了?(?:约|大约)? ?\Z"
    r"|(?<![价对相])比(?:原价|原来的?|之前的?)? ?\Z"
)
_FULL = re.compile(r"满 ?\Z")
_GETS = re.compile(" ?(?:以上|起)?,? ?[可就再即能立以]{0,3}[减打享送返赠抵]")
_FROM = re.compile(r"(?P<down>[a-z]*) ?(?<![a-z])from ?\Z")
_CAME_DOWN = frozenset(["down", "dropped", "reduced", "lowered", "cut", "off", "away", "taken", "deducted", "comes", "different"])
_FROM_TO = re.compile(r" ?(?:to|-|down to) ?[$€£¥]?[0-9]")


def bounds(low: str, number: Number) -> bool:
    """Is the number only a bound, or an amount that is saved, missing or compared with?"""
    before, behind = low[max(0, number.start - _BEFORE) : number.start], low[number.end : number.end + _BEHIND]
    if not number.unit and (_SET_OFF.search(before) or _spent(before, behind) or _begins(before, behind)):
        return True
    more = not number.currency and (_ABOVE.search(before) or _AND_MORE.match(behind))
    return bool(more) and not _LIMIT.match(behind)


def _spent(before: str, behind: str) -> bool:
    """满609元减40: what has to be spent."""
    return _FULL.search(before) is not None and _GETS.match(behind) is not None


def _begins(before: str, behind: str) -> bool:
    """ "Tents from $609": what the cheapest costs; but "down from $649" was a price."""
    found = _FROM.search(before)
    return found is not None and found["down"] not in _CAME_DOWN and not _FROM_TO.match(behind)
