//! Draws every kind of picture into a folder, to be looked at:
//! `cargo run -p mercer-cli --example gallery -- DIR`.

use std::path::Path;

use mercer::context::Stream;
use mercer_cli::demo_data::Shape;
use mercer_plot::{
    Background, Field, Group, LabelColumn, Map, Marks, Multiples, Panel, Regions, Scatter,
    Spectrum, Tube, component_title, map, multiples, png, scatter, spectrum, tube,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let others = [("multiples", small_multiples())].into_iter().chain(maps());
    for (name, svg) in scatters().into_iter().chain(others).chain(spectra()) {
        std::fs::write(folder.join(format!("{name}.png")), png(&svg, 2.0)?)?;
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    Ok(())
}

/// Every case of the scatter that looks different.
fn scatters() -> Vec<(&'static str, String)> {
    let classes = |count: usize| move |row: usize, _: f64| format!("class {}", row % count + 1);
    let alike = |_: usize, _: f64| String::from("all");
    vec![
        ("few", clouds(10, 2, Some(&classes(2)))),
        ("three", clouds(300, 3, Some(&classes(3)))),
        ("twelve", clouds(3_000, 12, Some(&classes(12)))),
        ("others", clouds(2_000, 30, Some(&classes(30)))),
        ("scale", clouds(1_500, 4, Some(&|_, x| format!("{:.3}", 1e3 * x)))),
        ("huge", clouds(100_000, 5, Some(&classes(5)))),
        ("plain", clouds(800, 4, None)),
        ("strip", drawn(&cloud(400, 3, 0), None, Some(&classes(3)))),
        ("strip-plain", drawn(&cloud(400, 3, 0), None, None)),
        ("constant", drawn(&cloud(200, 3, 0), Some(&vec![3e-7; 200]), Some(&alike))),
        ("equal", drawn(&[0.0; 20], Some(&[0.0; 20]), None)),
    ]
}

/// Spectra of few and of very many components, and one that is cut off before the mark.
fn spectra() -> Vec<(&'static str, String)> {
    let drawn = |count: usize, kept: f64| {
        let values: Vec<f64> = (1..=count).map(|i| 4.0 * (i as f64).powf(-1.2)).collect();
        let all = values.iter().sum::<f64>() / kept;
        let ratios: Vec<f64> = values.iter().map(|value| value / all).collect();
        let (title, subtitle) = ("Kernel PCA of clouds", "300 rows × 2 columns");
        spectrum(&Spectrum { title, subtitle, values: &values, ratios: &ratios, mark: 0.9 }).svg
    };
    vec![
        ("spectrum", drawn(8, 1.0)),
        ("spectrum-many", drawn(1_000, 1.0)),
        ("spectrum-short", drawn(3, 0.6)),
    ]
}

type Labeller<'a> = Option<&'a dyn Fn(usize, f64) -> String>;

fn clouds(rows: usize, centres: usize, label: Labeller) -> String {
    drawn(&cloud(rows, centres, 0), Some(&cloud(rows, centres, 1)), label)
}

fn cloud(rows: usize, centres: usize, axis: usize) -> Vec<f64> {
    let mut stream = Stream::new(3, ["x", "y"][axis]);
    let centre = |row: usize| {
        let angle = (row % centres) as f64 / centres as f64 * std::f64::consts::TAU;
        if axis == 0 { 3.0 * angle.cos() } else { 2.0 * angle.sin() }
    };
    (0..rows).map(|row| centre(row) + 0.5 * stream.normal()).collect()
}

fn drawn(x: &[f64], y: Option<&[f64]>, label: Labeller) -> String {
    let labels: Option<Vec<String>> =
        label.map(|label| x.iter().enumerate().map(|(row, &x)| label(row, x)).collect());
    scatter(&Scatter {
        title: "Kernel PCA of housing.csv",
        subtitle: &format!("{} rows · rbf(gamma=0.125) · standard scaling", x.len()),
        x,
        y,
        x_title: &component_title(0, Some(0.432)),
        y_title: &component_title(1, Some(0.217)),
        labels: labels.as_deref().map(|values| LabelColumn { name: "species", values }),
        names: None,
        rows: None,
        diagonal: false,
    })
    .svg
}

fn small_multiples() -> String {
    let data = Shape::Circles.sample(400, 0);
    let angle = |p: &[f64; 2]| p[1].atan2(p[0]);
    let embedded: Vec<[f64; 2]> =
        data.points.iter().map(|p| [p[0].hypot(p[1]) - 0.7, 0.3 * angle(p).sin()]).collect();
    let [x, y] = Field::square_around(&data.points);
    let values = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        Field::grid(x, y, 61, 61).into_iter().map(|[x, y]| f(x, y)).collect()
    };
    let first = values(&|x, y| 0.7 - x.hypot(y));
    let second = values(&|x, y| (2.0 * x).sin() * (2.0 * y).cos());
    let field = |values| Field { x, y, columns: 61, rows: 61, values };
    let panel = |title, points, field: Option<Field<'static>>| Panel {
        title,
        x_title: "x",
        y_title: "y",
        points,
        field,
        equal_units: true,
    };
    let over =
        |title, values| Panel { field: Some(field(values)), ..panel(title, &data.points, None) };
    multiples(&Multiples {
        title: "Kernel PCA of concentric circles",
        subtitle: "400 rows · rbf(gamma=2)",
        panels: vec![
            panel("Input", &data.points, None),
            Panel {
                x_title: &component_title(0, Some(0.41)),
                y_title: &component_title(1, Some(0.17)),
                equal_units: false,
                ..panel("Kernel PCA", &embedded, None)
            },
            over("Component 1 over the input", &first),
            over("Component 2 over the input", &second),
        ],
        labels: Some(LabelColumn { name: "circle", values: &data.labels }),
    })
    .svg
}

