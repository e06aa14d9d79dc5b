"""How an agent's free text, English or Chinese, is compared with a typed expectation."""

from shopdsl.dsl.library.answers.figures import Number, numbers
from shopdsl.dsl.library.answers.folding import folded
from shopdsl.dsl.library.answers.mentions import asserted
from shopdsl.dsl.library.answers.phrases import closed, hits
from shopdsl.dsl.library.answers.requests import requests
from shopdsl.dsl.library.answers.verdicts import Span, Verdict, choice, first, money, place, quantity, quoted, says

__all__ = [
    "Number",
    "Span",
    "Verdict",
    "asserted",
    "choice",
    "closed",
    "first",
    "folded",
    "hits",
    "money",
    "numbers",
    "place",
    "quantity",
    "quoted",
    "requests",
    "says",
]
