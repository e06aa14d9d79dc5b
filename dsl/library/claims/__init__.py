"""What a free text says: its sentences and questions, what it claims of products, and what it states of cart and order.

All of it is decided by rules, so that it costs no model and gives the same answer on every machine.
"""

from shopdsl.dsl.library.claims.reading import Claim, claims
from shopdsl.dsl.library.claims.segments import questions, sentences
from shopdsl.dsl.library.claims.states import Statement, statements

__all__ = ["Claim", "Statement", "claims", "questions", "sentences", "statements"]