/// Every kind of picture of a model of one or two columns.
fn maps() -> Vec<(&'static str, String)> {
    let wave = |x: f64, y: f64| 1.6 * (x.sin() + 0.5 * y);
    let bump = |x: f64, y: f64| 1.5 * (-0.2 * (x * x + y * y)).exp() - 0.6;
    vec![
        ("map-sides", mapped(2, 200, &wave, &|field| sides(field, [2.0, 2.0], true))),
        ("map-many", mapped(2, 5_000, &wave, &|field| sides(field, [2.0, 2.0], true))),
        ("map-bump", mapped(2, 200, &bump, &|field| sides(field, [0.6, 0.9], false))),
        (
            "map-heights",
            mapped(2, 200, &wave, &|field| Background::Heights {
                field,
                ends: [-6.0, 6.0],
                line: Some((1.0, "threshold")),
            }),
        ),
        ("map-regions", regions(3)),
        ("map-twenty", regions(20)),
        ("tube", drawn_tube()),
    ]
}

fn sides(field: Field<'_>, full: [f64; 2], margins: bool) -> Background<'_> {
    let colours = [0, 1].map(|index| Group::of_class(index, "").colour);
    Background::Sides { field, colours, full, margins }
}

type Function<'a> = &'a dyn Fn(f64, f64) -> f64;

fn mapped(
    classes: usize,
    rows: usize,
    function: Function,
    background: &dyn Fn(Field<'_>) -> Background<'_>,
) -> String {
    let points = plane_points(rows, classes);
    let [x, y] = Field::rectangle_around(&points);
    let values: Vec<f64> =
        Field::grid(x, y, 161, 121).into_iter().map(|[x, y]| function(x, y)).collect();
    let field = Field { x, y, columns: 161, rows: 121, values: &values };
    framed(&points, classes, background(field))
}

fn plane_points(rows: usize, classes: usize) -> Vec<[f64; 2]> {
    let (x, y) = (cloud(rows, classes, 0), cloud(rows, classes, 1));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

fn framed(points: &[[f64; 2]], classes: usize, background: Background<'_>) -> String {
    let groups: Vec<Group> =
        (0..classes).map(|i| Group::of_class(i, &format!("class {}", i + 1))).collect();
    let group: Vec<usize> = (0..points.len()).map(|row| row % classes).collect();
    let ringed: Vec<bool> = (0..points.len()).map(|row| row % 4 == 0).collect();
    map(&Map {
        title: "Support vector classification of species (flowers.csv)",
        subtitle: "200 rows; rbf(gamma=0.5), C 1; 50 support vectors",
        x_title: "sepal length",
        y_title: "petal length",
        key_title: "species",
        background,
        marks: Marks { points, group: &group, groups: &groups, ringed: &ringed },
        ring_name: "support vector",
    })
    .svg
}

/// Every point of the plane belongs to the class whose centre is nearest.
fn regions(classes: usize) -> String {
    let points = plane_points(60 * classes, classes);
    let [x, y] = Field::rectangle_around(&points);
    let grid = Field::grid(x, y, 161, 121);
    let far = |[x, y]: [f64; 2], class: usize| {
        let angle = class as f64 / classes as f64 * std::f64::consts::TAU;
        (x - 3.0 * angle.cos()).powi(2) + (y - 2.0 * angle.sin()).powi(2)
    };
    let nearest =
        |p: &[f64; 2]| (0..classes).min_by(|&a, &b| far(*p, a).total_cmp(&far(*p, b))).unwrap_or(0);
    let class: Vec<usize> = grid.iter().map(nearest).collect();
    let change = |from: usize, to: usize| {
        let between = |place: usize| far(grid[place], class[from]) - far(grid[place], class[to]);
        (between(from) / (between(from) - between(to))).clamp(0.0, 1.0)
    };
    let field = Field { x, y, columns: 161, rows: 121, values: &[] };
    let colours = (0..classes).map(|index| Group::of_class(index, "").colour).collect();
    let regions = Regions { grid: field, class: &class, change: &change };
    framed(&points, classes, Background::Regions(regions, colours))
}

fn drawn_tube() -> String {
    let mut stream = Stream::new(3, "tube");
    let place = |i: usize, count: usize| 10.0 * i as f64 / (count - 1) as f64;
    let function: Vec<[f64; 2]> =
        (0..300).map(|i| place(i, 300)).map(|x| [x, 300.0 + 80.0 * x.sin()]).collect();
    let points: Vec<[f64; 2]> = (0..90)
        .map(|i| place(i, 90))
        .map(|x| [x, 300.0 + 80.0 * x.sin() + 20.0 * stream.normal()])
        .collect();
    let is_outside = |[x, y]: &[f64; 2]| (y - 300.0 - 80.0 * x.sin()).abs() >= 20.0;
    let ringed: Vec<bool> = points.iter().map(is_outside).collect();
    let row = Group::of_class(0, "row");
    tube(&Tube {
        title: "Support vector regression of price (houses.csv)",
        subtitle: "90 rows; rbf(gamma=1), C 100, epsilon 20; 30 support vectors",
        x_title: "area",
        y_title: "price",
        function: &function,
        tube: (20.0, "tube ± 20".into()),
        marks: Marks {
            points: &points,
            group: &vec![0; points.len()],
            groups: std::slice::from_ref(&row),
            ringed: &ringed,
        },
        ring_name: "support vector",
    })
    .svg
}
