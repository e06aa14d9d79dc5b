"""One file a kind of document: what it must be, and what of it goes into a plan."""
