"""What the functions of the language do; `functions.py` is the table of their names and signatures."""
