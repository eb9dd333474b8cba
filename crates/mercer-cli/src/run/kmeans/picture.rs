//! Plots of clusters: over the plane of two columns, or by components.

use mercer::Result;
use mercer::io::{Model, Table};
use mercer::linalg::view::Mat;

use super::Clusters;
use crate::args::KmeansArgs;
use crate::data::{InputKind, kernel_of};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Background, Drawing, Group, LabelColumn, Map, Marks, Regions, Scatter};
use crate::run::Session;
use crate::run::components;
use crate::run::plane;
use crate::run::prediction::distances;
use crate::scores::in_short;
use crate::summary::file_name;

/// The title of the legend.
const KEY: &str = "cluster";

/// Draws the clusters of `features`.
pub fn draw(
    session: &Session,
    args: &KmeansArgs,
    features: &Table,
    input_kind: &InputKind,
    clusters: &Clusters,
) -> Result<Drawing> {
    session.progress.begin("plotting");
    let titles = titles(args, features, clusters);
    match features.n_columns() {
        1 if input_kind.is_vector() => {
            let column: Vec<f64> =
                (0..features.n_rows()).map(|row| plane::number(features, row, 0)).collect();
            Ok(scattered(clusters, &titles, &[column], &[features.name(0)]))
        }
        2 if input_kind.is_vector() => draw_plane(session, features, clusters, &titles),
        _ => draw_components(session, (features, input_kind), clusters, &titles),
    }
}

fn draw_plane(
    session: &Session,
    features: &Table,
    clusters: &Clusters,
    [title, subtitle]: &[String; 2],
) -> Result<Drawing> {
    let window = plane::window(features);
    let grid = plane::grid(features, window);
    let squares = distances(session, &clusters.model, clusters.scaling.as_ref(), &grid)?;
    let class = nearest(&squares);
    let groups: Vec<Group> = names(clusters)
        .iter()
        .enumerate()
        .map(|(place, name)| {
            Group::of_class(place, name).hover_text(&format!("{KEY} {}", place + 1))
        })
        .collect();
    let colours = groups.iter().map(|group| group.colour).collect();
    let change = changes(&squares, &class);
    let grid = plane::field(window, &[]);
    Ok(plot::map(&Map {
        title,
        subtitle,
        x_title: &features.name(0),
        y_title: &features.name(1),
        key_title: KEY,
        background: Background::Regions(Regions { grid, class: &class, change: &change }, colours),
        marks: Marks {
            points: &plane::points(features),
            group: &clusters.labels,
            groups: &groups,
            ringed: &vec![false; clusters.labels.len()],
        },
        ring_name: "",
    }))
}

/// The place of the smallest number in each row; of several the first.
fn nearest(squares: &Mat<f64>) -> Vec<usize> {
    let smallest = |row: &[f64]| {
        (1..row.len()).fold(0, |best, place| if row[place] < row[best] { place } else { best })
    };
    (0..squares.rows()).map(|row| smallest(squares.row(row))).collect()
}

/// The share of the way between two points of the grid at which the nearest centre changes, by
/// squared distances that are straight lines between them.
fn changes<'a>(squares: &'a Mat<f64>, class: &'a [usize]) -> impl Fn(usize, usize) -> f64 + 'a {
    move |from, to| {
        let lead = |place: usize| squares[(place, class[to])] - squares[(place, class[from])];
        let share = lead(from) / (lead(from) - lead(to));
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// The rows by their first two components in feature space, where the clusters are.
fn draw_components(
    session: &Session,
    (features, input_kind): (&Table, &InputKind),
    clusters: &Clusters,
    titles: &[String; 2],
) -> Result<Drawing> {
    let (scaling, params) = (clusters.scaling.as_ref(), &clusters.params);
    let report = match &clusters.model {
        Model::KernelKMeans(model) => model.report.landmarks.as_ref(),
        _ => None,
    };
    let count = report.map_or(0, |report| report.landmarks);
    let kernel = (&params.kernel, params.landmarks.as_ref().map(|params| (params, count)));
    let plane = components::plane(session, (features, input_kind), scaling, kernel, usize::MAX)?;
    Ok(scattered(clusters, titles, &plane.axes, &plane.titles))
}

/// The rows along one or two axes, in the colours of their clusters.
fn scattered(
    clusters: &Clusters,
    [title, subtitle]: &[String; 2],
    axes: &[Vec<f64>],
    axis_names: &[String],
) -> Drawing {
    let names = names(clusters);
    let values: Vec<String> = clusters.labels.iter().map(|&label| names[label].clone()).collect();
    plot::scatter(&Scatter {
        title,
        subtitle,
        x: &axes[0],
        y: axes.get(1).map(Vec::as_slice),
        x_title: &axis_names[0],
        y_title: axis_names.get(1).map_or("", String::as_str),
        labels: Some(LabelColumn { name: KEY, values: &values }),
        names: None,
        rows: None,
        diagonal: false,
    })
}

/// `1: 20 rows` for every cluster.
fn names(clusters: &Clusters) -> Vec<String> {
    let mut sizes = vec![0; clusters.params.clusters];
    clusters.labels.iter().for_each(|&label| sizes[label] += 1);
    let name = |(place, size): (usize, &usize)| format!("{}: {}", place + 1, counted(*size, "row"));
    sizes.iter().enumerate().map(name).collect()
}

fn titles(args: &KmeansArgs, features: &Table, clusters: &Clusters) -> [String; 2] {
    let rows = counted(features.n_rows(), "row");
    let columns = counted(features.n_columns(), "column");
    let kernel = kernel_of(&clusters.model).map_or_else(String::new, |kernel| kernel.to_string());
    let kernel = kernel_in_short(&kernel);
    let count = counted(clusters.params.clusters, "cluster");
    let inertia = in_short(clusters.inertia);
    [
        format!("Kernel k-means of {}", file_name(args.table.source.path())),
        format!("{rows} × {columns}; {kernel}; {count}, objective {inertia}"),
    ]
}
