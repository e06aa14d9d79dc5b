"""Who is evaluated: programs, callables, and the built-in agents."""
