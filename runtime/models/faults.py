"""What can go wrong between here and a model. None of it is a fault of whoever is evaluated, but for a conversation that grew too long."""

from __future__ import annotations


class EndpointFault(Exception):
    """The endpoint gave no usable answer, however often it was asked."""


class Denied(EndpointFault):
    """The endpoint will refuse every further request as well: a wrong key, a model that it does not serve."""


class Rejected(EndpointFault):
    """The endpoint refused this one request; asking again would not help."""


class ContextTooLong(Rejected):
    """The conversation no longer fits into the model's context."""


class BudgetSpent(Exception):
    """What the user wanted to spend has been spent."""
