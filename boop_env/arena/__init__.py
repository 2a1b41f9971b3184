"""Matches between bots, ratings fitted to them, and the ladder."""
