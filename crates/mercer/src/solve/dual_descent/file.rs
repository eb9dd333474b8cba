//! Rows of features in a temporary file, for more of them than memory has room for.
//!
//! The operating system keeps in memory of it what it has room for, and gives that back when others ask for it. The file has no name where the system lets an open file be removed, so that nothing is left of it
//! however the process ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::features::{Chosen, FeatureRows, PIECE};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::rows::dot;
use crate::linalg::view::Mat;

use rayon::prelude::*;

/// Bytes that are read at a time, about.
const READ: usize = 4 << 20;
/// Rows that nobody asked for are read, too, if no more than this lie between two that somebody did.
const GAP: usize = 8;

/// Rows of features in a file.
pub struct FileRows {
    file: Unnamed,
    m: usize,
    most: usize,
    squares: Vec<f64>,
}

/// A file that is removed with the value at the latest.
struct Unnamed {
    file: File,
    /// Where it still lies.
    path: Option<PathBuf>,
    /// Where it was made.
    folder: PathBuf,
}

impl Unnamed {
    fn create() -> Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let folder = std::env::temp_dir();
        loop {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".mercer-features-{}-{count}", std::process::id()));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(Error::file(path, error)),
                Ok(file) => {
                    let path = fs::remove_file(&path).is_err().then_some(path);
                    return Ok(Self { file, path, folder });
                }
            }
        }
    }

    /// An error of the system.
    fn failed(&self, error: io::Error) -> Error {
        let advice = "the features of all rows are written to a file there: choose a directory with room for them (TMPDIR), use fewer landmarks or raise the memory budget";
        let told = io::Error::new(error.kind(), format!("{error}: {advice}"));
        Error::file(&self.folder, told)
    }

    #[cfg(unix)]
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, at)
    }

    #[cfg(not(unix))]
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _turn = TURN.lock();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}

impl Drop for Unnamed {
    /// Nobody can act on a failure to remove the file.
    fn drop(&mut self) {
        self.path.iter().for_each(|path| drop(fs::remove_file(path)));
    }
}

impl FileRows {
    /// No rows of m features yet, of which `most` may be chosen at a time.
    pub fn new(m: usize, most: usize) -> Result<Self> {
        Ok(Self { file: Unnamed::create()?, m, most, squares: Vec::new() })
    }

    /// Adds rows.
    pub fn push(&mut self, rows: &Mat<f32>) -> Result<()> {
        let mut bytes = Vec::with_capacity(4 * rows.data().len());
        rows.data().iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        self.file.file.write_all(&bytes).map_err(|error| self.file.failed(error))?;
        let square = |row: &[f32]| row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
        self.squares.extend((0..rows.rows()).map(|i| square(rows.row(i))));
        Ok(())
    }

    /// Rows that are read at a time: whole pieces.
    fn part(&self) -> usize {
        (READ / (4 * self.m.max(1))).next_multiple_of(PIECE).max(PIECE)
    }

    /// Writes some rows to `out`, as many numbers.
    fn read(&self, rows: &[usize], out: &mut [f32]) -> Result<()> {
        let mut from = 0;
        let mut bytes = Vec::new();
        while from < rows.len() {
            let end = self.end_of_run(rows, from);
            let (first, last) = (rows[from], rows[end - 1]);
            bytes.resize(4 * self.m * (last + 1 - first), 0);
            let at = 4 * self.m as u64 * first as u64;
            self.file.read(&mut bytes, at).map_err(|error| self.file.failed(error))?;
            for (&row, out) in rows[from..end].iter().zip(out[from * self.m..].chunks_mut(self.m)) {
                let own = bytes[4 * self.m * (row - first)..].as_chunks().0;
                out.iter_mut().zip(own).for_each(|(out, own)| *out = f32::from_le_bytes(*own));
            }
            from = end;
        }
        Ok(())
    }

    /// Where rows that begin at `from` and follow each other closely end.
    fn end_of_run(&self, rows: &[usize], from: usize) -> usize {
        let follows = |i: usize| rows[i] > rows[i - 1] && rows[i] - rows[i - 1] <= GAP;
        let most = (from + self.part()).min(rows.len());
        (from + 1..most).find(|&i| !follows(i)).unwrap_or(most)
    }

    fn loaded(&self, rows: &[usize]) -> Result<Mat<f32>> {
        let mut out = Mat::try_zeros(rows.len(), self.m)?;
        self.read(rows, out.data_mut())?;
        Ok(out)
    }

    /// Reads rows part by part, the next while one is worked on.
    fn each(
        &self,
        ctx: &Context,
        rows: &[usize],
        mut work: impl FnMut(usize, &Mat<f32>) + Send,
    ) -> Result<()> {
        let size = self.part();
        let mut parts = rows.chunks(size).enumerate();
        let Some((_, first)) = parts.next() else { return Ok(()) };
        let mut here = self.loaded(first)?;
        for (at, next) in parts {
            ctx.poll()?;
            let worked = || work((at - 1) * size, &here);
            let (read, ()) = ctx.install(|| rayon::join(|| self.loaded(next), worked));
            here = read?;
        }
        ctx.install(|| work((rows.len() - 1) / size * size, &here));
        Ok(())
    }
}

impl FeatureRows for FileRows {
    fn m(&self) -> usize {
        self.m
    }

    fn most(&self) -> usize {
        self.most
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn products(&self, ctx: &Context, rows: &[usize], w: &[f64], out: &mut [f64]) -> Result<()> {
        self.each(ctx, rows, |from, part| {
            let own = out[from..from + part.rows()].par_iter_mut().enumerate();
            own.with_min_len(PIECE / 8).for_each(|(i, out)| dot(part.row(i), w, out));
        })
    }

    fn sum(&self, ctx: &Context, beta: &[(usize, f64)]) -> Result<Vec<f64>> {
        let rows: Vec<usize> = beta.iter().map(|(row, _)| *row).collect();
        let mut sum = vec![0.0; self.m];
        self.each(ctx, &rows, |from, part| {
            let own = &beta[from..from + part.rows()];
            super::features::add_pieces(|i| part.row(i), own, &mut sum);
        })?;
        Ok(sum)
    }

    fn chosen(&self, _: &Context, rows: &[usize]) -> Result<Chosen<'_>> {
        Ok(Chosen::Copied(self.loaded(rows)?))
    }
}
