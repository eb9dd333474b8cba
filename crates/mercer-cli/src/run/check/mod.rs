//! `mercer check`: tests whether a kernel matrix is positive semi-definite, and repairs it.

mod output;

use mercer::Dtype;
use mercer::context::Reservation;
use mercer::gram::{matrix, matrix_bytes};
use mercer::io::{Column, ModelFile, Table};
use mercer::kernel::SpecKernel;
use mercer::model::validity::{MOST_EXAMINED, Repair, Repaired, Validity};
use mercer::{AnyMat, Input, KernelSpec, Mat, Result, Samples};

use super::Session;
use super::columns::Chosen;
use super::input;
use crate::args::{CheckArgs, Kernel};
use crate::data::{InputKind, Prepared, Scales, usual_scale};
use crate::facts;
use crate::failure::Failure;
use crate::output_files::{self, Files};

/// The result of a check.
struct CheckResult {
    /// The kernel, with its widths as numbers.
    kernel: Kernel,
    validity: Validity,
    repaired: Option<Repaired>,
    /// The matrix to write, if requested.
    matrix: Option<Table>,
    /// The repair to write, if there is one.
    model: Option<ModelFile>,
}

/// Runs `mercer check`.
pub fn check(session: &Session, args: &CheckArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of(&args.kernel);
    let (chosen, scale) =
        input::read(session, &args.input, &input_kind, usual_scale(&args.kernel))?;
    session.progress.begin("preparing");
    let scales = Scales::Learn(scale);
    // Kernels are computed in double precision; given values are as exact as they were written.
    let dtype = match input_kind == InputKind::Precomputed && chosen.features.is_f32() {
        true => Dtype::F32,
        false => Dtype::F64,
    };
    let rows = Prepared::of(session, &chosen.features, &input_kind, scales, dtype)?;
    let mut result = examine(session, args, &chosen, rows.input)?;
    let table = args.output.as_ref().zip(result.matrix.take());
    let model = args.model.as_ref().zip(result.model.as_ref());
    let outputs = output_files::write_files(session, &Files { table, model, ..Files::default() })?;
    session.progress.clear();
    output::print(args, &chosen, &result, outputs)?;
    match result.validity.is_valid() {
        true => Ok(()),
        false => Err(Failure::NotAKernel),
    }
}

fn examine(
    session: &Session,
    args: &CheckArgs,
    chosen: &Chosen,
    input: Input<'_>,
) -> Result<CheckResult> {
    let (kernel, values, _held) = match input {
        Input::Samples(x) => {
            let x = x.to_type::<f64>()?;
            let spec = args.kernel.spec().resolve(&x)?;
            let (values, held) = computed(session, &spec, &x)?;
            (Kernel::Spec(spec), values.into(), Some(held))
        }
        Input::Precomputed { values, .. } => (Kernel::Precomputed, values, None),
        Input::Gram(_) => unreachable!("a table is samples or values"),
    };
    session.progress.begin("examining");
    let validity = Validity::of(&session.context, values.view())?;
    let repair = args.repair.map(Repair::from);
    let repaired = match repair {
        Some(repair) => Some(repair.fit(&session.context, values.view())?),
        None => None,
    };
    let matrix = args.output.as_ref().map(|_| match &repaired {
        Some(repaired) => written(chosen, &kernel, (&repaired.matrix).into()),
        None => written(chosen, &kernel, values.view()),
    });
    let saved = |repaired| saved(chosen, &kernel, repaired, values.dtype());
    let model = repaired.as_ref().map(saved);
    Ok(CheckResult { kernel, validity, repaired, matrix, model })
}

/// The repair as a model, for kernel values of new rows with these.
fn saved(chosen: &Chosen, kernel: &Kernel, repaired: &Repaired, dtype: Dtype) -> ModelFile {
    let mut saved = ModelFile::new(repaired.fitted(dtype).into(), dtype);
    if let Kernel::Precomputed = kernel {
        saved.feature_names = chosen.features.names.clone();
        facts::note_places(&mut saved, &chosen.places);
    }
    saved
}

/// The kernel values of all pairs of samples.
fn computed(
    session: &Session,
    spec: &KernelSpec,
    x: &Samples<f64>,
) -> Result<(Mat<f64>, Reservation)> {
    let (n, context) = (x.n(), &session.context);
    let (bytes, hint) = (matrix_bytes::<f64>(n, n), "use fewer rows or raise the memory budget");
    // Fails before the matrix is computed, not after.
    Validity::need(context, n.min(MOST_EXAMINED), bytes)?;
    let held = context.reserve("the kernel matrix", bytes, hint)?;
    let kernel = SpecKernel::<f64>::new(spec)?;
    let mut values = Mat::try_zeros(n, n)?;
    matrix(context, &kernel, x, None, values.view_mut())?;
    Ok((values, held))
}

/// A matrix as a table. Its columns have the names they had, or are numbered.
fn written(chosen: &Chosen, kernel: &Kernel, values: AnyMat<'_>) -> Table {
    let n = values.rows();
    let names = match (kernel, &chosen.features.names) {
        (Kernel::Precomputed, Some(names)) => names.clone(),
        _ => (1..=n).map(|row| format!("k{row}")).collect(),
    };
    let column = |j: usize| (0..n).map(|i| values.at(i, j)).collect();
    Table::new(names, (0..n).map(|j| Column::F64(column(j))).collect())
}
