"""Every name that an author can write, by the place it stands in: one table for checker, evaluator, reference and editors.

The records that the names stand for, and the evidence behind them, are in `records.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shopdsl.dsl.records import RECORDS, Entry, table


@dataclass
class Scope:
    """The names that an expression may use, the fields of their records, and whether it may draw."""

    names: dict[str, Entry]
    records: dict[str, dict[str, Entry]] = field(default_factory=lambda: dict(RECORDS))
    draws: bool = False
    world: bool = False
    currency: str = ""

    def with_names(self, extra: Mapping[str, Entry]) -> Scope:
        """This scope and more names."""
        return Scope(self.names | dict(extra), self.records, self.draws, self.world, self.currency)


_CUSTOMER = """
    persona     | persona       | R  | | The customer's dimensions.
    tier        | text          | R  | | The trial's tier.
    difficulty  | int           | R  | | The trial's difficulty.
"""

_SHOP = """
    coupons    | list[text]      | K | | The coupons that the customer has.
    facts      | map[text, any]  | K | | What the case says can be looked up.
    today      | text?           | K | | The day of the trial, such as 2026-11-11.
    promotions | list[promotion] | K | | The store's promotions.
    policies   | list[policy]    | K | | The store's policies.
"""

CONTEXTS: dict[str, dict[str, Entry]] = {
    "draw": table("""
        trial   | int     | | | Number of the trial, from 0.
        store   | store   | | | The cohort's store.
        persona | persona | | | The customer's dimensions, drawn before.
    """),
    "catalog": table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        factor   | number   | | | Product of the price factors of the drawn values.
    """),
    "price": table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        factor   | number   | | | Product of the price factors of the drawn values.
        standing | number   | | | Place among the category's products by `level`, between 0 and 1.
    """),
    "listing": table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        price    | money    | | | Its price.
        standing | number   | | | Place among the category's products by `level`, between 0 and 1.
    """),
    "search": table("""
        product | product | | | The product whose text is indexed.
    """),
    "reveal": table(
        _CUSTOMER
        + """
        basket      | list[item] | R | | The items, in the order in which they were drawn.
        turn_budget | int        | R | | How many messages the customer has.
    """
    ),
    "guard": table(
        _CUSTOMER
        + """
        basket | list[item]   | R | | The items, in the order in which they were drawn.
        cart   | bag[product] | S | | The cart now.
        order  | order?       | F | | The order, once placed.
    """
    ),
    "beat": table(
        _CUSTOMER
        + """
        item  | item         | R | | The item the beat is about.
        items | list[item]   | R | | All items the beat is about.
        about | text?        | R | | What the beat asks about.
        to    | number?      | R | | The `to` operand.
    """
    ),
    "said": table("""
        item    | item       | R | | The item the beat is about.
        items   | list[item] | R | | All items the beat is about.
        about   | text?      | R | | What the beat asks about.
        to      | number?    | R | | The `to` operand.
        message | text       | M | | What the customer wrote.
    """),
    "duty": table("""
        item  | item         | R | | The item the beat is about.
        items | list[item]   | R | | All items the beat is about.
        about | text?        | R | | What the beat asks about.
        to    | number?      | R | | The `to` operand.
        call  | call         | C | | The call that is looked at.
        seen  | set[product] | C | | Products that results had shown before the turn.
        cart  | bag[product] | S | | The cart before the turn.
    """),
    "allowed": table("""
        call  | call         | C | | The call that is looked at.
    """),
    "name_it": table(
        _CUSTOMER
        + """
        product | product    | K | | The wanted product.
        item    | item       | R | | The item.
    """
    ),
    "phrase": table(
        _CUSTOMER
        + """
        item        | item       | R | | The item the beat is about (of several, the first).
        items       | list[item] | R | | All items the beat is about.
        about       | text?      | R | | What the beat asks about.
        to          | number?    | R | | The `to` operand.
        frustration | number     | X | | How frustrated the customer is, 0 to 10.
    """
    ),
    "answer": table(
        _CUSTOMER
        + """
        item        | item?      | R | | The item that the conversation is about.
        items       | list[item] | R | | All that is asked for and not yet in the cart.
        question    | text       | M | | What the agent wrote.
        frustration | number     | X | | How frustrated the customer is, 0 to 10.
    """
    ),
    "event": table(
        _CUSTOMER
        + """
        turn   | turn         | | | The turn that has just ended.
        asked  | set[product] | R | | What had been asked for.
        target | bag[product] | T | | The target.
    """
    ),
    "patience": table(_CUSTOMER),
    "briefing": table("""
        system | text       | | | What the shop tells every agent.
        store  | text       | | | Name of the store.
        tools  | list[text] | | | The tools that the agent may call.
    """),
    "voice": table(
        _CUSTOMER
        + """
        manners | list[text] | | | The `prompt` of each value of the customer's dimensions.
    """
    ),
    "instruct": table(
        _CUSTOMER
        + """
        manners     | list[text]    |   | | The `prompt` of each value of the customer's dimensions.
        directives  | list[text]    | R | | What this message is to say; empty where nothing new comes out.
        items       | list[item]    | R | | The items that have come out, with this message; no others are known.
        messages    | list[message] | M | | What has been said.
        cart        | bag[product]  | S | | The cart now.
        frustration | number        | X | | What the customer reported last, 0 to 10.
        leave_at    | number        | R | | From this frustration on it may leave.
    """
    ),
    "tool": table(
        _SHOP
        + """
        cart  | bag[product] | | | The cart.
        order | order?       | | | The order, once placed.
        store | store        | | | The store.
    """
    ),
    "metric": table("""
        target            | bag[product]         | T  |      | What was wanted, and how many.
        target_set        | set[product]         | T  |      | What was wanted.
        cohort            | text                 | T  |      | The cohort.
        final             | final                |    |      | The end state.
        messages          | list[message]        | M  |      | All messages, in order.
        agent_messages    | list[message]        | M  |      | What the agent said.
        customer_messages | list[message]        | M  |      | What the customer said.
        answer            | text?                | M  |      | The agent's last message.
        turns             | list[turn]           | M  |      | The turns.
        calls             | list[call]           | C  |      | All tool calls, in order.
        searches          | list[call]           | C  |      | Calls of class retrieval that worked and had a query or showed products.
        items             | list[item]           | R  |      | The wanted items, with when they came out.
        beats             | list[beat]           | R  |      | The beats that came out.
        expected          | list[expectation]    | SR |      | Calls that beats obliged the agent to.
        forbidden         | list[event]          | MCR|      | Forbidden events that happened.
        prohibitions      | int                  | R  |      | How many rules forbid something in this trial.
        persona           | persona              | R  |      | The customer's dimensions.
        tier              | text                 | R  |      | The trial's tier.
        difficulty        | int                  | R  |      | The trial's difficulty.
        reveal            | text                 | R  |      | The style in which wishes came out.
        turn_budget       | int                  | R  | turn | How many messages the customer had.
        penalties         | map[text, penalty]   |    |      | Weights by class of tool, from the rubric or the toolset.
        frustration       | list[number]         | X  |      | The customer's frustration at each message, 0 to 10.
        rationales        | list[text]           | X  |      | The customer's reasons at each message.
        end               | end                  | X  |      | How the trial ended.
        case              | case?                | R  |      | The hand-written case that is played; none in drawn trials.
        success           | bool?                | FMCSR |   | Does the case's rule of success hold, assertions aside? None where it expects nothing.
        groups            | list[group]          | FMCSR |   | What the case expects of calls, answer and state.
        checks            | list[check]          | FMCSR |   | Every single expectation of the case.
        assertions        | list[assertion]      | R  |      | Sentences that a judge must find true, where success counts them.
    """),
    "solve": table(
        _SHOP
        + """
        products | list[product] | K | | The products of the store, and those of the case.
        store    | store         | K | | The store.
    """
    ),
    "forbid_call": table("""
        call | call | | | A call that worked.
    """),
    "forbid_text": table("""
        message | message | | | A message of the agent.
    """),
    "forbid_end": table("""
        final | final | | | The end state.
    """),
    "reference": table(""),
    "habit": table(
        _CUSTOMER
        + """
        call     | action         |  |      | The call that the agent is about to make.
        text     | text           |  |      | What the agent is about to say.
        customer | text           |  |      | What the customer has just written.
        turn     | int            |  | turn | The turn, from 1.
        items    | list[item]     |  |      | The wanted items.
        target   | bag[product]   |  |      | What is wanted, and how many.
        asked    | set[product]   |  |      | What has been asked for.
        due      | bag[product]   |  |      | What is to be in the cart by now.
        sought   | list[product]  |  |      | What has been asked for and is not in the cart in full.
        seen     | set[product]   |  |      | Products that results have shown.
        beats    | list[beat]     |  |      | The beats of this turn.
        cart     | bag[product]   |  |      | The cart now.
        order    | order?         |  |      | The order, once placed.
        store    | store          |  |      | The store.
        fixtures | list[product]  |  |      | The products that a case brings along.
        case     | case?          |  |      | The hand-written case that is played; none in drawn trials.
        twin     | bool           |  |      | Is this the harmless request after a probe?
    """
    ),
}


CONTEXTS["expect"] = CONTEXTS["metric"] | CONTEXTS["solve"]
WORLD = ("tool", "solve", "expect")
"""Where functions that ask the store are known."""


def scope(
    context: str,
    extra: Mapping[str, Entry] | None = None,
    records: Mapping[str, dict[str, Entry]] | None = None,
    currency: str = "",
) -> Scope:
    """The scope of a context, with names and records that a spec adds (its tables, its persona's dimensions), and the store's currency if it is known."""
    return Scope(
        CONTEXTS[context] | dict(extra or {}),
        RECORDS | dict(records or {}),
        draws=context in ("draw", "catalog", "price", "listing", "reveal", "habit"),
        world=context in WORLD,
        currency=currency,
    )
