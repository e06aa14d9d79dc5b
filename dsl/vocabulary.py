"""Every name that an author can write, by the place it stands in: one table for checker, evaluator, reference and editors.

`evidence` are letters of EVIDENCE: what of a finished trial must be kept to know the value. It holds raw evidence, and views that serve
many metrics; the logic of a metric stands in its own spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shopdsl.dsl.types import Enum, Type, parse_type

EVIDENCE = {
    "T": "the target, fixed before the trial",
    "F": "the final cart and order",
    "M": "the messages",
    "C": "tool calls and their results",
    "S": "the state around every call and message",
    "K": "the catalog",
    "R": "what was committed, and when it came out",
    "X": "what the simulated customer reported",
}

VIEWS = {
    "final_cart": "TF",
    "transcript": "TM",
    "transcript_and_calls": "TMC",
    "state": "TFCSK",
    "state_and_transcript": "TFMCSK",
    "full": "TFMCSKRX",
}

END_REASONS = (
    "purchase_complete", "gave_up", "frustrated", "probe_over", "answered", "budget_exhausted", "tool_loop", "agent_silent", "agent_exited",
    "agent_timeout", "agent_protocol", "customer_error", "judge_error", "infrastructure", "lost",
)  # fmt: skip
DUTIES = ("expected", "allowed", "wrong_argument", "none")
TRUTHS = ("supported", "contradicted", "unknown")
STATEMENTS = ("added", "removed", "set", "holds", "total", "ordered", "empty")
ENUMS = {
    "end_reason": Enum("end reason", END_REASONS),
    "duty": Enum("duty of a call", DUTIES),
    "truth": Enum("truth of a claim", TRUTHS),
    "statement_kind": Enum("kind of statement", STATEMENTS),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A name, or a field of a record."""

    type: Type
    doc: str
    evidence: str = ""
    unit: str = ""


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


def _entry(line: str) -> tuple[str, Entry]:
    name, kind, evidence, unit, doc = (part.strip() for part in line.split("|"))
    return name, Entry(ENUMS.get(kind) or parse_type(kind), doc, evidence, unit)


def _table(text: str) -> dict[str, Entry]:
    return dict(_entry(line) for line in text.splitlines() if line.strip())


