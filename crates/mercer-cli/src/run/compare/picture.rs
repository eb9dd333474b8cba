//! The witness function: over the plane of two columns, or along the columns that moved most.

use mercer::Result;
use mercer::hypothesis::witness;
use mercer::points::AnySamples;
use mercer::{Dense, KernelSpec};

use super::Comparison;
use super::columns_moved::MovedColumns;
use crate::args::CompareArgs;
use crate::facts::kernel_in_short;
use crate::plot::{
    self, Background, BandLine, DependencePanel, DependencePlot, DependenceValues, Drawing, Group,
    Map, Marks, Shape, SortedScores,
};
use crate::run::{Session, plane};
use crate::scores::in_short;
use crate::summary::file_name;

/// Panels of a picture.
const PANELS: usize = 6;
/// Points along a column.
const POINTS: usize = 101;

/// The pictures, the first of which is for --plot.
pub fn draw(session: &Session, args: &CompareArgs, found: &Comparison) -> Result<Vec<Drawing>> {
    session.progress.begin("plotting");
    let titles = titles(args, found);
    let features = &found.chosen.features;
    let is_plane = features.n_columns() == 2
        && matches!(&found.samples, AnySamples::F64(x) if x.dense().is_some());
    let mut drawings = Vec::new();
    if is_plane {
        drawings.push(on_plane(session, found, &titles)?);
    }
    match &found.moved {
        Some(moved) => drawings.push(along(session, found, moved, &titles)?),
        None => drawings.push(sorted(found, &titles)),
    }
    Ok(drawings)
}

fn titles(args: &CompareArgs, found: &Comparison) -> [String; 2] {
    let [old, new] = [args.table.source.path(), args.new.path()].map(file_name);
    let kernel = kernel_in_short(&found.kernel.to_string());
    let p = in_short(found.found.outcome.p_value);
    [
        format!("Where {old} and {new} differ"),
        format!("witness function; {kernel}; p = {p} for all columns together"),
    ]
}

/// The witness over the plane of two columns, in their units.
fn on_plane(
    session: &Session,
    found: &Comparison,
    [title, subtitle]: &[String; 2],
) -> Result<Drawing> {
    let features = &found.chosen.features;
    let window = plane::window(features);
    let (points, grid) = (plane::points(features), plane::grid_points(window));
    let samples = scaled(found, &points);
    let grid = samples(&grid)?;
    let values = witness(&session.context, &found.kernel, &found.samples, found.first, &grid)?;
    let most = values.iter().fold(f64::MIN_POSITIVE, |most, v| v.abs().max(most));
    let group: Vec<usize> = (0..points.len()).map(|row| usize::from(row >= found.first)).collect();
    let groups = [
        Group { shape: Shape::Circle, ..Group::of_class(0, "old").hover_text("old") },
        Group { shape: Shape::Cross, ..Group::of_class(1, "new").hover_text("new") },
    ];
    Ok(plot::map(&Map {
        title,
        subtitle,
        x_title: &features.name(0),
        y_title: &features.name(1),
        key_title: "rows",
        background: Background::Sides {
            field: plane::field(window, &values),
            colours: [plot::CLASSES[1], plot::CLASSES[0]],
            full: [most, most],
            margins: false,
        },
        marks: Marks {
            points: &points,
            group: &group,
            groups: &groups,
            ringed: &vec![false; group.len()],
        },
        ring_name: "",
    }))
}

/// Points of the plane as the kernel takes them: by the line through the same rows before and after scaling.
fn scaled<'a>(
    found: &'a Comparison,
    points: &'a [[f64; 2]],
) -> impl Fn(&[[f64; 2]]) -> Result<AnySamples> + 'a {
    let rows = match &found.samples {
        AnySamples::F64(x) => x.dense(),
        AnySamples::F32(_) => None,
    };
    let line = |axis: usize| -> (f64, f64) {
        let value = |row: usize| points[row][axis];
        let by = |a: &usize, b: &usize| value(*a).total_cmp(&value(*b));
        let low = (0..points.len()).min_by(by).unwrap_or(0);
        let high = (0..points.len()).max_by(by).unwrap_or(0);
        let image = |row: usize| rows.map_or(0.0, |rows| rows.row(row)[axis]);
        let apart = value(high) - value(low);
        let slope = if apart > 0.0 { (image(high) - image(low)) / apart } else { 1.0 };
        (slope, image(low) - slope * value(low))
    };
    let lines = [line(0), line(1)];
    move |points| {
        let at = |point: &[f64; 2]| [0, 1].map(|axis| lines[axis].0 * point[axis] + lines[axis].1);
        let values: Vec<f64> = points.iter().flat_map(at).collect();
        Ok(Dense::from_vec(values, points.len(), 2)?.into())
    }
}

