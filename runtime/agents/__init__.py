"""Who is evaluated: programs, callables, servers, models, assistants that call tools over MCP, and the built-in agents."""
