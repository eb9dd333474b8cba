//! Pictures as SVG text, as PNG rasterised from the same text, so that both always show the same
//! thing, and as small plots of characters for a terminal: a [`Drawing`] holds them all.
//!
//! [`scatter()`] draws an embedding, [`multiples()`] several panels side by side, [`curves()`] scores
//! against a penalty, [`map()`] a model of two columns, [`tube()`] a regression of one, [`sorted_scores()`]
//! scores of rows from the largest on, [`spectrum()`] eigenvalues, [`shares()`] ROC and calibration curves, [`cells()`] a
//! confusion matrix or a grid of two parameters, [`leaderboard::leaderboard()`] scores of models, [`bars()`] named numbers with errors, [`dependence()`] what a model
//! says as columns vary. None reads or writes files.

mod axis;
mod colour;
mod drawing;
mod field;
mod hover;
mod key;
mod labels;
mod legend;
mod lines;
mod marks;
mod names;
mod numbers;
mod panel;
mod points;
mod raster;
mod regions;
mod sides;
mod svg;
mod terminal;

pub mod bars;
pub mod cells;
pub mod curves;
pub mod dependence;
pub mod leaderboard;
pub mod map;
pub mod multiples;
pub mod scatter;
pub mod shares;
pub mod sorted_scores;
pub mod spectrum;
pub mod tube;

pub use bars::{Bars, NamedBar, bars};
pub use cells::{Cells, cells};
pub use curves::{Baseline, Curve, Curves, Mark, curves};
pub use dependence::{BandLine, DependencePanel, DependencePlot, DependenceValues, dependence};
pub use drawing::Drawing;
pub use field::Field;
pub use labels::LabelColumn;
pub use map::{Background, Map, map};
pub use marks::{Group, Marks, Shape};
pub use multiples::{Multiples, Panel, multiples};
pub use raster::png;
pub use regions::Regions;
pub use scatter::{Scatter, scatter};
pub use shares::{ShareLine, Shares, shares};
pub use sorted_scores::{SortedScores, sorted_scores};
pub use spectrum::{Spectrum, spectrum};
pub use terminal::Screen;
pub use tube::{Tube, tube};

pub use colour::{CLASSES, hex};
pub use numbers::significant;
pub use svg::{FRAME, GRID, INK, PAPER, SOFT_INK, escape, shortened};

/// The title of an axis that shows component `index` (counted from 0), e.g. `component 1 (43.2 % of
/// variance)`.
pub fn component_title(index: usize, variance_ratio: Option<f64>) -> String {
    let name = format!("component {}", index + 1);
    match variance_ratio {
        Some(ratio) if ratio.is_finite() => {
            format!("{name} ({:.1} % of variance)", 100.0 * ratio)
        }
        _ => name,
    }
}

/// An integer with thin groups of three digits: `100,000`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_titles_name_the_component_and_its_share() {
        assert_eq!(component_title(0, Some(0.4321)), "component 1 (43.2 % of variance)");
        assert_eq!(component_title(1, None), "component 2");
        assert_eq!(component_title(1, Some(f64::NAN)), "component 2");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(count), text);
        }
    }
}
