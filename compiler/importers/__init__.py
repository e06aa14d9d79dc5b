"""Foreign benchmarks as specs: each importer writes a package."""
