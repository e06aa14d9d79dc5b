"""Benchmarks for shopping agents, written as specs: a language, a compiler and a runtime."""

__version__ = "0.1.0"
