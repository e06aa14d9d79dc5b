"""The simulated shop: state, tools, search."""
