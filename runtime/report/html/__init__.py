"""The report for a browser: an index of all agents and cohorts, and a page for every trial; no page needs a network."""
