"""Training and evaluation scripts, run as ``python -m train.NAME`` from a checkout."""
