"""A long run of everything at once in one process: see ``python/tests/soak.py``."""
