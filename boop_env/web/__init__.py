"""Play and analyse in a browser: ``python -m boop_env.web``."""
