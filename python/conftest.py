"""Settings that must stand before anything imports scipy."""

import os

# scikit-learn's checks of array API input are skipped without it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
