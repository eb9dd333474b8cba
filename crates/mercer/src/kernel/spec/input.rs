//! Which samples a kernel accepts.

use crate::error::{Error, Param, Result};
use crate::points::Samples;
use crate::real::Real;

/// Refuses samples with a number below 0, which histograms do not have.
pub(in crate::kernel) fn check_histograms<T: Real>(samples: &Samples<T>) -> Result<()> {
    match samples.first_negative() {
        None => Ok(()),
        Some((row, column, value)) => Err(Error::parameter(
            Param::Kernel,
            format!(
                "histogram kernels need non-negative values: {value} at row {row}, column {column} (zero-based)"
            ),
        )),
    }
}

/// The group of columns that a kernel on `names` reads.
pub(in crate::kernel) fn group_of<'a, T: Real>(
    x: &'a Samples<T>,
    names: &[String],
) -> Result<&'a Samples<T>> {
    let found = match x {
        Samples::Parts(parts) => parts.named(names),
        _ => None,
    };
    found.ok_or_else(|| {
        Error::Shape(format!(
            "the kernel is for the columns {}, but the samples are {} without such a group",
            names.join(", "),
            x.kind()
        ))
    })
}

/// Samples that a kernel has no meaning for.
pub(in crate::kernel) fn not_for<T: Real>(name: &str, wants: &str, samples: &Samples<T>) -> Error {
    let kind = samples.kind();
    let way_out = match samples {
        Samples::Parts(_) => ": name the columns it is for, as in columns(age, income: rbf)",
        Samples::Items(_) => ": items need a user-defined function",
        Samples::Strings(_) => ": choose a string kernel, such as normalize(spectrum(p=3))",
        Samples::Dense(_) | Samples::Sparse(_) => "",
    };
    Error::parameter(
        Param::Kernel,
        format!("{name} is for {wants}, but the samples are {kind}{way_out}"),
    )
}
