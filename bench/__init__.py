"""Side-by-side comparisons of mercer with scikit-learn; start with ``python bench/run.py``."""
