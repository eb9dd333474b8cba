//! Exact text of tiny plots, and laws of all.

use super::super::labels::LabelColumn;
use super::super::scatter::{Scatter, scatter};
use super::*;

fn screen(width: usize) -> Screen {
    Screen { width, unicode: true, colour: false }
}

fn points<'a>(x: &'a [f64], y: Option<&'a [f64]>, labels: Option<&'a [String]>) -> Scatter<'a> {
    Scatter {
        title: "Three points",
        subtitle: "",
        x,
        y,
        x_title: "component 1",
        y_title: "component 2",
        labels: labels.map(|values| LabelColumn { name: "kind", values }),
        names: None,
    }
}

#[test]
fn a_scatter_is_drawn_with_its_classes() {
    let labels: Vec<String> = ["a", "b", "a", "b", "b"].map(String::from).into();
    let (x, y) = ([1.0, 2.0, 3.0, 1.0, 1.0], [0.0, -1.0, 4.0, 0.0, 0.0]);
    let text = scatter(&points(&x, Some(&y), Some(&labels))).text(&screen(60));
    assert_eq!(text.matches('●').count(), 1 + 1, "{text}");
    assert_eq!(text.matches('■').count(), 2 + 1, "{text}");
    assert!(text.contains("2 points share a cell"), "{text}");
}
