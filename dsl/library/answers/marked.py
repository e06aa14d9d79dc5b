"""The places of a text whose digits are no amounts: addresses, dates, times, telephone numbers, ids, ordinals."""

from __future__ import annotations

import re

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]{0,6}\.?"
_YEAR = r"(?:,? (?:19|20)[0-9]{2}(?![0-9]))?"
_NAMED = (
    r"order|item|model|sku|asin|ref|reference|invoice|tracking|serial|confirmation|ticket|case|room|apartment|apt|suite|unit|"
    r"zip|phone|tel|hotline|version|page|step|option"
)
_NAMED_ZH = "订单号|订单编号|订单|单号|编号|型号|货号|尾号|电话|热线|邮编|版本|步骤|选项"
_NO_AMOUNT = re.compile(
    r"https?://[^\s]{1,2000}|www\.[^\s]{1,2000}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:t[0-9:.]{1,15}z?)?"
    r"|[0-9]{1,4}/[0-9]{1,4}(?:/[0-9]{1,4})?"
    r"|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}"
    r"|[一二三四五六七八九十]{1,2} ?月 ?[一二三四五六七八九十]{1,3} ?[日号]"
    r"|(?:[0-9]{4} ?年 ?)?[0-9]{1,2} ?月(?:份| ?[0-9]{1,2} ?[日号]?)?|(?:19|20)[0-9]{2} ?年"
    rf"|(?<![a-z]){_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?(?![0-9.,]*[0-9]){_YEAR}"
    rf"|(?<![0-9.,])[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?![a-z]){_YEAR}"
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]\.?m\.?)?|(?<![0-9.,])[0-9]{1,2} ?[ap]\.?m(?![a-z])"
    r"|(?<![0-9])[0-9]{1,6}(?:st|nd|rd|th)(?![a-z])|第 ?(?:[0-9]{1,9}|[零一二两三四五六七八九十百]{1,6})"
    r"|(?<![0-9])\+[0-9][0-9 ()-]{7,20}[0-9]|(?<![0-9])\(?[0-9]{3,4}\)?[ -][0-9]{3,4}-[0-9]{4}(?![0-9])"
    r"|(?<![0-9.])(?:1[3-9][0-9]{9})(?![0-9.])|(?<![0-9])(?:400|800)-[0-9]{3,4}-?[0-9]{3,4}(?![0-9])"
    r"|#[a-z]{0,8}-?[0-9][a-z0-9-]{0,40}|(?<![0-9])[0-9]{1,15}(?:-[0-9]{1,15}){2,12}"
    r"|十分(?!钟|之)"
)
_CALLED = re.compile(
    rf"(?:(?<![a-z])(?:{_NAMED})|{_NAMED_ZH})(?: ?(?:no\.?|number|id|号码))?[ :#]{{0,3}}(?:is |是|为)?\Z|(?<![a-z])no\. ?\Z"
)
_AFTER_NOUN = re.compile(r"[ -]([a-z]{2,})")
_NO_NOUNS = (
    "in for with after before and or is was now total instead as at on to but including plus when if per each only all today "
    "here by from of off the this that you we it so not than would will are be if until once without using via because since "
    "while which incl included inclusive overall altogether net gross final down up left due flat excluding thanks then too "
    "has had can could should may might does do did saves saving makes making equals both again also already just"
)


def no_amounts(low: str) -> bytearray:
    """Marks the characters of a folded text at which no amount can stand."""
    marked = bytearray(len(low) + 1)
    for found in _NO_AMOUNT.finditer(low):
        marked[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    return marked


def called(low: str, start: int) -> bool:
    """Is the number that starts here the number of an order, a model, a page?"""
    return _CALLED.search(low[max(0, start - 30) : start]) is not None


def bare(low: str, start: int, end: int) -> bool:
    """Can a number without unit and currency be an amount: no id, no end of a range, no count of a noun behind it?"""
    if called(low, start) or low[start - 1 : start] in ("-", "~") or low[end : end + 1] in ("-", "~"):
        return False
    noun = _AFTER_NOUN.match(low, end)
    return noun is None or noun[1] in _NO_NOUNS.split()
