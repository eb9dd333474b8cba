//! The block of numbers a kernel fills.

/// A mutable rows × cols block: place (i, j) is `data[i * stride + j]`.
#[derive(Debug)]
pub struct Tile<'a, T> {
    data: &'a mut [T],
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<'a, T> Tile<'a, T> {
    /// A rows × cols block at the start of `data`, whose rows begin `stride` apart.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize, stride: usize) -> Self {
        assert!(rows <= 1 || stride >= cols, "rows of {cols} overlap at stride {stride}");
        let needed = if rows == 0 { 0 } else { (rows - 1) * stride + cols };
        assert!(data.len() >= needed, "a tile of {needed} numbers in a slice of {}", data.len());
        Self { data, rows, cols, stride }
    }

    /// Rows of the block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the block.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The distance between the beginnings of neighbouring rows.
    #[doc(hidden)]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The underlying numbers, gaps between rows included.
    #[doc(hidden)]
    pub fn data(&mut self) -> &mut [T] {
        self.data
    }

    /// Row i of the block.
    pub fn row(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.stride..][..self.cols]
    }

    /// The same block, borrowed for a shorter time.
    #[doc(hidden)]
    pub fn reborrow(&mut self) -> Tile<'_, T> {
        Tile { data: self.data, rows: self.rows, cols: self.cols, stride: self.stride }
    }
}
