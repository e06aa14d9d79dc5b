"""The standard package `std`, as data."""
