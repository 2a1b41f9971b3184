"""Benchmarks: ``python -m boop_env.bench``."""
