"""Findings as data: codes, diagnostics, the sink that collects them, and how they are shown."""

from shopdsl.dsl.diagnostics.codes import CODES, Code
from shopdsl.dsl.diagnostics.diagnostic import Diagnostic, Sink, nearest

__all__ = ["CODES", "Code", "Diagnostic", "Sink", "nearest"]
