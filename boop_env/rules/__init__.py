"""The game and nothing else: layouts, rule sets, the compiled kernel, positions, `Game`."""
