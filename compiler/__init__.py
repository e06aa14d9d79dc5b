"""The compiler: from a package of specs to a plan, one pass a file."""
