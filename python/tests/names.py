"""Names of parameters of tests."""

import re


def named(value):
    """The text of a value without addresses, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
