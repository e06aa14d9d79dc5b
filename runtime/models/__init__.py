"""Models behind endpoints: who serves them, how fast they may be asked, what they cost, and what is done when they do not answer."""
