//! How many components a model keeps.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Param, Result};

/// The number of components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Components {
    /// All.
    #[default]
    All,
    /// A fixed number.
    Count(usize),
    /// The fewest that explain this fraction of the variance, 0 < share < 1.
    Share(f64),
    /// As many as Minka's maximum likelihood estimate finds, for PCA of more samples than features.
    Mle,
}

impl Components {
    /// Refuses a count of 0, a count beyond `most`, and a share outside (0, 1).
    #[doc(hidden)]
    pub fn check(self, most: usize, limit: &str) -> Result<()> {
        let wrong = |message: String| Err(Error::parameter(Param::Components, message));
        match self {
            Components::Count(0) => wrong("must be at least 1".into()),
            Components::Count(count) if count > most => {
                wrong(format!("must be at most {most} ({limit}), got {count}"))
            }
            Components::Share(share) if !(share > 0.0 && share < 1.0) => wrong(format!(
                "a fraction of the variance must lie strictly between 0 and 1, got {share}"
            )),
            _ => Ok(()),
        }
    }
}

/// Flips the sign of each row so that its entry of largest size is positive; of several equal ones the first counts.
pub(super) fn fix_signs(rows: &mut crate::linalg::view::Mat<f64>) {
    for i in 0..rows.rows() {
        let row = rows.row_mut(i);
        let largest =
            row.iter().fold(0.0_f64, |best, &v| if v.abs() > best.abs() { v } else { best });
        if largest < 0.0 {
            row.iter_mut().for_each(|v| *v = -*v);
        }
    }
}
