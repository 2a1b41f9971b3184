"""Alpha-beta and Monte Carlo tree search, compiled."""
