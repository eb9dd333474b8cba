//! Flags that say how columns become numbers.

use clap::{Args, ValueEnum};
use mercer::io::encoding;

/// What happens to missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// Stop with a list of all columns that have missing values
    Refuse,
    /// Leave out rows with a missing value
    Drop,
    /// Fill numbers with the median of their column, categories with the most frequent one
    Median,
    /// Fill every column with its most frequent value
    MostFrequent,
}

impl From<Missing> for encoding::Missing {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Refuse => encoding::Missing::Refuse,
            Missing::Drop => encoding::Missing::Drop,
            Missing::Median => encoding::Missing::Median,
            Missing::MostFrequent => encoding::Missing::MostFrequent,
        }
    }
}

/// What happens to dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dates {
    /// Stop: dates are not numbers
    Refuse,
    /// Use year, month, day, weekday and hour as columns
    Expand,
}

impl From<Dates> for encoding::Dates {
    fn from(dates: Dates) -> Self {
        match dates {
            Dates::Refuse => encoding::Dates::Refuse,
            Dates::Expand => encoding::Dates::Expand,
        }
    }
}

/// A column, by name or position, and its categories in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The column.
    pub column: String,
    /// Its categories, the lowest first.
    pub levels: Vec<String>,
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.column, self.levels.join(","))
    }
}

/// Reads `size=small,medium,large`.
fn order(text: &str) -> Result<Order, String> {
    let Some((column, levels)) = text.split_once('=') else {
        return Err(
            "expected a column and its categories in order, as in size=small,medium,large".into()
        );
    };
    let levels: Vec<String> = levels.split(',').map(|level| level.trim().to_string()).collect();
    if levels.len() < 2 || levels.iter().any(String::is_empty) {
        return Err(format!(
            "at least two categories are required, separated by commas, as in {column}=low,high"
        ));
    }
    let is_repeated = |(place, level): (usize, &String)| levels[..place].contains(level);
    if let Some(place) = levels.iter().enumerate().position(is_repeated) {
        return Err(format!("category {:?} is listed twice", levels[place]));
    }
    Ok(Order { column: column.trim().to_string(), levels })
}

/// How columns become numbers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct EncodingArgs {
    /// What to do about missing values (empty cells, NA, NaN, null, ?); what fills them is stored in the
    /// model [default: median]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub missing: Option<Missing>,
    /// Columns that hold categories although they look like numbers or free text, e.g. `zip,region`. Text
    /// columns of few different values are recognised as such
    #[arg(hide_short_help = true, long, value_name = "COLUMNS")]
    pub categories: Option<String>,
    /// A column whose categories have an order, and its categories from the lowest to the highest, e.g. `size=small,medium,large`:
    /// they become ranks. Can be repeated
    #[arg(hide_short_help = true, long, value_name = "COLUMN=A,B,…", value_parser = order)]
    pub ordered: Vec<Order>,
    /// What to do about columns of dates
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Dates::Refuse, value_name = "METHOD")]
    pub dates: Dates,
}
