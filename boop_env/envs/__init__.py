"""Environments: thin adapters over the rules."""
