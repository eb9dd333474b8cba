//! A column of numbers most of which are zero.

/// The numbers of a column that are not zero, with their rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseColumn {
    len: usize,
    rows: Vec<u32>, // ascending, all below `len`
    values: Vec<f64>,
}

impl SparseColumn {
    /// Bytes that a number takes which is not zero.
    pub const ENTRY: usize = size_of::<u32>() + size_of::<f64>();

    /// A column of `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self { len, rows: Vec::new(), values: Vec::new() }
    }

    /// Puts a number into `row`, which must lie behind all rows that have one already. A zero needs no place.
    pub fn push(&mut self, row: u32, value: f64) {
        debug_assert!(self.rows.last().is_none_or(|last| *last < row) && (row as usize) < self.len);
        if value != 0.0 {
            self.rows.push(row);
            self.values.push(value);
        }
    }

    /// Appends the cells of `more`.
    pub fn append(&mut self, more: &Self) {
        let before = self.len as u32;
        self.rows.extend(more.rows.iter().map(|row| before + row));
        self.values.extend(&more.values);
        self.len += more.len;
    }

    /// The number of cells, zeros and all.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number in a row.
    pub fn number(&self, row: usize) -> f64 {
        let place = self.rows.binary_search_by(|own| (*own as usize).cmp(&row));
        place.map_or(0.0, |place| self.values[place])
    }

    /// Multiplies every number by `factor`.
    pub fn stretch(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|value| *value *= factor);
    }

    /// The numbers that are not zero, each with its row, ascending.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        self.rows.iter().zip(&self.values).map(|(&row, &value)| (row as usize, value))
    }
}
