"""The language: how a spec is read, parsed and typed, and what every name in it means."""