RECORDS: dict[str, dict[str, Entry]] = {
    "product": _table("""
        id          | text             |   |        | The shop's number of the product.
        title       | text             | K |        | Title as the shop writes it.
        description | text             | K |        | Description as the shop writes it.
        brand       | text             | K |        | Brand.
        type        | text             | K |        | Leaf type, as the catalog spec names it.
        noun        | text             | K |        | What the shop calls such a product.
        everyday    | text             | K |        | An everyday word for it.
        divergent   | list[text]       | K |        | Roundabout ways of saying it.
        need        | text             | K |        | What one needs it for; fits after "I need".
        aisle       | text             | K |        | Types of one aisle are bought together.
        category    | category         | K |        | Its category.
        price       | money            | K |        | Price of one unit.
        budget      | money            | K |        | A round sum that covers one unit.
        stock       | int              | K | units  | Units in stock.
        in_stock    | bool             | K |        | Is there at least one?
        rating      | number           | K | stars  | Mean rating, 1 to 5.
        reviews     | int              | K |        | Number of ratings.
        attributes  | map[text, text]  | K |        | Attributes by name.
        flags       | list[text]       | K |        | Marks such as age_restricted.
        hints       | list[hint]       | K |        | What a customer can say of it.
    """),
    "category": _table("""
        name         | text          | K |   | Name in the catalog spec.
        title        | text          | K |   | Title as the shop writes it.
        share        | number        | K |   | Share of the catalog's products.
        median_price | money         | K |   | Median of the price law.
        sigma        | number        | K |   | Standard deviation of the log price.
        tags         | list[text]    | K |   | Marks of the author's, such as grocery.
        products     | list[product] | K |   | Its products.
    """),
    "store": _table("""
        name       | text           | K | | Name of the store.
        categories | list[category] | K | | Its categories.
        products   | list[product]  | K | | Its products.
    """),
    "hint": _table("""
        product | product | K | | The product it is about.
        name    | text    | K | | The attribute, or `budget`.
        kind    | text    | K | | colour, size, dimension, budget, or a kind of the author's.
        value   | text    | K | | The attribute's value.
        say     | text    | K | | How a customer says it.
    """),
    "item": _table("""
        product  | product    | R  |       | The product that is wanted.
        quantity | int        | TR | units | How many are wanted.
        category | category   | RK |       | The product's category.
        hints    | list[hint] | RK |       | All that can be said of it.
        told     | list[hint] | RK |       | What the customer may say unasked; its `name_it` picks from it.
        withheld | list[hint] | RK |       | What the customer says only when asked for it.
        say      | text       | R  |       | How this customer calls it.
        asked_at | int?       | R  | turn  | The turn in which it was first named.
        due_at   | int?       | R  | turn  | The turn in which it was first to be put into the cart.
    """),
    "message": _table("""
        text   | text          | M  |       | What was written.
        role   | text          | M  |       | customer or agent.
        at     | int           | M  |       | Place in the trial, counted over messages and calls.
        turn   | int           | M  | turn  | Number of the customer message, from 1; the answer shares it.
        words  | int           | M  | words | Length.
        prices | list[money]   | M  |       | Amounts of money that it quotes.
        named  | list[product] | MK |       | Products whose whole title it names.
        cart   | bag[product]  | S  |       | The cart when it was written.
        hints  | list[text]    | MR |       | Hints that the customer gave in it because it was asked.
        twin   | bool          | MR |       | It belongs to the harmless request after a probe.
    """),
    "call": _table("""
        tool     | text          | C  |       | The tool.
        class    | text          | C  |       | Its class: retrieval, lookup, write, commit, or the author's.
        role     | text          | C  |       | What it does: search, browse, look, view, add, set, remove, checkout …
        query    | text?         | C  |       | The text that was searched for.
        product  | product?      | C  |       | The product it is about.
        quantity | int?          | C  | units | The quantity it asks for.
        ids      | list[text]    | C  |       | Product numbers among its arguments.
        results  | list[product] | C  |       | Products that its result shows, in order.
        error    | text?         | C  |       | Why it was refused; none if it worked.
        at       | int           | C  |       | Place in the trial, counted over messages and calls.
        turn     | int           | C  | turn  | The turn in which it was made.
        before   | bag[product]  | S  |       | The cart before it.
        after    | bag[product]  | S  |       | The cart after it.
        asked    | set[product]  | R  |       | What had been asked for by then.
        due      | bag[product]  | R  |       | What was to be in the cart by then.
        sought   | list[product] | SR |       | What had been asked for and was not yet in the cart in full.
        duty     | duty          | SR |       | Whether a beat obliged or allowed the agent to make it.
        closing  | bool          | R  |       | The customer had asked for the checkout by then.
    """),
    "action": _table("""
        tool     | text           |   |       | The tool.
        class    | text           |   |       | Its class.
        role     | text           |   |       | What it does: search, browse, look, view, add, set, remove, checkout …
        query    | text?          |   |       | The text that is searched for.
        product  | product?       |   |       | The product it is about.
        quantity | int?           |   | units | The quantity it asks for.
    """),
    "turn": _table("""
        number | int           | M  | turn  | Its number, from 1.
        at     | int           | M  |       | Place of the customer's message.
        customer| text         | M  |       | What the customer wrote.
        calls  | list[call]    | C  |       | The calls that the agent made.
        answer | text          | M  |       | What the agent said.
        words  | int           | M  | words | Length of the answer.
        cap    | int?          | R  | words | How long an answer this customer likes to read.
        before | bag[product]  | S  |       | The cart before it.
        after  | bag[product]  | S  |       | The cart after it.
        seen   | set[product]  | C  |       | Products that results had shown before it.
        asked  | set[product]  | R  |       | What had been asked for.
        sought | list[product] | SR |       | What had been asked for and was not in the cart in full when it began.
        closing| bool          | SR |       | The customer had asked for the checkout and no order was placed yet.
        ordered| bool          | S  |       | An order was placed in it.
        hinted | bool          | MR |       | The next message answered a question of the agent.
        twin   | bool          | MR |       | It belongs to the harmless request after a probe.
    """),
    "case": _table("""
        name         | text  | R |  | Its name.
        expected     | text  | R |  | What a right assistant does, in words.
        refuse       | bool  | R |  | Is a refusal what is right?
        pointer      | text? | R |  | A pattern of what a right answer names, such as whom to turn to.
        over_refusal | text  | R |  | What would be an over-refusal of the harmless request.
    """),
    "beat": _table("""
        kind  | text       | R |      | The kind of beat.
        items | list[item] | R |      | The items it is about.
        about | text?      | R |      | What it asks about.
        to    | number?    | R |      | Its `to` operand.
        at    | int        | R |      | Place of the message in which it came out.
        turn  | int        | R | turn | The turn in which it came out.
    """),
    "expectation": _table("""
        class | text  | SR |      | Class of the call that was owed.
        tool  | text? | SR |      | The tool, where the duty names one.
        turn  | int   | SR | turn | The turn in which it arose.
        met   | bool  | CSR |      | A call met it.
        wrong | bool  | CSR |      | A call met its key and missed another argument.
    """),
    "penalty": _table("""
        unnecessary | number | | | What an unnecessary call of the class weighs.
        missing     | number | | | What a missing call of the class weighs.
        wrong       | number | | | What a wrong argument of the class weighs.
    """),
    "final": _table("""
        cart  | bag[product] | F  | | The order's content if one was placed, else the cart at the end.
        order | order?       | F  | | The order.
        total | money?       | FK | | What the final cart costs.
    """),
    "order": _table("""
        id    | text         | F  | | Its number.
        lines | bag[product] | F  | | Its content.
        total | money        | F  | | What it costs.
    """),
    "end": _table("""
        reason | end_reason | X | | Why the trial ended.
    """),
    "event": _table("""
        rule | text | R | | The rule that fired.
        turn | int  | R | | When.
        at   | int  | R | | Place in the trial.
    """),
    "claim": _table("""
        product | product | MK |  | The product that it is about.
        field   | text    | M  |  | What it says something of: price, rating, stock, brand, or the name of an attribute.
        said    | text    | M  |  | The value that it gives.
        quote   | text    | M  |  | The words that say it.
        truth   | truth   | MK |  | What the product's record says to it.
    """),
    "statement": _table("""
        kind     | statement_kind | M |       | What is said of cart or order.
        product  | product?       | M |       | The product that it is about.
        quantity | int?           | M | units | The quantity that it gives.
        amount   | money?         | M |       | The amount that it gives.
        quote    | text           | M |       | The words that say it.
    """),
    "type": _table("""
        name | text   | | | Name of the type.
        noun | text   | | | What the shop calls it.
        price| number | | | Typical price relative to the category's median.
    """),
}

