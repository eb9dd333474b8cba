//! What columns add to the predictions of single rows.

use mercer::Result;
use mercer::io::Table;
use serde::Serialize;

use super::additive::column_sets;
use super::dependence::sample;
use super::{Response, Subject};
use crate::explain::{
    Attribution, ColumnSet, Explained, SourceColumn, additive, cell_text, shapley,
};
use crate::facts::counted;
use crate::plot::{self, Bars, Drawing, NamedBar, significant};
use crate::report::Explanation;

/// Background rows of exact contributions, and of Shapley values.
const BACKGROUND: [usize; 2] = [200, 32];
/// Orders of columns for Shapley values, each with its reverse, and the fewest of many columns.
const ORDERS: [usize; 2] = [64, 4];
/// The most predictions for each row, unless that leaves too few orders.
const PREDICTIONS: usize = 20_000;
/// Columns that are drawn.
const DRAWN: usize = 10;

/// What columns add to the prediction of a row.
#[derive(Debug, Serialize)]
pub struct RowContributions {
    /// The number of the row in its table, counted from 1.
    row: usize,
    /// The class whose score is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// Whether contributions are exact, or Shapley values from random orders of the columns.
    exact: bool,
    /// The columns, or sets of columns, and their values.
    columns: Vec<[String; 2]>,
    /// What they add.
    #[serde(flatten)]
    attribution: Attribution,
    /// What the row is, for the picture.
    #[serde(skip)]
    title: String,
    /// What is explained, for the picture.
    #[serde(skip)]
    explained: String,
}

/// The contributions for the rows that are predicted worst.
pub fn of_rows(subject: &Subject<'_>, response: &Response<'_>) -> Result<Vec<RowContributions>> {
    let sources = subject.sources();
    let exact = column_sets(subject.saved, &sources);
    let sets = exact.clone().unwrap_or_else(|| of_sources(&sources));
    if sets.len() < 2 {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for row in subject.worst_rows() {
        let class = response.class_of(row);
        let mut respond = |table: &Table| response.of_class(table, class);
        let features = subject.features;
        let most = BACKGROUND[usize::from(exact.is_none())];
        let background = sample(subject.evaluated.counted, most);
        let explained = Explained { features, row, background: &background };
        let attribution = match exact.is_some() {
            true => additive(explained, &sets, &mut respond)?,
            false => shapley(explained, &sets, orders(sets.len()), &mut respond)?,
        };
        found.push(RowContributions {
            row: subject.evaluated.numbers[row],
            class: class.and_then(|class| Some(response.classes()?[class].clone())),
            exact: exact.is_some(),
            columns: sets.iter().map(|set| named(set, &sources, features, row)).collect(),
            attribution,
            title: subject.row_title(row),
            explained: response.title(class),
        });
    }
    Ok(found)
}

/// Fewer orders for many columns.
fn orders(columns: usize) -> usize {
    (PREDICTIONS / (2 * columns)).clamp(ORDERS[1], ORDERS[0])
}

/// One set for each column of the table, which may stand in several groups of a kernel.
fn of_sources(sources: &[SourceColumn]) -> Vec<ColumnSet> {
    let mut sets: Vec<ColumnSet> = Vec::new();
    for source in sources {
        match sets.iter_mut().find(|set| set.name == source.name) {
            Some(set) => set.columns.extend(source.columns.clone()),
            None => sets.push(ColumnSet {
                name: source.name.clone(),
                columns: source.columns.clone().collect(),
            }),
        }
    }
    sets
}

/// A set and its values in a row: `["size", "large"]`.
fn named(set: &ColumnSet, sources: &[SourceColumn], features: &Table, row: usize) -> [String; 2] {
    let own = sources.iter().filter(|source| set.columns.contains(&source.columns.start));
    let mut texts: Vec<String> = own.map(|source| cell_text(features, source, row)).collect();
    texts.truncate(set.name.split(", ").count().max(1));
    [set.name.clone(), texts.join(", ")]
}

/// The section of a report.
pub fn section(rows: &[RowContributions], response: &Response<'_>) -> Option<Explanation> {
    let first = rows.first()?;
    let how = match first.exact {
        true => "The kernel is a sum over columns, so that contributions are exact.",
        false => {
            "Contributions are Shapley values, averaged over random orders of the columns; ± standard error over the orders."
        }
    };
    let text = format!(
        "What each column adds to the prediction of the {} that {} predicted worst, relative to the mean prediction over other rows: contributions and that mean add up to the \
         prediction. {how}{}",
        counted(rows.len(), "row"),
        if rows.len() == 1 { "is" } else { "are" },
        response.of_first()
    );
    let pictures = rows.iter().map(draw).collect();
    Some(Explanation {
        heading: "Contributions of columns to single predictions",
        text,
        pictures,
        tables: Vec::new(),
    })
}

fn draw(row: &RowContributions) -> Drawing {
    let Attribution { prediction, base, values, std_errors } = &row.attribution;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    let rest = order.split_off(order.len().min(DRAWN));
    let bar = |&place: &usize| NamedBar {
        name: row.columns[place].join(" = "),
        value: values[place],
        error: if row.exact { f64::NAN } else { std_errors[place] },
    };
    let mut bars: Vec<NamedBar> = order.iter().map(bar).collect();
    if !rest.is_empty() {
        let name = format!("{} other columns", rest.len());
        let value = rest.iter().map(|&place| values[place]).sum();
        bars.push(NamedBar { name, value, error: f64::NAN });
    }
    let numbers = [*prediction, *base].map(|value| significant(value, 4));
    let subtitle = format!("{}: {}, {} on average", row.explained, numbers[0], numbers[1]);
    plot::bars(&Bars {
        title: &row.title,
        subtitle: &subtitle,
        x_title: &format!("contribution to the {}", row.explained),
        bars: &bars,
    })
}
