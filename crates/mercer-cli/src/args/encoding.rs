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
    /// What to do about columns of dates
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Dates::Refuse, value_name = "METHOD")]
    pub dates: Dates,
}
