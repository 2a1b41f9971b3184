"""Bots: anything that chooses moves, from random to search, and the specs that name them."""
