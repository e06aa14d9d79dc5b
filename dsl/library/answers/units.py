"""The units and currencies that numbers are read with: tables of spellings, longest first when they are looked for.

Units that measure the same are compared by their sizes, so 1.2 kg is 1200 g. A day is 24 hours, a week 7 days, a year 12
months; a business day is a unit of its own. Words that count things (件, 个, pcs, items) are all `piece`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_UNITS: tuple[tuple[str, str, str, str], ...] = (
    # name, what it measures, how many of the smallest, spellings with white space as `_`
    ("g", "mass", "1", "g gram grams gramme grammes 克"),
    ("mg", "mass", "0.001", "mg milligram milligrams 毫克"),
    ("kg", "mass", "1000", "kg kgs kilo kilos kilogram kilograms 千克 公斤"),
    ("斤", "mass", "500", "斤 市斤"),
    ("tonne", "mass", "1000000", "tonne tonnes 吨"),
    ("lb", "mass", "453.59237", "lb lbs pound pounds 磅"),
    ("oz", "mass", "28.349523125", "oz ounce ounces 盎司"),
    ("mm", "length", "1", "mm millimeter millimeters millimetre millimetres 毫米"),
    ("cm", "length", "10", "cm centimeter centimeters centimetre centimetres 厘米 公分"),
    ("m", "length", "1000", "m meter meters metre metres 米"),
    ("km", "length", "1000000", "km kilometer kilometers kilometre kilometres 公里 千米"),
    ("inch", "length", "25.4", "inch inches 英寸 寸 吋"),
    ("foot", "length", "304.8", "ft foot feet 英尺"),
    ("ml", "volume", "1", "ml milliliter milliliters millilitre millilitres 毫升"),
    ("l", "volume", "1000", "l liter liters litre litres 升"),
    ("fl oz", "volume", "29.5735295625", "fl_oz fl._oz fluid_ounce fluid_ounces"),
    ("second", "time", "1", "sec secs second seconds 秒 秒钟"),
    ("minute", "time", "60", "min mins minute minutes 分钟"),
    ("hour", "time", "3600", "h hr hrs hour hours 小时 个小时 钟头 个钟头"),
    ("day", "time", "86400", "d day days calendar_day calendar_days 天 日 自然日 个自然日"),
    ("week", "time", "604800", "week weeks wk wks 周 星期 个星期 礼拜 个礼拜"),
    ("business day", "business day", "1", "business_day business_days working_day working_days workday workdays 工作日 个工作日"),
    ("month", "months", "1", "month months 个月"),
    ("year", "months", "12", "year years yr yrs 年"),
    ("piece", "piece", "1", "pc pcs piece pieces item items unit units ea 件 个 只 台 部 条 张 本 支 枚 颗 款 份"),
    ("pair", "pair", "1", "pair pairs 双"),
    ("set", "set", "1", "set sets 套"),
    ("pack", "pack", "1", "pack packs package packages packet packets 包"),
    ("box", "box", "1", "box boxes 盒 箱"),
    ("bottle", "bottle", "1", "bottle bottles 瓶"),
    ("bag", "bag", "1", "bag bags 袋"),
    ("can", "can", "1", "cans 罐"),
    ("%", "%", "1", "% percent pct per_cent"),
    ("折", "折", "1", "折"),
    ("star", "star", "1", "star stars 星 颗星"),
    ("point", "point", "1", "point points pts 积分 分"),
    ("time", "time", "1", "times 次"),
    ("person", "person", "1", "person persons people 人 位 名"),
    ("instalment", "instalment", "1", "instalment instalments installment installments 期"),
    ("w", "power", "1", "w watt watts 瓦"),
    ("kw", "power", "1000", "kw kilowatt kilowatts 千瓦"),
    ("v", "v", "1", "v volt volts 伏"),
    ("hz", "hz", "1", "hz hertz 赫兹"),
    ("mah", "mah", "1", "mah 毫安时"),
    ("mb", "mb", "1", "mb megabyte megabytes"),
    ("gb", "gb", "1", "gb gigabyte gigabytes"),
    ("tb", "tb", "1", "tb terabyte terabytes"),
    # a degree without a name is one of Celsius
    ("°c", "°c", "1", "°c degrees_celsius degree_celsius degrees_c celsius 摄氏度 ° degree degrees 度"),
    ("°f", "°f", "1", "°f degrees_fahrenheit degree_fahrenheit degrees_f fahrenheit 华氏度"),
    ("clock", "clock", "1", "点 点钟 号 岁 楼 层 页 级 倍"),
)
# What makes another word of a Chinese unit: 549包邮 is 549 with free shipping, no 549 packs.
_OTHER_WORDS = {
    "包": "邮括含装裹",
    "只": "需要有是能剩用会",
    "部": "分门",
    "支": "持付",
    "点": "击评",
    "分": "期别开享",
    "次": "日",
    "本": "月店次周品商来",
    "天": "猫",
    "米": "色",
    "升": "级",
    "年": "货",
    "条": "件",
    "度": "过",
    "份": "额",
    "位": "于",
    "号": "称",
    "套": "餐",
    "级": "别",
}
_CURRENCIES_BEFORE = {
    "USD": "$ us$ usd 美元",
    "EUR": "€ eur",
    "GBP": "£ gbp",
    "CNY": "¥ rmb cny rmb¥ cny¥ cn¥ 人民币",
    "JPY": "jpy jp¥ 日元",
    "HKD": "hk$ hkd",
    "TWD": "nt$ twd",
    "CAD": "c$ ca$ cad",
    "AUD": "a$ au$ aud",
    "SGD": "s$ sgd",
    "BRL": "r$ brl",
    "INR": "₹ inr",
    "KRW": "₩ krw",
    "RUB": "₽ rub",
    "TRY": "₺",
    "CHF": "chf",
    "PLN": "pln",
    "MXN": "mx$ mxn",
    "THB": "฿ thb",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
}
_CURRENCIES_AFTER = {
    "USD": "$ usd dollar dollars us_dollar us_dollars bucks 美元 美金 美刀",
    "EUR": "€ eur euro euros 欧元",
    "GBP": "£ gbp quid 英镑",
    "CNY": "¥ 元 块 块钱 圆 元人民币 人民币 rmb cny yuan",
    "JPY": "円 日元 日圆 jpy yen",
    "HKD": "hkd 港币 港元",
    "TWD": "twd 台币 新台币",
    "CAD": "cad 加元",
    "AUD": "aud 澳元",
    "SGD": "sgd 新元",
    "INR": "₹ inr rupees",
    "KRW": "₩ krw won 원 韩元",
    "RUB": "₽ rub rubles roubles руб 卢布",
    "TRY": "₺ tl",
    "BRL": "brl reais",
    "CHF": "chf francs",
    "PLN": "zł pln",
    "MXN": "mxn pesos",
    "THB": "thb baht 泰铢",
    "SEK": "sek kr",
    "NOK": "nok",
    "DKK": "dkk",
    "CZK": "kč czk",
}
_NO_LETTER = r"(?![^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])"


def _spellings(words: str) -> list[str]:
    return [word.replace("_", " ") for word in words.split()]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its canonical name, what it measures, and its size in the smallest unit of that."""

    name: str
    measures: str
    size: Decimal


