"""Columns of a terminal."""

from __future__ import annotations

from shopdsl.dsl.terminal import columns, padded


def test_signs_of_chinese_take_two_columns() -> None:
    assert [columns(t) for t in ("abc", "操作前查过单", "a单", "e\u0301")] == [3, 12, 3, 1]
    assert [columns(padded(t, 14)) for t in ("abc", "操作前查过单")] == [14, 14]


def test_what_is_wider_stays_as_it_is() -> None:
    assert padded("操作前查过单", 4) == "操作前查过单"