/// The witness of one column alone, along the columns that moved most, for the energy distance.
fn along(
    session: &Session,
    found: &Comparison,
    moved: &MovedColumns,
    [title, _]: &[String; 2],
) -> Result<Drawing> {
    let shown: Vec<usize> = moved.order().into_iter().take(PANELS).collect();
    let panels = shown.iter().map(|&column| panel(session, found, moved, column));
    Ok(plot::dependence(&DependencePlot {
        title,
        subtitle: "the witness of each column alone (energy distance): above 0 where the old table is denser",
        y_title: "witness",
        panels: panels.collect::<Result<Vec<_>>>()?,
        names: &["old less new".to_string()],
    }))
}

fn panel(
    session: &Session,
    found: &Comparison,
    moved: &MovedColumns,
    column: usize,
) -> Result<DependencePanel> {
    let (range, test) = (&moved.groups[column], &moved.tests[column]);
    let features = &found.chosen.features;
    let name = format!("{} (p = {})", moved.names[column], in_short(test.adjusted));
    if range.len() > 1 {
        // Of categories, the difference of their shares.
        let names = range.clone().map(|i| features.name(i)).collect();
        let shares = range.clone().map(|i| share(found, i, 0) - share(found, i, 1)).collect();
        return Ok(flat(name, DependenceValues::Names(names), shares));
    }
    let at = range.start;
    let values: Vec<f64> =
        (0..features.n_rows()).map(|row| plane::number(features, row, at)).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let points: Vec<f64> =
        (0..POINTS).map(|i| low + (high - low) * i as f64 / (POINTS - 1) as f64).collect();
    let spread = standard_deviation(&values);
    let scaled = |v: &f64| if spread > 0.0 { v / spread } else { *v };
    let column = |values: &[f64]| -> Result<AnySamples> {
        Ok(Dense::from_vec(values.iter().map(scaled).collect(), values.len(), 1)?.into())
    };
    let energy: KernelSpec = "energy".parse()?;
    let (all, grid) = (column(&values)?, column(&points)?);
    let line = witness(&session.context, &energy, &all, found.first, &grid)?;
    Ok(flat(name, DependenceValues::Numbers(points), line))
}

fn standard_deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The mean of a column in one of both tables.
fn share(found: &Comparison, column: usize, table: usize) -> f64 {
    let rows = match table {
        0 => 0..found.first,
        _ => found.first..found.chosen.features.n_rows(),
    };
    let count = rows.len() as f64;
    rows.map(|row| plane::number(&found.chosen.features, row, column)).sum::<f64>() / count
}

/// A line without a band.
fn flat(name: String, values: DependenceValues, line: Vec<f64>) -> DependencePanel {
    let band = BandLine { lower: line.clone(), upper: line.clone(), mean: line };
    DependencePanel { name, values, lines: vec![band] }
}

/// The witness at the rows, where they have no axes.
fn sorted(found: &Comparison, [title, subtitle]: &[String; 2]) -> Drawing {
    let witness = &found.found.witness;
    let mut rows: Vec<usize> = (0..witness.len()).collect();
    rows.sort_by(|&a, &b| witness[b].total_cmp(&witness[a]));
    let scores: Vec<f64> = rows.iter().map(|&row| witness[row]).collect();
    plot::sorted_scores(&SortedScores {
        title,
        subtitle,
        x_title: "rank (most typical of the old table first)",
        y_title: "witness",
        scores: &scores,
        rows: &rows,
        threshold: (0.0, "0"),
        names: ["denser in the old table", "denser in the new table"],
    })
}