UNITS = {
    spelling: Unit(name, measures, Decimal(size))
    for name, measures, size, words in _UNITS
    for spelling in [*_spellings(words), name]
}
UNITS |= {"in": UNITS["inch"], '"': UNITS["inch"]}
BEFORE = {spelling: code for code, words in _CURRENCIES_BEFORE.items() for spelling in _spellings(words)}
AFTER = {spelling: code for code, words in _CURRENCIES_AFTER.items() for spelling in _spellings(words)}


def _ending(spelling: str) -> str:
    if spelling in _OTHER_WORDS:
        return f"{re.escape(spelling)}(?![{_OTHER_WORDS[spelling]}])"
    return re.escape(spelling) + (_NO_LETTER if spelling[-1].isalpha() and spelling[-1] < "\u0e00" else "")


def _any(spellings: list[str]) -> str:
    return "|".join(_ending(spelling) for spelling in sorted(spellings, key=len, reverse=True))


# "in" is an inch only close to its number: "14in", never "14 in stock".
UNIT_AFTER = re.compile(rf"(?:\)?[ -]?({_any([u for u in UNITS if u not in ('in', chr(34))])})|-?(in{_NO_LETTER}|\"))")
CURRENCY_AFTER = re.compile(rf"[ -]?({_any(list(AFTER))})")
CURRENCY_BEFORE = re.compile(
    rf"(?:(?<![a-z])|(?<=[^a-z]))({'|'.join(map(re.escape, sorted(BEFORE, key=len, reverse=True)))}) ?-?\Z"
)


def unit(spelling: str) -> Unit | None:
    """The unit that a folded spelling stands for; nothing where the table does not have it."""
    return UNITS.get(" ".join(spelling.split()))
