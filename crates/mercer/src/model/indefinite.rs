//! Components that an indefinite kernel does not have.

use super::components::Components;
use crate::error::{Error, Result};
use crate::points::Dtype;

/// Refuses a count of components that reaches eigenvalues below zero, from scikit-learn's thresholds on; never for those
/// that `rounding` explains.
pub(super) fn refuse_negative(
    dtype: Dtype,
    components: Components,
    values: &[f64],
    rounding: f64,
) -> Result<()> {
    let Components::Count(count) = components else { return Ok(()) };
    let values = &values[..count.min(values.len())];
    let (share, least) = if dtype == Dtype::F32 { (5e-3, 1e-6) } else { (1e-5, 1e-10) };
    let noise = (share * values[0]).max(least).max(rounding);
    let found = values.iter().take_while(|eta| **eta >= -noise).count();
    if found == values.len() {
        return Ok(());
    }
    Err(Error::Numeric(format!(
        "There are significant negative eigenvalues ({:.3e} of the largest): the kernel is indefinite on this \
         data. Request at most {found} components, or repair the matrix first",
        values[found].abs() / values[0].abs()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(count: usize, values: &[f64]) -> bool {
        refuse_negative(Dtype::F64, Components::Count(count), values, 0.0).is_ok()
    }

    #[test]
    fn a_count_may_reach_rounding_errors_and_no_further() {
        let values = [5.0, 1.0, 1e-12, -4e-5, -0.1];
        assert!(allowed(2, &values) && allowed(4, &values));
        assert!(!allowed(5, &values));
        assert!(
            refuse_negative(Dtype::F32, Components::Count(5), &[5.0, 1.0, 0.0, -0.02], 0.0).is_ok()
        );
        assert!(refuse_negative(Dtype::F64, Components::All, &values, 0.0).is_ok());
        let error = refuse_negative(Dtype::F64, Components::Count(5), &values, 0.0)
            .unwrap_err()
            .to_string();
        assert!(error.contains("at most 4 components"), "{error}");
        assert!(!allowed(1, &[-1.0]));
        assert!(refuse_negative(Dtype::F64, Components::Count(5), &values, 0.2).is_ok());
    }
}
