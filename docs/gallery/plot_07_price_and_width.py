"""
Which C and γ should a support vector machine have?
===================================================

Every pair is scored by cross-validation. The best ones lie along a ridge: a wider
kernel, of smaller γ, needs a higher cost C.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import PathDisplay, SVCSearch

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
search = SVCSearch(Cs=4.0 ** np.arange(-3, 7), gammas=4.0 ** np.arange(-8, 1)).fit(X, y)
PathDisplay.from_estimator(search)

plt.show()
