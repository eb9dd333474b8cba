//! Tables of results in a report.

use mercer::io::Table;

/// A table of results.
#[derive(Debug)]
pub struct ReportTable {
    pub(super) caption: String,
    pub(super) table: Table,
    pub(super) most: usize,
}

/// Lines of a comparison that are shown.
const BEST: usize = 10;

impl ReportTable {
    /// The whole `table`.
    pub fn all(caption: impl Into<String>, table: Table) -> Self {
        Self { caption: caption.into(), most: table.n_rows(), table }
    }

    /// The first rows of `table`, sorted by importance.
    pub fn best(caption: impl Into<String>, table: Table) -> Self {
        Self { caption: caption.into(), most: BEST, table }
    }

    /// What it shows.
    #[cfg(test)]
    pub(crate) fn caption(&self) -> &str {
        &self.caption
    }

    /// Its cells.
    #[cfg(test)]
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// A sentence in the place of a table.
    pub fn sentence(text: impl Into<String>) -> Self {
        Self::all(text, Table::default())
    }
}
