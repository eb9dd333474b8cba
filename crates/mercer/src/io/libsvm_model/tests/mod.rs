//! Tests of LIBSVM's model files: decisions survive the change of orientation and order, and hostile text does no harm.

mod hostile;
mod orientation;
mod round_trip;

use std::path::Path;

use super::{parse, write};
use crate::model::svm::Svm;
use crate::points::AnySamples;

/// Three classes out of order, as LIBSVM writes them.
const THREE: &str = "svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 6
rho 0.125 -0.5 0.25
label 5 -2 3
probA -1.5 -2 -0.75
probB 0.25 -0.125 0.5
nr_sv 2 1 3
SV
0.5 1 1:0.5 3:-1
0.25 0.75 2:1.5
-0.75 0.5 1:-0.25 2:2
-1 -0.25 1:1 2:1 3:1
-0.5 -0.5 3:2.5
-0.25 0.25 1:-2
";

/// Two classes, the larger label first, as LIBSVM writes them when it appears first.
const TWO: &str = "svm_type nu_svc
kernel_type polynomial
degree 3
gamma 0.5
coef0 0.25
nr_class 2
total_sv 3
rho -0.75
label 1 -1
probA -2
probB 0.5
nr_sv 1 2
SV
1.5 1:0.5 3:-1
-1 2:1.5
-0.5 1:-0.25 2:2
";

const REGRESSION: &str = "svm_type epsilon_svr
kernel_type sigmoid
gamma 0.25
coef0 -1
nr_class 2
total_sv 2
rho 0.5
probA 0.125
SV
1 1:1 2:-1
-1 1:2
";

const ONE_CLASS: &str = "svm_type one_class
kernel_type linear
nr_class 2
total_sv 2
rho 1.5
prob_density_marks 1 2 3 4 5 6 7 8 9 10
SV
0.5 1:1 2:-1
0.5 1:2
";

const PRECOMPUTED: &str = "svm_type c_svc
kernel_type precomputed
nr_class 2
total_sv 3
rho 0.25
label 0 1
nr_sv 1 2
SV
1 0:4
-0.75 0:1
-0.25 0:9
";

const ALL: [&str; 5] = [THREE, TWO, REGRESSION, ONE_CLASS, PRECOMPUTED];

fn read(text: &str) -> Svm {
    parse(Path::new("m.model"), text.as_bytes(), u64::MAX).unwrap()
}

/// The numbers of dense samples.
fn numbers(x: &AnySamples) -> Vec<f64> {
    x.to_type::<f64>().unwrap().dense().unwrap().data().to_vec()
}

fn written(model: &Svm) -> String {
    let mut bytes = Vec::new();
    write::Text::of(model).unwrap().write_to(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
