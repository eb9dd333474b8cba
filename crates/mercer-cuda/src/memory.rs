//! Numbers in the memory of a device, and column-major matrices in them.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use cudarc::driver::{CudaSlice, DevicePtr};
use mercer::Result;

use crate::engine::{Engine, failed};

/// Doubles on the device.
pub(crate) struct Buffer {
    data: CudaSlice<f64>,
    address: u64,
}

impl Buffer {
    /// Room for `len` numbers, whose values are anything.
    pub fn new(engine: &Engine, len: usize) -> Result<Self> {
        // SAFETY: every number is written before it is read: tiles, products and copies fill whole buffers.
        let data = unsafe { engine.stream.alloc::<f64>(len.max(1)) }.map_err(failed)?;
        Ok(Self::holding(engine, data))
    }

    /// `len` zeros.
    pub fn zeros(engine: &Engine, len: usize) -> Result<Self> {
        let data = engine.stream.alloc_zeros::<f64>(len.max(1)).map_err(failed)?;
        Ok(Self::holding(engine, data))
    }

    /// A copy of `values`.
    pub fn from_host(engine: &Engine, values: &[f64]) -> Result<Self> {
        let mut buffer = Self::new(engine, values.len())?;
        if !values.is_empty() {
            let mut place = buffer.data.slice_mut(..values.len());
            engine.stream.memcpy_htod(values, &mut place).map_err(failed)?;
        }
        Ok(buffer)
    }

    fn holding(engine: &Engine, data: CudaSlice<f64>) -> Self {
        let address = data.device_ptr(&engine.stream).0;
        Self { data, address }
    }

    /// Copies numbers from `from` on to the host.
    pub fn read(&self, engine: &Engine, from: usize, out: &mut [f64]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let part = self.data.slice(from..from + out.len());
        engine.stream.memcpy_dtoh(&part, out).map_err(failed)?;
        engine.stream.synchronize().map_err(failed)
    }

    /// Takes over the numbers of another buffer of the same length.
    pub fn copy(&mut self, engine: &Engine, from: &Self) -> Result<()> {
        engine.stream.memcpy_dtod(&from.data, &mut self.data).map_err(failed)
    }

    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// The numbers from `from` on as a rows × cols matrix whose columns start `ld` apart.
    pub fn view(&self, from: usize, rows: usize, cols: usize, ld: usize) -> View<'_> {
        assert!(ld >= rows, "columns overlap");
        let end = if rows * cols == 0 { from } else { from + (cols - 1) * ld + rows };
        assert!(end <= self.len(), "a matrix beyond its buffer");
        View { address: self.address + 8 * from as u64, rows, cols, ld, buffer: PhantomData }
    }

    /// All numbers as one column.
    pub fn column(&self) -> View<'_> {
        self.view(0, self.len(), 1, self.len())
    }
}

/// A column-major matrix within a buffer. Work on one device is done in order, so that views may overlap.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub address: u64,
    pub rows: usize,
    pub cols: usize,
    pub ld: usize,
    buffer: PhantomData<&'a Buffer>,
}

impl<'a> View<'a> {
    /// `rows` × `cols` of it, from (row, col) on.
    pub fn part(self, row: usize, rows: usize, col: usize, cols: usize) -> View<'a> {
        assert!(row + rows <= self.rows && col + cols <= self.cols, "a part beyond its matrix");
        let at = if rows * cols == 0 { 0 } else { col * self.ld + row };
        View { address: self.address + 8 * at as u64, rows, cols, ..self }
    }
}
