"""The sentence that says a promotion, in English and Chinese, from its data."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Literal

from shopdsl.dsl.library.pricing.rules import Condition, Rule, Step

_ONCE_ZH = {"order": "每单", "seller": "每店", "category": "每个品类", "product": "每种商品"}
_COUNTED_ZH = {"product": "种商品", "seller": "家店铺", "category": "个品类", "order": "单"}
_TARGET_ZH = {"order": "全单", "seller": "单店", "category": "单个品类", "product": "单品"}


def sentence(rule: Rule, currency_sign: str, language: Literal["en", "zh"]) -> str:
    """What a rule says to customers, made from its data alone; `say` and the name are not looked at.

    Groups that it stacks with are called as they are written. The last day of validity is named, not the first day without.
    """
    if language == "zh":
        return "，".join(filter(None, _chinese(rule, currency_sign)))
    return "; ".join(filter(None, _english(rule, currency_sign)))


def _english(rule: Rule, sign: str) -> list[str]:
    tiers = [_tier_en(rule, step, sign) for step in rule.steps]
    whole = ", or ".join(tiers) + (", whichever is more" if len(tiers) > 1 else "")
    groups = sorted(rule.stacks_with or ())
    stacking = (
        ""
        if rule.stacks_with is None
        else f"only with {' or '.join(groups)} promotions"
        if groups
        else "not with other promotions"
    )
    return [
        whole,
        "of what earlier promotions leave" if rule.base == "running" else "",
        "" if rule.cap is None else f"at most {sign}{_money(rule.cap)}",
        "on selected products" if rule.only is not None else "",
        f"for one {rule.scope} in each {rule.once_per}" if _once(rule) else "",
        stacking,
        _days_en(rule),
    ]


def _tier_en(rule: Rule, step: Step, sign: str) -> str:
    what = {
        "order": "orders",
        "seller": f"purchases from {rule.of or 'one seller'}",
        "category": f"purchases in {rule.of or 'one category'}",
        "product": "purchases of one product",
    }[rule.scope]
    amount = f"{_number(step.percent)}%" if step.percent is not None else f"{sign}{_money(step.take or Decimal(0))}"
    every = "" if step.each is None else f"every {sign}{_money(step.each)} of "
    needs = " and ".join(_condition_en(c, sign) for c in step.when)
    return f"{amount} off {every}{what}" + (f" of {needs}" if needs else "")


def _condition_en(condition: Condition, sign: str) -> str:
    subtotal = condition.measure == "subtotal"
    amount = f"{sign}{_money(condition.amount)}" if subtotal else _number(condition.amount)
    unit = "" if subtotal else " unit" if condition.amount == 1 else " units"
    return f"{amount} or more{unit}" if condition.op == ">=" else f"more than {amount}{unit}"


def _days_en(rule: Rule) -> str:
    first = f"from {rule.valid_from}" if rule.valid_from else ""
    last = f"to {rule.valid_until - timedelta(days=1)}" if rule.valid_until else ""
    return f"valid {' '.join(filter(None, (first, last)))}" if first or last else ""


def _chinese(rule: Rule, sign: str) -> list[str]:
    target = rule.of or _TARGET_ZH[rule.scope]
    tiers = [_tier_zh(step, sign) for step in rule.steps]
    groups = sorted(rule.stacks_with or ())
    stacking = f"仅可与{'、'.join(groups)}优惠同用" if groups else "不可与其他优惠同用"
    return [
        target + "或".join(tiers) + ("（取最优一档）" if len(tiers) > 1 else ""),
        "按其他优惠后的金额计算" if rule.base == "running" else "",
        "" if rule.cap is None else f"最多减{_yuan(rule.cap, sign)}",
        "限指定商品" if rule.only is not None else "",
        f"{_ONCE_ZH[rule.once_per]}限用于一{_COUNTED_ZH[rule.scope]}" if _once(rule) else "",
        "" if rule.stacks_with is None else stacking,
        _days_zh(rule),
    ]


def _tier_zh(step: Step, sign: str) -> str:
    needs = "且".join(_condition_zh(c, sign) for c in step.when)
    if step.percent is not None:
        return needs + ("免单" if step.percent == 100 else f"打{_number((100 - step.percent) / 10)}折")
    every = "" if step.each is None else f"每满{_yuan(step.each, sign)}"
    return f"{needs}{every}减{_yuan(step.take or Decimal(0), sign)}"


def _condition_zh(condition: Condition, sign: str) -> str:
    amount = _yuan(condition.amount, sign) if condition.measure == "subtotal" else f"{_number(condition.amount)}件"
    return ("满" if condition.op == ">=" else "超过") + amount


def _days_zh(rule: Rule) -> str:
    first = f"{rule.valid_from}起" if rule.valid_from else ""
    last = f"至{rule.valid_until - timedelta(days=1)}" if rule.valid_until else ""
    return f"{first}{last}有效" if first or last else ""


def _once(rule: Rule) -> bool:
    """Whether the limit of applications is wider than the scope, so that it binds."""
    if rule.scope == "product":
        return rule.once_per not in ("none", "product")
    return rule.scope != "order" and rule.once_per == "order"


def _yuan(amount: Decimal, sign: str) -> str:
    return f"{_money(amount)}元" if sign == "¥" else f"{sign}{_money(amount)}"


def _money(amount: Decimal) -> str:
    """Whole, or with two places."""
    return f"{amount:,.0f}" if amount == amount.to_integral_value() else f"{amount:,.2f}"


def _number(amount: Decimal) -> str:
    """Without zeros that say nothing."""
    return f"{amount.normalize():f}"
