"""The part of a sentence that claims something: without questions, wishes, comparisons and what is only supposed."""

from __future__ import annotations

import re

from shopdsl.dsl.library.claims.segments import asks

NAME, GAP = "·", "¦"
"""What stands for a character of a name, and for one that claims nothing."""

_MARKS = str.maketrans({"*": " ", "_": " ", "`": " ", "#": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "\n": " ", "\u00a0": " "})
_QUESTION = re.compile(
    r"(?:^|[—–;:,.(!]\s*|\s-\s|\b(?:and|but|so|or)\s+)(?:just to confirm\W+)?(?:would|do|does|did|could|can|shall"
    r"|should|will|is|are|was|have|has|which|what|how|where|when|"
    r"who|why|want|need|ready|sound|any|may|might|shouldn't|isn't|don't)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r";|—|–|\s-\s|[.!]\s|,?(?<!\s)\s+(?:but|while|whereas|though|although|however|because)\b|"
    r",?(?<!\s)\s+(?:and|or|so|which|that)\s+(?:i|i'm|i've|i'll|it|its|it's|we|you|you're|your|they|there|here)\b"
    r"|,?(?<!\s)\s+(?:and|or)\s+(?:the|this|that)\b(?=[^,;]{0,80}\b(?:is|are|was|were|has|have|comes?|costs?|will|would|can)\b)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|suppose|supposing|assuming|in case|otherwise)\b", re.IGNORECASE)
_IDLE = re.compile(
    r"\b(?:(?:could|would|might|may|should)(?! (?:recommend|suggest))|couldn't|wouldn't|perhaps|maybe|probably"
    r"|possibly|i think|i guess)\b"
    r"|\b(?:than|compared|versus|vs|instead of|rather than|unlike|similar|alternatives?|respectively|others?"
    r"|another|either|neither)\b"
    r"|\b(?:you|you're|you'd|you've|customer)\s+(?:\w+\s+){0,2}(?:want|wanted|asked|requested|need|needed|prefer"
    r"|preferred|mentioned|specified|looking|like|said|wish)\b"
    r"|\b(?:your|the requested|the desired)\s+(?:\w+\s+){0,2}(?:budget|preference|request|requirement|criteria"
    r"|choice|question)s?\b"
    r"|\blook(?:ed|ing)? for\b|\bsearch(?:ed|ing)?\b|\b(?:find|found|have|see|carry|sell|offer)\s+(?:any|no)\b"
    r"|\bno (?:match|matches|results|other)\b"
    r"|\b(?:couldn't|could not|can't|cannot|didn't|did not|don't|do not)\s+(?:\w+\s+)?(?:find|have|carry|sell|see"
    r"|locate|offer|know|confirm|tell)\b",
    re.IGNORECASE,
)
_NEGATOR = re.compile(
    r"\b(?:not(?!\s+(?:only|just|merely))|never|no|without(?! \w+ing)|\w+n't|neither|nor|cannot)\b", re.IGNORECASE
)
_END_OF_SCOPE = re.compile(
    r"[;—–().:]|\b(?:but|however|though|although|yet|instead|it|it's|this|that|they|which|we|i|is|are|comes)\b", re.IGNORECASE
)


def plain(text: str) -> str:
    """A text of the same length without marks of Markdown and with straight quotes."""
    return text.translate(_MARKS)


def blank(text: str, spans: list[tuple[int, int]] | tuple[tuple[int, int], ...], sign: str) -> str:
    """A text of the same length with some spans blanked."""
    for low, high in spans:
        text = text[:low] + sign * (high - low) + text[high:]
    return text


def tail(view: str, place: int) -> str:
    """What stands before a place, as far as a pattern may look back; `x` stands for more before it."""
    return view[:place] if place <= 80 else "x" + view[place - 80 : place]


def declared(view: str) -> str:
    """A sentence with all that it does not assert blanked."""
    view = without_question(view)
    supposed = _SUPPOSED.search(view)
    if supposed is not None:
        view = blank(view, [(_clause_start(view, supposed.start()), len(view))], GAP)
    idle = [(low, high) for low, high in clauses(view) if _IDLE.search(view, low, high)]
    return blank(view, idle, GAP)


def clauses(view: str) -> list[tuple[int, int]]:
    """The clauses of a sentence that may be asserted each for itself."""
    cuts = [m.start() for m in _CLAUSE.finditer(view) if m.start()]
    return list(zip([0, *cuts], [*cuts, len(view)], strict=True))


def _clause_start(view: str, place: int) -> int:
    return max(low for low, _ in clauses(view) if low <= place)


def without_question(view: str) -> str:
    """A sentence with the question in it blanked."""
    if not asks(view):
        return view
    opening = [m.start() for m in _QUESTION.finditer(view)]
    return blank(view, [(opening[-1] if opening else 0, len(view))], GAP)


def negated(view: str, place: int) -> bool:
    """Does a negation reach this place of a sentence?"""
    before = tail(view, place)
    ends = [m.end() for m in _NEGATOR.finditer(before)]
    return bool(ends) and _END_OF_SCOPE.search(before, ends[-1]) is None
