"""`python -m shopdsl.cli`."""

from shopdsl.cli import main

main()
