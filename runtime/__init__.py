"""The runtime: from a plan to trial records, scores and reports; it knows no YAML and no grammar."""
