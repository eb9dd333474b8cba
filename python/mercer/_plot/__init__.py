"""Pictures of fitted estimators, in the manner of scikit-learn's displays.

Each file draws one picture; `theme` has the colours, `plane` the planes and grids, `labels` places
texts. matplotlib is imported where something is drawn, and nowhere else.
"""

from mercer._plot.boundary import BoundaryDisplay
from mercer._plot.cluster import ClusterDisplay
from mercer._plot.component import ComponentDisplay
from mercer._plot.contribution import ContributionDisplay
from mercer._plot.denoising import DenoisingDisplay
from mercer._plot.dependence import DependenceDisplay
from mercer._plot.embedding import EmbeddingDisplay
from mercer._plot.gram import GramDisplay
from mercer._plot.importance import ImportanceDisplay
from mercer._plot.influence import InfluenceDisplay
from mercer._plot.kmer import KmerDisplay
from mercer._plot.outlier import OutlierDisplay
from mercer._plot.outlier_columns import OutlierColumnsDisplay
from mercer._plot.path import PathDisplay
from mercer._plot.spectrum import SpectrumDisplay

__all__ = [
    "BoundaryDisplay",
    "ClusterDisplay",
    "ComponentDisplay",
    "ContributionDisplay",
    "DenoisingDisplay",
    "DependenceDisplay",
    "EmbeddingDisplay",
    "GramDisplay",
    "ImportanceDisplay",
    "InfluenceDisplay",
    "KmerDisplay",
    "OutlierColumnsDisplay",
    "OutlierDisplay",
    "PathDisplay",
    "SpectrumDisplay",
]
