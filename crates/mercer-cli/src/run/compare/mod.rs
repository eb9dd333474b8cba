//! `mercer compare`: whether two tables come from one distribution, and which columns moved.

mod columns_moved;
mod output;
mod picture;
mod tables;

use mercer::hypothesis::{Mmd, MmdParams, Null};
use mercer::points::AnySamples;
use mercer::{Dtype, Error, Input, KernelSpec, Result};

use self::columns_moved::MovedColumns;
use super::Session;
use super::columns::{self, Chosen, Roles};
use crate::args::{CompareArgs, Kernel};
use crate::data::{InputKind, Prepared, Scales, usual_scale};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::report;

/// A comparison.
struct Comparison {
    /// The rows of both tables, the old ones first.
    chosen: Chosen,
    /// How many of them are old.
    first: usize,
    /// Rows of the old table, before any were left out.
    old_rows: usize,
    /// The rows as the kernel takes them.
    samples: AnySamples,
    kernel: KernelSpec,
    found: Mmd,
    /// The columns, where rows are numbers.
    moved: Option<MovedColumns>,
    notes: Vec<String>,
}

/// Runs `mercer compare`.
pub fn compare(session: &Session, args: &CompareArgs) -> std::result::Result<(), Failure> {
    let found = find(session, args)?;
    let drawings = match args.report.is_some() || !args.plot.is_empty() {
        true => picture::draw(session, args, &found)?,
        false => Vec::new(),
    };
    let mut lines = output::lines(args, &found);
    lines.verbose = session.verbose;
    let page = args.report.as_ref().map(|file| {
        let tables = output::report_tables(args, &found);
        let content = report::ComparisonContent {
            lines: &lines,
            headline: &output::headline(args, &found),
            pictures: &drawings,
            tables: &tables,
            data: output::extent(args, &found),
        };
        (file, report::comparison(session, &content))
    });
    let table = args.output.as_ref().map(|file| (file, output::rows(&found)));
    let drawing = drawings.into_iter().next().filter(|_| !args.plot.is_empty());
    let files = Files { table, pictures: &args.plot, drawing, page, ..Files::default() };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    output::print(args, &found, lines, outputs).map_err(Failure::Print)
}

fn find(session: &Session, args: &CompareArgs) -> Result<Comparison> {
    let Kernel::Spec(spec) = &args.kernel else {
        let message =
            "two tables are compared by a kernel of their rows, not by precomputed values";
        return Err(Error::parameter("--kernel", message));
    };
    let input_kind = InputKind::of(&args.kernel);
    let scale = input_kind.scaling(args.scale, usual_scale(&args.kernel))?;
    let (joined, old_rows, mut notes) = tables::read(session, args, &input_kind)?;
    let (which, label) = (args.columns.columns.as_deref(), args.columns.label.as_deref());
    let roles = Roles::without_target(which, label, &args.columns.encoding, &input_kind);
    let (chosen, _) = columns::choose(joined, &roles)?;
    let kept = chosen.rows.as_ref().map(|rows| rows.partition_point(|&row| row < old_rows));
    let first = kept.unwrap_or(old_rows);
    tables::at_least_two(first, chosen.features.n_rows())?;
    notes.extend(tables::dropped(&chosen));
    session.progress.begin("preparing");
    let scales = Scales::Learn(scale);
    let rows = Prepared::of(session, &chosen.features, &input_kind, scales, Dtype::F64)?;
    let Input::Samples(samples) = rows.input else { unreachable!("no kernel values are given") };
    let mut params = MmdParams::new(spec.clone());
    params.null = Null::Permutations(args.permutations as usize);
    params.seed = args.seed;
    let found = Mmd::test(&session.context, &params, &samples, first)?;
    let moved = columns_moved::find(session, args, &chosen, &input_kind, first)?;
    let kernel = found.outcome.kernels[0].clone();
    Ok(Comparison { chosen, first, old_rows, samples, kernel, found, moved, notes })
}
