//! The public conformance check: ours pass, broken ones are caught.

use mercer::kernel::{Input, Tile, conformance, families};
use mercer::real::Real;
use mercer::{Dense, Kernel, KernelSpec, Result, Span, SpecKernel};

use crate::support::{kernel, normal, samples_for};

fn check<T: Real>(spec: &KernelSpec) {
    let x = samples_for::<T>(spec, 60, 4, 1);
    let kernel = SpecKernel::<T>::new(&spec.resolve(&x).unwrap()).unwrap();
    conformance::check(&kernel, &x).unwrap_or_else(|error| panic!("{spec}: {error}"));
    conformance::check(&kernel, &samples_for::<T>(spec, 1, 4, 1)).unwrap();
}

#[test]
fn every_family_and_combination_conforms() {
    let combined = [
        "2*rbf + linear*poly",
        "normalize(poly + 3*linear)",
        "normalize(rbf*cosine)*matern",
        "normalize(jensen_shannon) + chi2*hellinger + 2*constant",
    ];
    let rows = families().iter().filter(|family| family.input != Input::Strings);
    let all = rows.map(|family| family.name).chain(combined);
    for text in all {
        let spec = text.parse().unwrap();
        check::<f64>(&spec);
        check::<f32>(&spec);
    }
}

/// The dot product with a fault put in.
struct Broken(Fault);

type Samples<'a> = Span<'a, Dense<f64>>;
type Fault = fn(&mut Tile<'_, f64>, Samples<'_>, Samples<'_>);

impl Kernel<Dense<f64>, f64> for Broken {
    fn tile(
        &self,
        rows: Span<'_, Dense<f64>>,
        cols: Span<'_, Dense<f64>>,
        mut out: Tile<'_, f64>,
    ) -> Result<()> {
        kernel::<f64>("linear").tile(rows, cols, out.reborrow())?;
        (self.0)(&mut out, rows, cols);
        Ok(())
    }
}

#[test]
fn broken_kernels_are_caught() {
    let x = normal::<f64>(20, 3, 2);
    let check = |fault, part: &str| {
        let error = conformance::check(&Broken(fault), &x).unwrap_err().to_string();
        assert!(error.contains(part), "{error:?} lacks {part:?}");
    };
    conformance::check(&Broken(|_, _, _| {}), &x).unwrap();
    check(|out, _, _| out.row(0)[0] = f64::NAN, "k(0, 0) is NaN");
    check(
        |out, rows, _| out.row(0)[0] += if rows.len() == 20 { 0.0 } else { 1.0 },
        "k(0, 0) of the diagonal",
    );
    check(
        |out, _, cols| {
            if cols.len() > 3 {
                out.row(0)[3] += 1.0
            }
        },
        "k(3, 0) and k(0, 3)",
    );
    check(
        |out, rows, cols| {
            if rows.len() + cols.len() == 30 {
                out.row(0)[0] += 1.0
            }
        },
        "in tile 10..20 × 0..20",
    );
    check(
        |out, rows, cols| {
            if out.stride() > cols.len() && !rows.is_empty() {
                out.data()[cols.len()] = 0.0;
            }
        },
        "wrote beyond its columns",
    );
}
