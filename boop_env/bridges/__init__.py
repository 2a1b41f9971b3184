"""Bridges to other projects' libraries, one file each; every one needs its library installed."""
