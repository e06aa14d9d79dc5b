"""What a case expects, as trees of typed atoms: parsed, checked, made data of a plan."""
