"""Inspect AI plays a plan: its models answer, its logs hold the conversations. Needs the extra `inspect`; nothing else imports this package."""
