//! The plot of a demonstration: the input, its embedding, and two functions over the plane.

use super::{DemoResult, Seen, words};
use crate::demo_data::{Labelled, Shape};
use crate::plot::{self, Drawing, Field, LabelColumn, Multiples, Panel, component_title, grouped};

/// Points of the grid along each side on which functions are drawn.
pub const GRID: usize = 140;

/// Draws the result.
pub fn draw(shape: Shape, data: &Labelled, found: &DemoResult) -> Drawing {
    let axes = [0, 1].map(|which| axis_title(found, found.seen[which].what));
    let functions = [0, 1].map(|which| format!("{} over the plane", name(found.seen[which].what)));
    let embedding: Vec<[f64; 2]> =
        found.seen[0].rows.iter().zip(&found.seen[1].rows).map(|(&x, &y)| [x, y]).collect();
    let plane = |title, field| Panel {
        title,
        x_title: "x",
        y_title: "y",
        points: &data.points,
        field,
        equal_units: true,
    };
    let [x, y] = found.ranges;
    let field =
        |which: usize| Field { x, y, columns: GRID, rows: GRID, values: &found.seen[which].grid };
    let panels = vec![
        plane("input", None),
        Panel {
            title: "embedding",
            x_title: &axes[0],
            y_title: &axes[1],
            points: &embedding,
            field: None,
            equal_units: false,
        },
        plane(&functions[0], Some(field(0))),
        plane(&functions[1], Some(field(1))),
    ];
    let rows = grouped(data.points.len());
    let kernel = &found.model.params.kernel;
    plot::multiples(&Multiples {
        title: &format!("Kernel PCA of {}", words(shape).0),
        subtitle: &format!("{rows} rows, {kernel}. Contours: green above, violet below zero"),
        panels,
        labels: Some(LabelColumn { name: "class", values: &data.labels }),
    })
}

fn name(what: Seen) -> String {
    match what {
        Seen::Component(index) => format!("component {}", index + 1),
        Seen::Classifier(_) => "linear classifier".into(),
    }
}

fn axis_title(found: &DemoResult, what: Seen) -> String {
    match what {
        Seen::Component(index) => {
            component_title(index, found.model.explained_variance_ratio().get(index).copied())
        }
        Seen::Classifier(count) => format!("linear classifier on {count} components"),
    }
}
