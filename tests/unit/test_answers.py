"""Free text against typed expectations: reasons, places, numbers, and laws; single cases are rows in tests/golden/answers."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopdsl.dsl.library.answers import asserted, choice, closed, first, folded, money, numbers, place, quantity, requests, says
from shopdsl.dsl.library.answers.folding import MAX_TEXT, flat
from shopdsl.dsl.library.answers.numerals import chinese, decimal_comma, digits
from shopdsl.dsl.library.answers.units import UNITS
from shopdsl.dsl.library.answers.wording import MONTHS
from shopdsl.dsl.values import Money

YUAN = Money(549, "CNY")


def spoken(value: int) -> str:
    """A number up to 99,999 as Chinese writes it."""
    parts, gap = "", False
    for name, size in (("万", 10_000), ("千", 1_000), ("百", 100), ("十", 10), ("", 1)):
        digit = value // size % 10
        if digit:
            parts += ("零" if gap and parts else "") + "零一二三四五六七八九"[digit] + name
        gap = not digit
    return parts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("券后599元", "no ¥549.00; it quotes 599元"),
        ("券后599元，原价699元", "no ¥549.00; it quotes 599元"),
        ("it is $549", "no ¥549.00; it quotes $549"),
        ("不是 549 元", '"549 元" stands there, negated'),
        ("是549元吗？", '"549元" stands there, but only asked for or reported as a wish'),
        ("你好", "no ¥549.00; it quotes no sum of money"),
        ("", "no ¥549.00; it quotes no sum of money"),
    ],
)
def test_why_a_sum_is_not_quoted(text: str, reason: str) -> None:
    assert money(text, YUAN, "zh").reason == reason


def test_why_the_rest_does_not_hold() -> None:
    assert quantity("It weighs 2.4 kg.", Decimal("1.2"), "kg", "en").reason == "no 1.2 kg; it quotes 2.4 kg"
    assert quantity("送3件", Decimal(2), "件", "zh").reason == "no 2件; it quotes 3件"
    assert quantity("", Decimal(2), "kg", "en").reason == "no 2 kg; it quotes no number of kg"
    assert says("并非不能叠加", "不能叠加", "zh").reason == '"不能叠加" stands there, negated'
    assert says("你好", "叠加", "zh").reason == 'it says nothing of "叠加"'
    assert says("a b", " .", "en").reason == "there is no phrase to look for"
    assert place("it will", "IL", "en").reason == 'it says nothing of "IL"'
    assert choice("red or blue", "red", ["red", "blue"], "en").reason == 'it names "blue" beside "red"'
    assert choice("blue", "red", ["red", "blue"], "en").reason == 'it says nothing of "red"; it names "blue"'


def test_nothing_to_look_for() -> None:
    assert not says("anything", "", "en").ok
    assert asserted("anything", [], "en") == []
    assert not choice("anything", "red", [], "en").ok
    assert choice("red", "red", [], "en").ok
    assert first("anything", [], "en") is None


def test_numbers_have_places_units_and_negations() -> None:
    text = "Ｎot $1,299.00, but 1.2 KG and 三件 in two days (#W7)."
    found = numbers(text, "en")
    assert [(n.value, n.unit, n.currency, n.negated) for n in found] == [
        (Decimal("1299.00"), "", "USD", True),
        (Decimal("1.2"), "kg", "", False),
        (Decimal(3), "piece", "", False),
        (Decimal(2), "day", "", False),
    ]
    assert [folded(text)[n.start : n.end] for n in found] == ["$1,299.00", "1.2 kg", "三件", "two days"]


def test_ranges_share_a_unit_and_ids_are_no_numbers() -> None:
    assert [(n.value, n.unit, n.currency) for n in numbers("3-5 days, $20-30, 2549-1, 1-800-555", "en")] == [
        (Decimal(3), "day", ""),
        (Decimal(5), "day", ""),
        (Decimal(20), "", "USD"),
        (Decimal(30), "", "USD"),
    ]


def test_what_only_bounds_or_is_only_hoped_for_says_so() -> None:
    bound = '"7天" stands there, but only as a bound, or as what is saved or missing'
    assert quantity("超过7天", Decimal(7), "天", "zh").reason == bound
    ahead = '"取消成功" stands there, but only hoped for, feared or still to come'
    assert says("希望取消成功", "取消成功", "zh").reason == ahead


def test_a_phrase_is_said_without_its_gaps() -> None:
    phrases = ["不能…叠加", "cannot … combined", "can...not", "满…减…元", "用 … Pro", "叠加…", "…", "a,b"]
    said = ["不能叠加", "cannot combined", "can not", "满减元", "用Pro", "叠加…", "…", "a,b"]
    assert [closed(phrase) for phrase in phrases] == said
    assert all(says(text, phrase, "zh").ok for text, phrase in list(zip(said, phrases, strict=True))[:5])


@given(st.text(st.sampled_from("很再和店铺券a b,，。不"), max_size=12))
def test_a_gap_spans_a_few_words_without_punctuation_or_denial(between: str) -> None:
    signs, words = (
        sum(c > "\u3000" and c != "，" for c in between),
        len([w for w in "".join(" " if c > "z" else c for c in between).split() if w]),
    )
    spans = signs <= 8 and words <= 3 and not set(between) & set(",，。不")
    assert says(f"可以{between}叠加", "可以…叠加", "zh").ok == spans


@given(st.integers(0, 99), st.integers(1, 99), st.sampled_from(["公斤", "升", "元"]))
def test_decimals_with_a_spoken_point_read_back(whole: int, part: int, unit: str) -> None:
    wanted = Decimal(f"{whole}.{part}")
    figures = "".join("零一二三四五六七八九"[int(c)] for c in str(part))
    for text in (f"是{spoken(whole) or '零'}点{figures}{unit}", f"是{whole}点{part}{unit}"):
        assert [n.value for n in numbers(text, "zh")] == [wanted]


def test_what_the_customer_is_asked() -> None:
    text = "好的。请问您：\n- 几个人\n- 预算多少\n请放心。预算多少呀～"
    assert requests(text) == ["请问您：", "几个人", "预算多少", "预算多少呀～"]


def test_the_first_asserted_hit_of_any_phrase() -> None:
    text = "Can I change it? I cannot change it; I found the order, so I will change it."
    found = first(text, ["change it", "will"], "en")
    assert found is not None
    assert (found.start, found.end) == (text.index("will change"), text.index("will change") + 4)
    assert first(text, ["refund", "Can I"], "en") is None
    chinese_text = "我不能帮您修改地址，但我会帮您拦截"
    hit = first(chinese_text, ["帮您修改地址", "帮您拦截"], "zh")
    assert hit is not None
    assert folded(chinese_text)[hit.start : hit.end] == "帮您拦截"


def test_places_are_those_of_the_folded_text_where_folding_changes_lengths() -> None:
    text = "ß½ﬁ İ ™ ﷺ … “stack”"
    hit = first(text, ["stack"], "en")
    assert hit is not None
    assert folded(text)[hit.start : hit.end] == "stack"


def test_chinese_numerals_read_back() -> None:
    for value in [*range(1, 1_200), *range(1_200, 100_000, 37), 99_999]:
        assert chinese(spoken(value)) == value
    assert [chinese(t) for t in ("十五", "五百五", "一万二", "三千五", "二〇二六", "两百", "一百零五")] == [
        15,
        550,
        12_000,
        3_500,
        2026,
        200,
        105,
    ]
    assert [chinese(t) for t in ("两三", "百", "万", "三五百", "十万")] == [None] * 5


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(["en", "zh", "de", "fr", "es-MX", "pt_BR"]))
def test_digits_read_back_as_the_locale_writes_them(whole: int, cents: int, locale: str) -> None:
    written = f"{whole:,}.{cents:02}"
    if decimal_comma(locale):
        written = written.translate(str.maketrans(",.", ".,"))
    assert digits(written, locale) == Decimal(whole) + Decimal(cents) / 100


@given(st.integers(1, 99_999), st.integers(1, 99_999))
def test_a_sum_is_quoted_only_as_itself(stands: int, wanted: int) -> None:
    texts = [f"券后{stands}元", f"券后¥{stands:,}", f"到手{stands}.00", f"券后{spoken(stands)}元", f"人民币{stands}"]
    assert {money(text, Money(wanted, "CNY"), "zh").ok for text in texts} == {stands == wanted}
    assert {money(text, Money(stands, "CNY"), "zh").ok for text in texts} == {True}


@given(st.integers(1, 9_999), st.integers(1, 99))
def test_jiao_and_fen_are_read_with_their_sum(whole: int, cents: int) -> None:
    wanted = Money(Decimal(whole) + Decimal(cents) / 100, "CNY")
    jiao, fen = divmod(cents, 10)
    parts = [f"{'零一二三四五六七八九'[jiao]}角" if jiao else "零", f"{'零一二三四五六七八九'[fen]}分" if fen else ""]
    for text in (f"一共{spoken(whole)}元{''.join(parts)}。", f"一共{whole}元{''.join(parts)}。"):
        assert money(text, wanted, "zh").ok
        assert not money(text, Money(whole, "CNY"), "zh").ok


@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from(["元券", "天", "件装"]))
def test_a_numeral_in_a_phrase_has_one_spelling(stands: int, wanted: int, unit: str) -> None:
    texts = [f"这是{stands}{unit}哦", f"这是{spoken(stands)}{unit}哦"]
    phrases = [f"{wanted}{unit}", f"{spoken(wanted)}{unit}"]
    assert {says(text, f"是{phrase}", "zh").ok for text in texts for phrase in phrases} == {stands == wanted}


@given(st.integers(1, 12), st.integers(1, 28), st.integers(1, 12), st.integers(1, 28))
def test_a_date_in_a_phrase_has_one_spelling(month: int, day: int, other: int, late: int) -> None:
    names = [name.title() for name in MONTHS if len(name) > 4 or name in ("may", "june", "july")]
    texts = [
        f"{names[month - 1]} {day}",
        f"{day} {names[month - 1]}",
        f"{names[month - 1][:3]}. {day}th, 2026",
        f"2026-{month:02}-{day:02}",
    ]
    assert {says(f"It ends by {t}!", f"{names[other - 1]} {late}", "en").ok for t in texts} == {(month, day) == (other, late)}


LISTS = st.lists(
    st.sampled_from(
        ["甲机", "乙机", "比", "和", "、", "，", "都轻", "相比", "与", "卖完了", "不推荐", "。", "但", "推荐", "(1 斤)"]
    )
)


@given(LISTS.map("".join))
@settings(max_examples=300)
def test_any_mentions_are_asserted_or_not(text: str) -> None:
    named = asserted(text, ["甲机", "乙机"], "zh")
    assert all(name in text for name in named)
    # what comes in a sentence of its own changes nothing
    assert asserted(f"{text}。好。", ["甲机", "乙机"], "zh") == named
    assert asserted(f"好。{text}", ["甲机", "乙机"], "zh") == named


@given(st.sampled_from(["kg", "g", "lb", "oz", "mg"]), st.sampled_from(["kg", "g", "lb", "oz", "mg"]), st.integers(1, 5_000))
def test_units_convert_by_their_sizes(one: str, other: str, count: int) -> None:
    grams = {
        "kg": Decimal(1000),
        "g": Decimal(1),
        "lb": Decimal("453.59237"),
        "oz": Decimal("28.349523125"),
        "mg": Decimal("0.001"),
    }
    same = count * grams[one] == count * grams[other]
    assert quantity(f"It weighs {count} {other}.", Decimal(count), one, "en").ok == same


def test_every_spelling_of_a_unit_is_read_as_it() -> None:
    for spelling, unit in UNITS.items():
        text = f"5{spelling}" if spelling in ("in", '"') or not spelling.isascii() else f"5 {spelling}"
        assert [(n.value, n.unit) for n in numbers(text, "en")] == [(Decimal(5), unit.name)], spelling


@given(st.text(st.sampled_from("不能没有叠加可以，。？ not stack.,!?\n()1$元\"'-~#x"), max_size=60))
@settings(max_examples=300)
def test_any_text_gets_a_verdict_and_a_reason_where_it_fails(text: str) -> None:
    assert len(flat(text)) == len(folded(text))
    verdicts = [
        money(text, YUAN, "zh"),
        quantity(text, Decimal(1), "", "en"),
        says(text, "叠加", "zh"),
        choice(text, "stack", ["stack", "叠加"], "en"),
    ]
    assert all(bool(v.reason) != v.ok for v in verdicts)
    hit = first(text, ["叠加"], "zh")
    assert (hit is not None) == says(text, "叠加", "zh").ok
    for number in numbers(text, "en"):
        assert 0 <= number.start < number.end <= len(folded(text))


@given(st.text(max_size=80))
def test_every_text_folds_to_equal_lengths(text: str) -> None:
    assert len(flat(text)) == len(folded(text))


def test_long_texts_are_cut() -> None:
    assert says("x " * (MAX_TEXT // 2 - 5) + "stack", "stack", "en").ok
    assert not says("x " * (MAX_TEXT // 2) + "stack", "stack", "en").ok
    assert len(folded("ﷺ" * MAX_TEXT)) == MAX_TEXT


HOSTILE = ["1", "1-", "不不 叠加", "叠加不", "? ", "(", " ", "叠加、", "与叠加相比", "叠加 (", "五块五毛", "5 nov ", "五"]
HOSTILE += ["叠加比叠加暗", "叠加没有", "不能", "希望成功", "五点五", "预算多少"]


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_texts_take_linear_time(part: str) -> None:
    text = part * MAX_TEXT
    began = time.process_time()
    money(text, YUAN, "fr")
    choice(text, "叠加", ["a", "叠加"], "zh")
    says(text, part * 300, "en")
    says(text, "不能…叠加…成功", "zh")
    requests(text)
    assert time.process_time() - began < 3
