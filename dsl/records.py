"""The records that expressions meet, their fields, and the evidence behind each: one table for checker, evaluator, reference and editors.

`evidence` are letters of EVIDENCE: what of a finished trial must be kept to know the value. It holds raw evidence, and views that serve
many metrics; the logic of a metric stands in its own spec.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def _entry(line: str) -> tuple[str, Entry]:
    name, kind, evidence, unit, doc = (part.strip() for part in line.split("|"))
    return name, Entry(ENUMS.get(kind) or parse_type(kind), doc, evidence, unit)


def table(text: str) -> dict[str, Entry]:
    """Entries by name, from lines of `name | type | evidence | unit | meaning`."""
    return dict(_entry(line) for line in text.splitlines() if line.strip())


RECORDS: dict[str, dict[str, Entry]] = {
    "product": table("""
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
    "category": table("""
        name         | text          | K |   | Name in the catalog spec.
        title        | text          | K |   | Title as the shop writes it.
        share        | number        | K |   | Share of the catalog's products.
        median_price | money         | K |   | Median of the price law.
        sigma        | number        | K |   | Standard deviation of the log price.
        tags         | list[text]    | K |   | Marks of the author's, such as grocery.
        products     | list[product] | K |   | Its products.
    """),
    "store": table("""
        name       | text           | K | | Name of the store.
        categories | list[category] | K | | Its categories.
        products   | list[product]  | K | | Its products.
    """),
    "hint": table("""
        product | product | K | | The product it is about.
        name    | text    | K | | The attribute, or `budget`.
        kind    | text    | K | | colour, size, dimension, budget, or a kind of the author's.
        value   | text    | K | | The attribute's value.
        say     | text    | K | | How a customer says it.
    """),
    "item": table("""
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
    "message": table("""
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
    "call": table("""
        tool     | text          | C  |       | The tool.
        class    | text          | C  |       | Its class: retrieval, lookup, write, commit, or the author's.
        role     | text          | C  |       | What it does: search, browse, look, view, add, set, remove, checkout …
        query    | text?         | C  |       | The text that was searched for.
        product  | product?      | C  |       | The product it is about.
        quantity | int?          | C  | units | The quantity it asks for.
        args     | map[text, text] | C |      | Its arguments, as texts; `figure(call.args["amount"])` is a number.
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
        changes  | list[text]    | S  |       | The records that it changed, such as `order W1`.
        fault    | bool          | C  |       | It met a fault that the spec injects.
        listed   | bool          | FMCSR |    | It is a call that the case expects.
    """),
    "group": table("""
        name    | text       | FMCSR | | calls, answer or state; `unasked` where something changed that no listed call does.
        ok      | bool       | FMCSR | | All that is expected there holds.
        score   | number     | FMCSR | | Partial credit, 0 to 1.
        counted | bool       | R     | | Success depends on it.
        reasons | list[text] | FMCSR | | Why it does not hold.
    """),
    "check": table("""
        group  | text   | FMCSR | | calls, answer or state.
        kind   | text   | R     | | Kind of expectation: call, money, says, records …
        what   | text   | R     | | What is looked for.
        ok     | bool   | FMCSR | | It holds.
        score  | number | FMCSR | | Partial credit, 0 to 1.
        weight | number | R     | | Its weight.
        bonus  | bool   | R     | | It only adds.
        reason | text   | FMCSR | | Why it does not hold.
        at     | int?   | FMCSR | | Place in the trial of what decided it.
    """),
    "assertion": table("""
        text | text | R | | A sentence that a judge must find true.
    """),
    "action": table("""
        tool     | text           |   |       | The tool.
        class    | text           |   |       | Its class.
        role     | text           |   |       | What it does: search, browse, look, view, add, set, remove, checkout …
        query    | text?          |   |       | The text that is searched for.
        product  | product?       |   |       | The product it is about.
        quantity | int?           |   | units | The quantity it asks for.
    """),
    "turn": table("""
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
    "case": table("""
        name         | text  | R |  | Its name.
        expected     | text  | R |  | What a right assistant does, in words.
        refuse       | bool  | R |  | Is a refusal what is right?
        pointer      | text? | R |  | A pattern of what a right answer names, such as whom to turn to.
        over_refusal | text  | R |  | What would be an over-refusal of the harmless request.
        category     | text  | R |  | The class of what is asked for.
        split        | text  | R |  | regression or challenge.
        level        | text  | R |  | basic, medium or challenge.
        tags         | list[text] | R |  | Its tags.
    """),
    "beat": table("""
        kind  | text       | R |      | The kind of beat.
        items | list[item] | R |      | The items it is about.
        about | text?      | R |      | What it asks about.
        to    | number?    | R |      | Its `to` operand.
        at    | int        | R |      | Place of the message in which it came out.
        turn  | int        | R | turn | The turn in which it came out.
    """),
    "expectation": table("""
        class | text  | SR |      | Class of the call that was owed.
        tool  | text? | SR |      | The tool, where the duty names one.
        turn  | int   | SR | turn | The turn in which it arose.
        met   | bool  | CSR |      | A call met it.
        wrong | bool  | CSR |      | A call met its key and missed another argument.
    """),
    "penalty": table("""
        unnecessary | number | | | What an unnecessary call of the class weighs.
        missing     | number | | | What a missing call of the class weighs.
        wrong       | number | | | What a wrong argument of the class weighs.
    """),
    "final": table("""
        cart  | bag[product] | F  | | The order's content if one was placed, else the cart at the end.
        order | order?       | F  | | The order.
        total | money?       | FK | | What the final cart costs.
    """),
    "order": table("""
        id    | text         | F  | | Its number.
        lines | bag[product] | F  | | Its content.
        total | money        | F  | | What it costs.
    """),
    "end": table("""
        reason | end_reason | X | | Why the trial ended.
    """),
    "event": table("""
        rule | text | R | | The rule that fired.
        turn | int  | R | | When.
        at   | int  | R | | Place in the trial.
    """),
    "claim": table("""
        product | product | MK |  | The product that it is about.
        field   | text    | M  |  | What it says something of: price, rating, stock, brand, or the name of an attribute.
        said    | text    | M  |  | The value that it gives.
        quote   | text    | M  |  | The words that say it.
        truth   | truth   | MK |  | What the product's record says to it.
    """),
    "statement": table("""
        kind     | statement_kind | M |       | What is said of cart or order.
        product  | product?       | M |       | The product that it is about.
        quantity | int?           | M | units | The quantity that it gives.
        amount   | money?         | M |       | The amount that it gives.
        quote    | text           | M |       | The words that say it.
    """),
    "promotion": table("""
        name   | text | K | | Its name in the spec.
        title  | text | K | | What the shop calls it.
        group  | text | K | | Its group.
        coupon | bool | K | | It needs a coupon.
        say    | text | K | | What it says to customers, in the store's language.
    """),
    "policy": table("""
        name        | text       | K | | Its name in the spec.
        value       | text       | K | | Its value, such as 30 days.
        counts_from | text       | K | | From when it counts.
        exceptions  | list[text] | K | | What it does not hold for.
        say         | text       | K | | What it says to customers.
    """),
    "priced": table("""
        total      | money           | K | | What is to be paid.
        goods      | money           | K | | The goods before promotions.
        discount   | money           | K | | What promotions take off.
        shipping   | money           | K | | Shipping fees.
        used       | list[text]      | K | | The promotions that took something, in order.
        refused    | map[text, text] | K | | Why each other promotion did not.
        working    | list[working]   | K | | The working, line by line; the amounts add up.
        ties       | int             | K | | Other choices of promotions that cost the same.
        assignment | map[text, text] | K | | Of `best_basket`: the seller of each product, by number.
        others     | int             | K | | Of `best_basket`: other choices of sellers that cost the same.
    """),
    "working": table("""
        what   | text  | K | | goods, a promotion, shipping or total.
        target | text  | K | | The product, seller or category that it is about.
        amount | money | K | | What it adds, or takes off.
        note   | text  | K | | How it comes about.
    """),
    "type": table("""
        name | text   | | | Name of the type.
        noun | text   | | | What the shop calls it.
        price| number | | | Typical price relative to the category's median.
    """),
}
