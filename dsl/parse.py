"""Text to syntax, by the grammars in `grammar/`; the only module that knows Lark."""

from __future__ import annotations

import ast
import re
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.exceptions import VisitError
from lark.indenter import DedentError, Indenter

from shopdsl.dsl import syntax as s

MAX_LENGTH = 8_000
MAX_NESTING = 60
MAX_DEPTH = 250


class ParseError(Exception):
    """A text that the grammar does not accept: `offset`, what was found there, and what would have been right."""

    def __init__(self, message: str, offset: int, width: int = 1, expected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.offset, self.width, self.expected = message, offset, width, expected


class TooLong(ParseError):
    """A text past the limits of length or nesting."""


def parse_expression(text: str) -> s.Expr:
    """One expression.

    Raises ParseError, with the offset of the first character that does not fit.
    """
    result: s.Expr = _run("plain", text)
    return result


def parse_program(text: str) -> tuple[s.Statement, ...]:
    """A reveal program; raises ParseError."""
    result: tuple[s.Statement, ...] = _run("program", text)
    return result


def parse_effect(text: str) -> tuple[s.Statement, ...]:
    """An effect of a tool; raises ParseError."""
    result: tuple[s.Statement, ...] = _run("effect", text)
    return result


class _Blocks(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: list[str] = ["LPAR", "LSQB", "LBRACE"]  # noqa: RUF012 - named so by lark
    CLOSE_PAREN_types: list[str] = ["RPAR", "RSQB", "RBRACE"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


@cache
def _parser(grammar: str) -> Lark:
    folder = files("shopdsl.dsl") / "grammar"
    text = (folder / f"{grammar}.lark").read_text("utf-8") + (folder / "expression.lark").read_text("utf-8")
    post = None if grammar == "plain" else _Blocks()
    return Lark(text, parser="lalr", postlex=post, propagate_positions=True, maybe_placeholders=True)


def _run(grammar: str, text: str) -> Any:
    _limit(text)
    if not text.strip():
        raise ParseError("it is empty", 0)
    body = text if grammar == "plain" else text.rstrip() + "\n"
    try:
        tree = _parser(grammar).parse(body)
        _limit_depth(tree)
        return _Build().transform(tree)
    except DedentError:
        raise ParseError("the indentation does not fit any line above", len(text.rstrip()) - 1) from None
    except UnexpectedInput as error:
        raise _explain(error, body) from None
    except VisitError as error:
        if isinstance(error.orig_exc, ParseError):
            raise error.orig_exc from None
        raise


def _limit(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise TooLong(f"it has {len(text):,} characters, more than {MAX_LENGTH:,}", MAX_LENGTH)
    depth = 0
    for offset, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth > MAX_NESTING:
            raise TooLong(f"it has more than {MAX_NESTING} brackets inside each other", offset)


def _limit_depth(tree: Tree[Token]) -> None:
    """Operators nest without brackets too; the walks over a tree are recursive, so that its depth must be bounded here."""
    stack: list[tuple[Tree[Token], int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        depth += max(1, len(node.children) // 2) if node.data in _CHAINS else 1
        if depth > MAX_DEPTH:
            raise TooLong("its operators nest too deeply", 0 if node.meta.empty else node.meta.start_pos)
        stack += [(c, depth) for c in node.children if isinstance(c, Tree)]


_CHAINS = ("sum", "product", "union", "intersection", "fallback")
_NAMES = {"NAME": "a name", "NUMBER": "a number", "STRING": "a text", "MONEY": "an amount", "PERCENT": "a percentage",
          "QUANTITY": "a duration", "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "LBRACE": "`{`", "RBRACE": "`}`",
          "COMMA": "`,`", "COLON": "`:`", "DOT": "`.`", "EQUAL": "`=`", "_NL": "the end of the line", "_INDENT": "an indented block",
          "_DEDENT": "the end of the block", "$END": "the end", "ADD_OP": "`+` or `-`", "MUL_OP": "`*` or `/`", "POW": "`**`"}  # fmt: skip


def _explain(error: UnexpectedInput, text: str) -> ParseError:
    expected = tuple(
        sorted(
            {_NAMES[t] for t in _wanted(error) if t in _NAMES},
            key=lambda n: (n != "a name", not n.startswith(("a ", "an ", "the ")), n),
        )
    )
    if isinstance(error, UnexpectedCharacters):
        offset = error.pos_in_stream or 0
        for wrong, right in _SPELT.items():
            if text.startswith(wrong, offset):
                return ParseError(f"`{wrong}` does not belong here", offset, len(wrong), (right,))
        return ParseError(f"`{text[offset]}` does not belong here", offset, 1, expected)
    if isinstance(error, UnexpectedToken) and error.token.type not in ("$END", "_NL", "_DEDENT"):
        offset, found = error.token.start_pos or 0, str(error.token)
        before = text[:offset].rstrip()
        if before.endswith(("&", "|")) and found == before[-1]:
            word = "and" if found == "&" else "or"
            return ParseError(f"`{found}{found}` does not belong here", offset - 1, 2, (f"`{word}`",))
        if found == "not" and re.search(r"\bis$", before):
            return ParseError("`is not` does not belong here", len(before) - 2, 2, ("`!=`",))
        if found == "=":
            return ParseError("`=` does not belong here", offset, 1, ("`==` to compare",))
        if error.token.type == "_INDENT":
            return ParseError("this line is indented without a reason", min(offset, len(text) - 1), 1, expected)
        return ParseError(f"`{found}` does not belong here", offset, len(found), expected)
    last = len(text.rstrip())
    token = error.token if isinstance(error, UnexpectedToken) else None
    offset = last if token is None or token.type == "$END" or token.start_pos is None else token.start_pos
    return ParseError("it ends too early" if offset >= last else "the line ends too early", offset, 1, expected)


def _wanted(error: UnexpectedInput) -> set[str]:
    return set(getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None) or ())


_SPELT = {"&&": "`and`", "||": "`or`", "!=": "`!=`", "!": "`not`", "%": "`mod(a, b)` for a remainder"}
_MINUTES = {"day": 1440, "hour": 60, "minute": 1}


class _Build(Transformer[Token, Any]):
    """Turns Lark's trees into `syntax`, one method a rule."""

    def _call_userfunc(self, tree: Tree[Token], new_children: list[Any] | None = None) -> Any:
        children = new_children if new_children is not None else tree.children
        method = getattr(self, tree.data, None)
        if method is None:
            raise AssertionError(tree.data)
        meta = tree.meta
        at = (0, 0) if meta.empty else (meta.start_pos, meta.end_pos)
        return method(at, [c for c in children if c is not None] if tree.data in _COMPACT else list(children))

    def start(self, at: s.At, c: list[Any]) -> Any:
        return c[0] if len(c) == 1 and not isinstance(c[0], s.Statement) else tuple(c)

    # literals
    def number(self, at: s.At, c: list[Any]) -> s.Literal:
        text = c[0].replace("_", "")
        value = Decimal(text)
        if len(text) > 30 or abs(value.adjusted()) > 30:
            raise ParseError(f"the number `{text}` is too large", at[0], at[1] - at[0])
        return s.Literal(at, int(text) if text.isdigit() else value)

    def percent(self, at: s.At, c: list[Any]) -> s.Literal:
        return s.Literal(at, Decimal(c[0][:-1]) / 100)

    def money(self, at: s.At, c: list[Any]) -> s.MoneyLiteral:
        return s.MoneyLiteral(at, Decimal(c[0][1:].replace(",", "")), c[0][0])

    def quantity(self, at: s.At, c: list[Any]) -> s.DurationLiteral:
        amount, unit = c[0].split(" ")
        return s.DurationLiteral(at, Decimal(amount) * _MINUTES[unit.rstrip("s")])

    def string(self, at: s.At, c: list[Any]) -> s.Literal | s.Regex:
        text = str(c[0])
        if text.startswith("r"):
            return s.Regex(at, text[2:-1])
        return s.Literal(at, _unescape(text, at))

    def true(self, at: s.At, c: list[Any]) -> s.Literal:
        return s.Literal(at, True)

    def false(self, at: s.At, c: list[Any]) -> s.Literal:
        return s.Literal(at, False)

    def none(self, at: s.At, c: list[Any]) -> s.Literal:
        return s.Literal(at, None)

    # names and what follows them
    def name(self, at: s.At, c: list[Any]) -> s.Name:
        return s.Name(at, str(c[0]))

    def attribute(self, at: s.At, c: list[Any]) -> s.Attribute:
        return s.Attribute(at, c[0], str(c[1]), _at(c[1]))

    def index(self, at: s.At, c: list[Any]) -> s.Index:
        return s.Index(at, c[0], c[1])

    def slice(self, at: s.At, c: list[Any]) -> s.Slice:
        return s.Slice(at, c[0], c[1], c[3])

    def call(self, at: s.At, c: list[Any]) -> s.Call:
        args, keywords, clauses = c[1] if len(c) > 1 and c[1] is not None else ((), (), ())
        return s.Call(at, str(c[0]), _at(c[0]), args, keywords, clauses)

    def arguments(self, at: s.At, c: list[Any]) -> Any:
        keywords = tuple(x for x in c if isinstance(x, s.Keyword))
        return tuple(x for x in c if not isinstance(x, s.Keyword)), keywords, ()

    def generator(self, at: s.At, c: list[Any]) -> Any:
        return (c[0],), tuple(x for x in c if isinstance(x, s.Keyword)), tuple(x for x in c if isinstance(x, s.Clause))

    def keyword(self, at: s.At, c: list[Any]) -> s.Keyword:
        return s.Keyword(_at(c[0]), str(c[0]), c[1])

    # operators
    def if_else(self, at: s.At, c: list[Any]) -> s.IfElse:
        return s.IfElse(at, c[1], c[0], c[2])

    def or_(self, at: s.At, c: list[Any]) -> s.Expr:
        return c[0] if len(c) == 1 else s.Logic(at, "or", tuple(c))

    def and_(self, at: s.At, c: list[Any]) -> s.Expr:
        return c[0] if len(c) == 1 else s.Logic(at, "and", tuple(c))

    def not_(self, at: s.At, c: list[Any]) -> s.Not:
        return s.Not(at, c[0])

    def comp_op(self, at: s.At, c: list[Any]) -> str:
        return " ".join(str(x) for x in c)

    def comparison(self, at: s.At, c: list[Any]) -> s.Compare:
        return s.Compare(at, tuple(c[1::2]), tuple(c[0::2]))

    def fallback(self, at: s.At, c: list[Any]) -> s.Expr:
        return _fold("??", c)

    def union(self, at: s.At, c: list[Any]) -> s.Expr:
        return _fold("|", c)

    def intersection(self, at: s.At, c: list[Any]) -> s.Expr:
        return _fold("&", c)

    def sum(self, at: s.At, c: list[Any]) -> s.Expr:
        return _chain(c)

    def product(self, at: s.At, c: list[Any]) -> s.Expr:
        return _chain(c)

    def power(self, at: s.At, c: list[Any]) -> s.Expr:
        return _chain(c)

    def negative(self, at: s.At, c: list[Any]) -> s.Negative:
        return s.Negative(at, c[0])

    # collections
    def list_(self, at: s.At, c: list[Any]) -> s.Items:
        return s.Items(at, "list", tuple(c))

    def set_(self, at: s.At, c: list[Any]) -> s.Items:
        return s.Items(at, "set", tuple(c))

    def map_(self, at: s.At, c: list[Any]) -> s.Entries:
        return s.Entries(at, tuple(c))

    def entry(self, at: s.At, c: list[Any]) -> tuple[s.Expr, s.Expr]:
        return c[0], c[2]

    def list_of(self, at: s.At, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(at, "list", None, c[0], tuple(c[1:]))

    def set_of(self, at: s.At, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(at, "set", None, c[0], tuple(c[1:]))

    def map_of(self, at: s.At, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(at, "map", c[0][0], c[0][1], tuple(c[1:]))

    def clause(self, at: s.At, c: list[Any]) -> s.Clause:
        return s.Clause(at, str(c[0]), _at(c[0]), c[1], tuple(c[2:]))

    def condition(self, at: s.At, c: list[Any]) -> s.Expr:
        return c[0]  # type: ignore[no-any-return]

    # programs and effects
    def suite(self, at: s.At, c: list[Any]) -> tuple[s.Statement, ...]:
        return tuple(c)

    def let(self, at: s.At, c: list[Any]) -> s.Let:
        return s.Let(at, str(c[0]), c[1])

    def choose(self, at: s.At, c: list[Any]) -> s.If:
        bodies = [x for x in c[1:] if isinstance(x, tuple)]
        return s.If(at, c[0], bodies[0], bodies[1] if len(bodies) > 1 else ())

    def for_each(self, at: s.At, c: list[Any]) -> s.ForEach:
        return s.ForEach(at, str(c[0]), c[1], c[-1])

    def interleave(self, at: s.At, c: list[Any]) -> s.Interleave:
        return s.Interleave(at, str(c[0]), c[1], int(c[2]) if c[2] is not None else None, c[-1])

    def maybe(self, at: s.At, c: list[Any]) -> s.Maybe:
        return s.Maybe(at, c[0], c[-1])

    def repeat(self, at: s.At, c: list[Any]) -> s.Repeat:
        return s.Repeat(at, c[0], c[2], c[3], c[-1])

    def others(self, at: s.At, c: list[Any]) -> s.Others:
        return s.Others(at)

    def about(self, at: s.At, c: list[Any]) -> tuple[str, s.Expr]:
        return "about", c[0]

    def to(self, at: s.At, c: list[Any]) -> tuple[str, s.Expr]:
        return "to", c[0]

    def until(self, at: s.At, c: list[Any]) -> tuple[str, s.Expr]:
        return "until", c[0]

    def beat(self, at: s.At, c: list[Any]) -> s.BeatCall:
        operands: dict[str, s.Expr] = dict(x for x in c[1:] if isinstance(x, tuple))
        of = next((x for x in c[1:] if x is not None and not isinstance(x, tuple)), None)
        return s.BeatCall(at, str(c[0]), _at(c[0]), of, operands.get("about"), operands.get("to"), operands.get("until"))

    def assign(self, at: s.At, c: list[Any]) -> s.Assign:
        return s.Assign(at, c[0], str(c[1]), c[2])

    def operation(self, at: s.At, c: list[Any]) -> s.Operation:
        return s.Operation(at, str(c[0]), c[1], *((str(c[2]), c[3]) if len(c) > 3 and c[3] is not None else ("", None)))


_COMPACT = {"arguments", "generator", "list_", "set_", "map_", "beat"}


def _at(token: Token) -> s.At:
    return token.start_pos or 0, token.end_pos or 0


def _fold(op: str, parts: list[s.Expr]) -> s.Expr:
    result = parts[0]
    for part in parts[1:]:
        result = s.Binary((result.at[0], part.at[1]), op, result, part)
    return result


def _chain(c: list[Any]) -> s.Expr:
    result = c[0]
    for op, right in zip(c[1::2], c[2::2], strict=True):
        result = s.Binary((result.at[0], right.at[1]), str(op), result, right)
    return result  # type: ignore[no-any-return]


_KNOWN_ESCAPE = re.compile(r"\\(.)")


def _unescape(text: str, at: s.At) -> str:
    for match in _KNOWN_ESCAPE.finditer(text):
        if match[1] not in "\\\"'nt":
            raise ParseError(f"`\\{match[1]}` is not an escape", at[0] + match.start(), 2, ("`\\n`", "`\\t`", "`\\\\`", '`\\"`'))
    return str(ast.literal_eval(text))
