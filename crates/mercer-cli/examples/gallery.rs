//! Draws every kind of picture into a folder, to be looked at:
//! `cargo run -p mercer-cli --example gallery -- DIR`.

use std::path::Path;

use mercer::context::Stream;
use mercer_cli::demo_data::Shape;
use mercer_cli::plot::{
    Field, LabelColumn, Multiples, Panel, Scatter, component_title, multiples, png, scatter,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (name, svg) in scatters().into_iter().chain([("multiples", small_multiples())]) {
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
    })
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
}
