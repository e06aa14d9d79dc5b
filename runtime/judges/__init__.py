"""Judges: what they say of a conversation, and how far that is to be trusted."""
