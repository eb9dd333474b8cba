"""Pickles of earlier versions, which name modules and classes that have been renamed since."""

from __future__ import annotations

import sys
from types import ModuleType

from mercer import _custom, _kernel_parts, _pairwise

# Module and name in the pickle, and the class now.
_RENAMED = {
    ("mercer._own", "Function"): _custom.Function,
    ("mercer._own", "Store"): _custom.Store,
    ("mercer._kernel_parts", "Own"): _kernel_parts.Custom,
    ("mercer._pairwise", "Nobody"): _pairwise._NullEstimator,
}

for (_module, _name), _class in _RENAMED.items():
    setattr(sys.modules.setdefault(_module, ModuleType(_module)), _name, _class)
