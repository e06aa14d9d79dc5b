"""The simulated customer: what is to be said, the words for it, and how they are written."""
