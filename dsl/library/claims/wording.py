"""The words by which assistants state what was done to cart and order, and those of offers and intentions."""

from __future__ import annotations

import re

from shopdsl.dsl.library.claims.naming import COUNTS

_CART = r"(?:shopping )?(?:cart|basket|bag)"
_NOW = r"(?:now |just |already |successfully |also |currently |still |all |both )*"
VERBS = (
    ("removed", re.compile(r"\b(?:removed|deleted|taken (?:out|off)|took (?:out|off)|cleared out)\b", re.IGNORECASE)),
    (
        "set",
        re.compile(
            r"\b(?:set|updated|changed|adjusted|increased|reduced|decreased|lowered|raised"
            r"|bumped)\b(?=[^;]{0,160}?\bto\s+(?:\d|" + "|".join(COUNTS) + r")\b)"
            r"|\bquantity\b(?=[^;]{0,80}?(?:\bis\b|\bnow\b|:)\s*(?:now\s*)?\d)",
            re.IGNORECASE,
        ),
    ),
    (
        "added",
        re.compile(
            rf"(?:\b(?:i|we)(?:'ve| have)? {_NOW}|\b(?:is|are|was|were|been|be|'s|gets?) {_NOW}|\band {_NOW}"
            rf"|^\W*(?:(?:great|done|ok|okay|all set|perfect|sure|got it)\W+)?{_NOW})added\b"
            rf"|\badded\b(?=[^;]{{0,160}}\b{_CART}\b)|\b(?:put|placed)\b(?=[^;]{{0,160}}\b(?:in|into|to) (?:your|the)"
            rf" {_CART}\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "holds",
        re.compile(
            rf"\b{_CART} {_NOW}(?:contains?|has|holds?|includes?|consists of)\b|\b(?:is|are|'s) {_NOW}in (?:your|the)"
            rf" {_CART}\b|\byou {_NOW}(?:have|'ve got)\b(?=[^;]{{0,160}}\bin (?:your|the) {_CART}\b)"
            rf"|\bthere (?:is|are) {_NOW}(?=[^;]{{0,160}}\bin (?:your|the) {_CART}\b)|\bin (?:your|the) {_CART} {_NOW}(?::"
            rf"|is|are|you have|we have)",
            re.IGNORECASE,
        ),
    ),
)
NO_ADDITION = re.compile(
    r"\b(?:no|without|zero)\b[\w ,-]{0,30}\badded\b|\badded (?:sugars?|salt|fragrance|value|benefit|bonus|colors?"
    r"|hormones)\b",
    re.IGNORECASE,
)
TO = re.compile(r"(?:\bto|:|\bis(?: now)?|\bnow)\s+(?P<n>\d{1,3}|" + "|".join(COUNTS) + r")\b(?![.,]?\d)", re.IGNORECASE)
ITEMS = re.compile(
    rf"\b(?P<n>\d{{1,3}}|{'|'.join(COUNTS)})\s+(?:different\s+)?(?:items?|products?|units?|things|pieces|of"
    rf" (?:them|these|those|it)|(?=in (?:your|the) cart))\b",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:it|that|this|them|those|these)\b", re.IGNORECASE)
ORDERED = re.compile(
    r"\b(?:order|purchase)\b(?:\s+(?:#?\w+-?\w*|for)){0,3}?\s+(?:is|was|has been|has now been|is now)\s+(?:now "
    r"|all |successfully |being )*(?:placed|confirmed|complete|completed|submitted|processed|through|in)\b"
    r"|\b(?:placed|submitted|completed|finalized)\s+(?:your|the|an|this)\s+(?:order|purchase|checkout)\b|\border"
    r" (?:successfully )?(?:placed|confirmed|confirmation|complete|submitted)\b"
    r"|\bcheck-?out (?:is |was |has been )?(?:now )?(?:complete|completed|successful|done)\b|\bchecked (?:you "
    r"|everything |it )?out\b|(?<!you )\bordered\b"
    r"|\border (?:number|id|no\.?|#)\W*(?:is\W+)?\w*\d|\bthanks? (?:you )?for (?:your|the) (?:order|purchase)\b"
    r"|\b(?:item|order|purchase)s? (?:is|are) on (?:its|their|the) way\b",
    re.IGNORECASE,
)
EMPTY = re.compile(
    rf"\b{_CART} is {_NOW}empty\b|\b(?:nothing|no items?) (?:is |are |left )?in (?:your|the) {_CART}\b"
    rf"|\b(?:emptied|cleared) (?:your|the) {_CART}\b|\b{_CART} (?:has|contains) (?:nothing|no items)\b"
    rf"|\b{_CART} (?:has been|was) (?:emptied|cleared)\b",
    re.IGNORECASE,
)
TOTAL_BEFORE = re.compile(
    r"\b(?P<word>(?:grand |sub|order |cart |new |current )*total|comes? to|amounts? to|altogether|together|in all"
    r"|makes|you owe|totall?ing)\b(?P<between>[^$€£¥·\d;]{0,40})(?:USD\s*)?$",
    re.IGNORECASE,
)
TOTAL_AFTER = re.compile(
    r"\s*(?:in total|total(?:!|\.|,|$|\s+for (?:your|the|everything))|altogether|all together|in all)", re.IGNORECASE
)
NO_TOTAL = re.compile(
    r"\b(?:line|item|saving|savings|save|shipping|tax|discount|review|reviews|rating)\b[^.;]{0,12}$|\b(?:sav(?:e"
    r"|ing|ings)|shipping|tax|discount)\b",
    re.IGNORECASE,
)
ORDER_FOR = re.compile(r"\b(?:ordered|order|placed|checked out)\b[^;$€£¥]{0,60}\b(?:for|of|at)\s*$", re.IGNORECASE)
INTENT = re.compile(
    r"\b(?:can|could|will|would|shall|should|may|might|won't)\b|'ll\b|\bi'd\b|\b(?:going|about|happy|glad|ready"
    r"|need|try|trying|tried|able|unable|want|like|wish|prefer|feel free) (?:\w+ )?to\b"
    r"|\blet me (?!know)|\b(?:if|unless|once|until|whether)\b|\bbefore (?:i|we|you|placing|checking)\b|\bplease\b"
    r"|\bwhen you\b|\bas soon as\b|\bto be added\b",
    re.IGNORECASE,
)
TELLING = frozenset(
    [
        "added",
        "removed",
        "deleted",
        "taken",
        "took",
        "cleared",
        "emptied",
        "set",
        "updated",
        "changed",
        "adjusted",
        "increased",
        "reduced",
        "decreased",
        "lowered",
        "raised",
        "bumped",
        "quantity",
        "put",
        "placed",
        "cart",
        "basket",
        "bag",
        "order",
        "purchase",
        "submitted",
        "completed",
        "finalized",
        "checkout",
        "check",
        "checked",
        "ordered",
        "way",
        "total",
        "subtotal",
        "come",
        "amount",
        "altogether",
        "together",
        "all",
        "make",
        "owe",
        "totaling",
        "totalling",
    ]
)
"""A sentence without any of these words, folded, states nothing."""
DENIED = re.compile(r"\b(?:not|never|no longer|failed|cannot)\b|n't\b", re.IGNORECASE)
HEADING = (
    ("added", re.compile(r"\badded\b", re.IGNORECASE)),
    ("removed", re.compile(r"\bremoved\b", re.IGNORECASE)),
    ("holds", re.compile(rf"\b{_CART}\b|\b(?:your|the) order\b|\border (?:summary|details)\b", re.IGNORECASE)),
)
