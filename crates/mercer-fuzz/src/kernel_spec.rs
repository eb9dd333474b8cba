//! Bytes as the text of a kernel: refused, or printed so that it parses to itself, and evaluated.

use mercer::kernel::KernelSpec;
use mercer::linalg::view::Mat;
use mercer::{Dense, Samples, SpecKernel, Strings, gram};

use crate::context;

/// The text form of a kernel.
pub fn kernel_spec(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(spec) = text.parse::<KernelSpec>() else { return };
    let printed = spec.to_string();
    let again: KernelSpec = printed.parse().expect("a printed kernel can be parsed");
    assert_eq!(again.to_string(), printed, "{text:?}");
    assert_eq!(again, spec, "{text:?}");
    let rows = Dense::from_vec(vec![0.5, 0.25, 1.0, 0.0, 2.0, 3.0], 3, 2).expect("finite rows");
    evaluate(&spec, rows.into());
    evaluate(&spec, Strings::new(["abcab", "b", "äöab"]).expect("texts").into());
}

/// Computes the matrix of a kernel that fits the samples.
fn evaluate(spec: &KernelSpec, samples: Samples<f64>) {
    let Ok(kernel) = SpecKernel::<f64>::new(spec) else { return };
    let mut out = Mat::zeros(3, 3);
    let _ = gram::matrix(context(), &kernel, &samples, None, out.view_mut());
}
