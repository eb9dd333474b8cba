//! The number of clusters, given or to be chosen.

use std::str::FromStr;

use clap::ValueEnum;
use mercer::select::ClusterCriterion;

/// One number of clusters, or all from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterCounts {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl ClusterCounts {
    /// Whether there is nothing to choose.
    pub fn is_single(&self) -> bool {
        self.first == self.last
    }

    /// All of them, ascending.
    pub fn all(&self) -> Vec<usize> {
        (self.first..=self.last).collect()
    }
}

impl FromStr for ClusterCounts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&count| count > 0);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => {
                Ok(Self { first: first as usize, last: last as usize })
            }
            _ => {
                Err("expected a number of at least 1, or a range from least to most, e.g. 2..10"
                    .into())
            }
        }
    }
}

/// Criteria for the number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choose {
    /// Mean silhouette in feature space; the largest is chosen
    Silhouette,
    /// Gap statistic: log inertia against that of uniform data; needs columns of numbers
    Gap,
    /// Agreement of the clusters of two random subsamples (adjusted Rand index)
    Stability,
}

impl From<Choose> for ClusterCriterion {
    fn from(choose: Choose) -> Self {
        match choose {
            Choose::Silhouette => ClusterCriterion::Silhouette,
            Choose::Gap => ClusterCriterion::Gap,
            Choose::Stability => ClusterCriterion::Stability,
        }
    }
}

impl Choose {
    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Choose::Silhouette => "silhouette",
            Choose::Gap => "gap",
            Choose::Stability => "stability",
        }
    }

    /// The least number of clusters that it can compare.
    pub fn least(self) -> usize {
        if self == Choose::Gap { 1 } else { 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_ranges() {
        assert_eq!("3".parse(), Ok(ClusterCounts { first: 3, last: 3 }));
        assert_eq!("2..10".parse(), Ok(ClusterCounts { first: 2, last: 10 }));
        for wrong in ["0", "3..2", "2..", "..4", "2-4", "x", "1.5", "0..3"] {
            assert!(wrong.parse::<ClusterCounts>().is_err(), "{wrong}");
        }
    }
}
