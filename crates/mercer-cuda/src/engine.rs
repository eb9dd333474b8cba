//! One device: its stream of work, cuBLAS, and the kernels of `kernels.cu`.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::cublas::CudaBlas;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use flate2::read::GzDecoder;
use mercer::{Error, Result};

use crate::driver::need_cublas;
use crate::memory::{Buffer, View};

/// The kernels as the driver takes them, compressed.
const PTX: &[u8] = include_bytes!("kernels/kernels.ptx.gz");

fn ptx() -> Ptx {
    let mut text = String::new();
    GzDecoder::new(PTX).read_to_string(&mut text).expect("the kernels are text");
    Ptx::from_src(text)
}

const FUNCTIONS: [&str; 16] = [
    "tile_dot",
    "tile_squared_distance",
    "tile_manhattan",
    "tile_minimum",
    "tile_chi_product",
    "tile_chi_distance",
    "tile_jensen_shannon",
    "tile_capped_difference",
    "tile_mismatches",
    "finish",
    "merge",
    "scale_outer",
    "less",
    "add_diagonal",
    "read_diagonal",
    "factor_block",
];

/// Rows and columns of the tile of a block of threads, and its threads; the same as in `kernels.cu`.
const SIDE: usize = 64;
const THREADS: u32 = 256;

/// A device that is open.
pub(crate) struct Engine {
    pub stream: Arc<CudaStream>,
    pub blas: CudaBlas,
    functions: BTreeMap<&'static str, CudaFunction>,
    pub name: String,
    /// Work of several threads takes turns, so that each has the device's memory for itself.
    turn: Mutex<()>,
}

/// What the driver says, as an error of this library.
pub(crate) fn failed(error: DriverError) -> Error {
    let advice = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            "the device is out of memory: fit on fewer rows, end other programs that use it, or use device cpu"
        }
        CUresult::CUDA_ERROR_NO_DEVICE => "the CUDA driver finds no device: use device cpu",
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "the driver of the device is too old: install a newer one, or use device cpu"
        }
        _ => "the CUDA device failed: try again in a new process, or use device cpu",
    };
    Error::Device(format!("{advice} ({error})"))
}

/// The formula of kernel values and how they join what is in their place.
#[derive(Clone, Copy)]
pub(crate) struct Finish {
    pub code: i32,
    pub constants: [f64; 3],
    pub scale: f64,
    pub join: Join,
}

/// How a value joins what is in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Replace = 0,
    Add = 1,
    Multiply = 2,
}

/// Squared norms of rows and columns, and where they are the same rows, how many columns come before.
pub(crate) struct Norms<'a> {
    pub rows: View<'a>,
    pub cols: View<'a>,
    pub shift: Option<i64>,
}

impl Engine {
    pub fn new(number: u32) -> Result<Self> {
        need_cublas()?;
        let context = CudaContext::new(number as usize).map_err(failed)?;
        let stream = context.default_stream();
        let blas = CudaBlas::new(stream.clone()).map_err(|error| {
            Error::Device(format!("cuBLAS cannot be used on device cuda:{number} ({error})"))
        })?;
        let module = context.load_module(ptx()).map_err(failed)?;
        let load = |name| Ok((name, module.load_function(name).map_err(failed)?));
        let functions = FUNCTIONS.into_iter().map(load).collect::<Result<_>>()?;
        let name = context.name().map_err(failed)?;
        Ok(Self {
            stream,
            blas,
            functions,
            name: format!("{name} (cuda:{number})"),
            turn: Mutex::new(()),
        })
    }