_CUSTOMER = """
    persona     | persona       | R  | | The customer's dimensions.
    tier        | text          | R  | | The trial's tier.
    difficulty  | int           | R  | | The trial's difficulty.
"""

CONTEXTS: dict[str, dict[str, Entry]] = {
    "draw": _table("""
        trial   | int     | | | Number of the trial, from 0.
        store   | store   | | | The cohort's store.
        persona | persona | | | The customer's dimensions, drawn before.
    """),
    "catalog": _table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        factor   | number   | | | Product of the price factors of the drawn values.
    """),
    "price": _table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        factor   | number   | | | Product of the price factors of the drawn values.
        standing | number   | | | Place among the category's products by `level`, between 0 and 1.
    """),
    "listing": _table("""
        type     | type     | | | The type of product.
        category | category | | | Its category.
        price    | money    | | | Its price.
        standing | number   | | | Place among the category's products by `level`, between 0 and 1.
    """),
    "search": _table("""
        product | product | | | The product whose text is indexed.
    """),
    "reveal": _table(
        _CUSTOMER
        + """
        basket      | list[item] | R | | The items, in the order in which they were drawn.
        turn_budget | int        | R | | How many messages the customer has.
    """
    ),
    "guard": _table(
        _CUSTOMER
        + """
        basket | list[item]   | R | | The items, in the order in which they were drawn.
        cart   | bag[product] | S | | The cart now.
        order  | order?       | F | | The order, once placed.
    """
    ),
    "beat": _table(
        _CUSTOMER
        + """
        item  | item         | R | | The item the beat is about.
        items | list[item]   | R | | All items the beat is about.
        about | text?        | R | | What the beat asks about.
        to    | number?      | R | | The `to` operand.
    """
    ),
    "said": _table("""
        item    | item       | R | | The item the beat is about.
        items   | list[item] | R | | All items the beat is about.
        about   | text?      | R | | What the beat asks about.
        to      | number?    | R | | The `to` operand.
        message | text       | M | | What the customer wrote.
    """),
    "duty": _table("""
        item  | item         | R | | The item the beat is about.
        items | list[item]   | R | | All items the beat is about.
        about | text?        | R | | What the beat asks about.
        to    | number?      | R | | The `to` operand.
        call  | call         | C | | The call that is looked at.
        seen  | set[product] | C | | Products that results had shown before the turn.
        cart  | bag[product] | S | | The cart before the turn.
    """),
    "allowed": _table("""
        call  | call         | C | | The call that is looked at.
    """),
    "name_it": _table(
        _CUSTOMER
        + """
        product | product    | K | | The wanted product.
        item    | item       | R | | The item.
    """
    ),
    "phrase": _table(
        _CUSTOMER
        + """
        item        | item       | R | | The item the beat is about (of several, the first).
        items       | list[item] | R | | All items the beat is about.
        about       | text?      | R | | What the beat asks about.
        to          | number?    | R | | The `to` operand.
        frustration | number     | X | | How frustrated the customer is, 0 to 10.
    """
    ),
    "answer": _table(
        _CUSTOMER
        + """
        item        | item?      | R | | The item that the conversation is about.
        items       | list[item] | R | | All that is asked for and not yet in the cart.
        question    | text       | M | | What the agent wrote.
        frustration | number     | X | | How frustrated the customer is, 0 to 10.
    """
    ),
    "event": _table(
        _CUSTOMER
        + """
        turn   | turn         | | | The turn that has just ended.
        asked  | set[product] | R | | What had been asked for.
        target | bag[product] | T | | The target.
    """
    ),
    "patience": _table(_CUSTOMER),
    "tool": _table("""
        cart  | bag[product] | | | The cart.
        order | order?       | | | The order, once placed.
        store | store        | | | The store.
    """),
    "metric": _table("""
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
    """),
    "forbid_call": _table("""
        call | call | | | A call that worked.
    """),
    "forbid_text": _table("""
        message | message | | | A message of the agent.
    """),
    "forbid_end": _table("""
        final | final | | | The end state.
    """),
    "reference": _table(""),
    "habit": _table(
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
        world=context == "tool",
        currency=currency,
    )
