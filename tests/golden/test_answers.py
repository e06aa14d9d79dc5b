"""Texts and typed expectations: a new case is a new line `ATOM | LOCALE | TEXT | yes/no` of a file in `answers`."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from shopdsl.dsl.library.answers import Verdict, asserted, choice, hits, money, place, quantity, requests, says
from shopdsl.dsl.values import SYMBOLS, Money

FILES = sorted((Path(__file__).parent / "answers").glob("*.txt"))


def rows(file: Path) -> list[tuple[str, ...]]:
    """The rows of a file, as atom, locale, text and the expected word."""
    lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(*line.split(" | ", 2)[:2], *line.split(" | ", 2)[2].rsplit(" | ", 1)) for line in lines]


def verdict(atom: str, locale: str, text: str) -> Verdict:
    """What an atom such as `quantity 14 inch` or `choice red of red, blue` says of a text."""
    kind, _, rest = atom.partition(" ")
    text = text.replace("\\n", "\n")
    match kind:
        case "money":
            code, _, amount = rest.rpartition(" ")
            return money(text, Money(amount, code) if code else Money(rest[1:], SYMBOLS[rest[0]]), locale)
        case "quantity":
            value, _, unit = rest.partition(" ")
            return quantity(text, Decimal(value), unit, locale)
        case "choice":
            right, _, options = rest.partition(" of ")
            return choice(text, right, options.split(", "), locale)
        case "asks":
            asked = any(not rest or any(hits(question, rest, locale)) for question in requests(text))
            return Verdict(asked, "" if asked else "it does not ask that")
        case "none":
            named = asserted(text, rest.split(", "), locale)
            return Verdict(not named, ", ".join(named))
    return {"says": says, "place": place}[kind](text, rest, locale)


@pytest.mark.parametrize("file", FILES, ids=[f.stem for f in FILES])
def test_answers(file: Path) -> None:
    wrong = []
    for atom, locale, text, expected in rows(file):
        assert expected in ("yes", "no"), f"a row of {file.name} ends with {expected}"
        found = verdict(atom, locale, text)
        if found.ok != (expected == "yes") or bool(found.reason) == found.ok:
            wrong.append(f"{atom} | {locale} | {text} | {expected}: {found}")
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_rows() -> None:
    assert sum(len(rows(file)) for file in FILES) >= 150