    /// Waits for work of other threads.
    pub fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.stream.context().bind_to_thread().map_err(failed)?;
        Ok(turn)
    }

    /// Bytes of the device's memory that are free.
    pub fn free(&self) -> Result<u64> {
        Ok(self.stream.context().mem_get_info().map_err(failed)?.0 as u64)
    }

    pub fn wait(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed)
    }

    /// Fills `out` with kernel values of the rows and columns that start at `x` and `y`, each d numbers side by side.
    pub fn tile(
        &self,
        name: &'static str,
        (x, y): (View<'_>, View<'_>),
        finish: Finish,
        out: View<'_>,
    ) -> Result<()> {
        assert!(x.rows == y.rows && (x.cols, y.cols) == (out.rows, out.cols), "a tile's shape");
        if out.rows == 0 || out.cols == 0 {
            return Ok(());
        }
        let (n, m, ld, d) = (out.rows as i64, out.cols as i64, out.ld as i64, x.rows as i32);
        let [a, b, c] = finish.constants;
        let join = finish.join as i32;
        let mut launch = self.stream.launch_builder(&self.functions[name]);
        launch.arg(&x.address).arg(&y.address).arg(&n).arg(&m).arg(&d).arg(&out.address).arg(&ld);
        launch.arg(&finish.code).arg(&a).arg(&b).arg(&c).arg(&finish.scale).arg(&join);
        let blocks = |n: usize| n.div_ceil(SIDE) as u32;
        let grid = LaunchConfig {
            grid_dim: (blocks(out.rows), blocks(out.cols), 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of `TILE`; x, y and out lie within live buffers and have the shapes that are passed, and the kernel
        // reads and writes nothing beyond them.
        unsafe { launch.launch(grid) }.map(drop).map_err(failed)
    }

    /// Dot products in `out` become kernel values.
    pub fn finish(&self, out: View<'_>, norms: Option<&Norms<'_>>, finish: Finish) -> Result<()> {
        let (n, m, ld) = (out.rows as i64, out.cols as i64, out.ld as i64);
        let (rows, cols) = norms.map_or((0, 0), |norms| {
            assert!((norms.rows.rows, norms.cols.rows) == (out.rows, out.cols), "norms of others");
            (norms.rows.address, norms.cols.address)
        });
        let shift = norms.and_then(|norms| norms.shift);
        let (distances, same) = (i32::from(norms.is_some()), i32::from(shift.is_some()));
        let shift = shift.unwrap_or(0);
        let [a, b, c] = finish.constants;
        let mut launch = self.stream.launch_builder(&self.functions["finish"]);
        launch.arg(&out.address).arg(&n).arg(&m).arg(&ld).arg(&distances).arg(&rows).arg(&cols);
        launch.arg(&same).arg(&shift).arg(&finish.code).arg(&a).arg(&b).arg(&c);
        // SAFETY: the arguments are those of `finish`; norms are as many as rows and columns, or not read.
        unsafe { each(out).map_or(Ok(None), |grid| launch.launch(grid)) }.map(drop).map_err(failed)
    }

    /// `values` join what is in `out`.
    pub fn merge(&self, out: View<'_>, values: View<'_>, scale: f64, join: Join) -> Result<()> {
        assert!((out.rows, out.cols) == (values.rows, values.cols), "matrices of other shapes");
        let (n, m) = (out.rows as i64, out.cols as i64);
        let (ld, values_ld, join) = (out.ld as i64, values.ld as i64, join as i32);
        let mut launch = self.stream.launch_builder(&self.functions["merge"]);
        launch.arg(&out.address).arg(&values.address).arg(&n).arg(&m).arg(&ld).arg(&values_ld);
        launch.arg(&scale).arg(&join);
        // SAFETY: the arguments are those of `merge`, of two matrices of one shape.
        unsafe { each(out).map_or(Ok(None), |grid| launch.launch(grid)) }.map(drop).map_err(failed)
    }

    /// `out` times `left` for each row and `right` for each column, or less these numbers.
    pub fn outer(
        &self,
        name: &'static str,
        out: View<'_>,
        left: View<'_>,
        right: View<'_>,
    ) -> Result<()> {
        assert!((left.rows, right.rows) == (out.rows, out.cols), "numbers of other rows");
        let (n, m, ld) = (out.rows as i64, out.cols as i64, out.ld as i64);
        let mut launch = self.stream.launch_builder(&self.functions[name]);
        launch.arg(&out.address).arg(&n).arg(&m).arg(&ld).arg(&left.address).arg(&right.address);
        // SAFETY: the arguments are those of `scale_outer` and `less`, a number for each row and each column.
        unsafe { each(out).map_or(Ok(None), |grid| launch.launch(grid)) }.map(drop).map_err(failed)
    }

    /// Copies a column to the host.
    pub fn read(&self, column: View<'_>, out: &mut [f64]) -> Result<()> {
        assert!(column.cols == 1 && column.rows == out.len(), "a column of another length");
        self.wait()?;
        // SAFETY: the column lies within a live buffer and is as long as `out`.
        unsafe { cudarc::driver::result::memcpy_dtoh_sync(out, column.address) }.map_err(failed)
    }

    /// Adds `ridge` to the diagonal.
    pub fn add_diagonal(&self, out: View<'_>, ridge: f64) -> Result<()> {
        assert!(out.rows == out.cols, "the diagonal of a square");
        let (n, ld) = (out.rows as i64, out.ld as i64);
        let mut launch = self.stream.launch_builder(&self.functions["add_diagonal"]);
        launch.arg(&out.address).arg(&n).arg(&ld).arg(&ridge);
        // SAFETY: the arguments are those of `add_diagonal`, of a square within a buffer.
        unsafe { launch.launch(line(out.rows)) }.map(drop).map_err(failed)
    }

    /// The diagonal of a square.
    pub fn diagonal(&self, of: View<'_>) -> Result<Vec<f64>> {
        assert!(of.rows == of.cols, "the diagonal of a square");
        let found = Buffer::new(self, of.rows)?;
        let (n, ld, to) = (of.rows as i64, of.ld as i64, found.column().address);
        let mut launch = self.stream.launch_builder(&self.functions["read_diagonal"]);
        launch.arg(&of.address).arg(&n).arg(&ld).arg(&to);
        // SAFETY: the arguments are those of `read_diagonal`; `found` has room for as many numbers.
        unsafe { launch.launch(line(of.rows)) }.map_err(failed)?;
        let mut values = vec![0.0; of.rows];
        found.read(self, 0, &mut values)?;
        Ok(values)
    }

    /// The Cholesky factor of a square of at most 64 rows, in place. `flag` is not 0 afterwards where there is none.
    pub fn factor_block(&self, a: View<'_>, flag: View<'_>) -> Result<()> {
        assert!(a.rows == a.cols && a.rows <= SIDE && flag.rows > 0, "a small square");
        let (n, ld) = (a.rows as i32, a.ld as i64);
        let mut launch = self.stream.launch_builder(&self.functions["factor_block"]);
        launch.arg(&a.address).arg(&n).arg(&ld).arg(&flag.address);
        let grid =
            LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those of `factor_block`, of a square within a buffer; the flag has room for an int.
        unsafe { launch.launch(grid) }.map(drop).map_err(failed)
    }
}

/// A thread for each row and a block for each column; nothing to do for an empty matrix.
fn each(out: View<'_>) -> Option<LaunchConfig> {
    let blocks = (out.rows as u32).div_ceil(THREADS);
    (out.rows > 0 && out.cols > 0).then(|| LaunchConfig {
        grid_dim: (blocks, (out.cols as u32).min(65_535), 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    })
}

/// A thread for each row.
fn line(rows: usize) -> LaunchConfig {
    let blocks = (rows as u32).div_ceil(THREADS).max(1);
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}
