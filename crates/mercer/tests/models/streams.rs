//! Fits on rows in blocks: any layout of blocks gives the fit in memory, to the last bit.

use std::borrow::Cow;

use mercer::io::stream::{StreamRows, TableStream};
use mercer::io::{Column, ReadOptions, Table, write_table};
use mercer::model::detector::{Detector, DetectorParams};
use mercer::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkParams, Regrouped, RowBlock, RowBlocks, Whole,
};
use mercer::points::Points as _;
use mercer::prelude::*;
use mercer::{AnySamples, Dtype};

use crate::naive::{difference, normal};

const N: usize = 5000;

fn dense(n: usize) -> Dense<f64> {
    crate::naive::dense(&normal(n, 3, 1), n, 3)
}

fn targets(x: &Dense<f64>) -> Mat<f64> {
    Mat::from_fn(x.n(), 1, |i, _| 50.0 + x.row(i)[0].sin() + x.row(i)[1])
}

/// Rows in blocks of the given sizes, over and over.
struct Cut<'a> {
    x: AnySamples,
    y: Option<&'a Mat<f64>>,
    sizes: &'static [usize],
    at: usize,
    turn: usize,
    rows: Option<u64>,
    most_passes: usize,
    passes: usize,
}

impl<'a> Cut<'a> {
    fn new(x: &Dense<f64>, y: Option<&'a Mat<f64>>, sizes: &'static [usize]) -> Self {
        let x: AnySamples = x.into();
        Self { x, y, sizes, at: 0, turn: 0, rows: None, most_passes: usize::MAX, passes: 0 }
    }
}

impl RowBlocks for Cut<'_> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        if passes.max(self.passes + 1) > self.most_passes {
            return Err(Error::Shape("the rows cannot be read so often".into()));
        }
        (self.passes, self.at, self.turn) = (self.passes + 1, 0, 0);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let size = self.sizes[self.turn % self.sizes.len()];
        let rows: Vec<usize> = (self.at..(self.at + size).min(self.x.n())).collect();
        (self.at, self.turn) = (self.at + rows.len(), self.turn + 1);
        if rows.is_empty() {
            return Ok(None);
        }
        let mut block = RowBlock::new(self.x.select(&rows));
        block.targets =
            self.y.map(|y| Cow::Owned(Mat::from_fn(rows.len(), y.cols(), |i, j| y[(rows[i], j)])));
        Ok(Some(block))
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn is_once(&self) -> bool {
        self.most_passes == 1
    }
}

fn rbf() -> KernelSpec {
    "rbf(gamma=0.4)".parse().unwrap()
}

#[test]
fn any_layout_of_blocks_is_the_fit_in_memory() {
    let ctx = Context::new(2);
    let x = dense(N);
    let y = targets(&x);
    let pca = KernelPca::params(rbf()).components(3).landmarks(30);
    let ridge = KernelRidge::params(rbf()).alpha(0.1).intercept(true).landmarks(30);
    let whole = pca.fit_in(&ctx, &x).unwrap();
    let whole_ridge = ridge.fit_in(&ctx, &x, &Targets::matrix(y.clone())).unwrap();
    for sizes in [&[1024_usize][..], &[N], &[1], &[700, 1, 4096], &[1023, 1025], &[2048, 100]] {
        let mut rows = Regrouped::new(Cut::new(&x, None, sizes));
        let found = KernelPca::fit_blocks(&Context::new(1), &pca, &mut rows, Dtype::F64).unwrap();
        assert_eq!(found.coef, whole.coef, "{sizes:?}");
        assert_eq!(found.report.landmarks, whole.report.landmarks, "{sizes:?}");
        let mut rows = Regrouped::new(Cut::new(&x, Some(&y), sizes));
        let found = KernelRidge::fit_blocks(&ctx, &ridge, &mut rows, Dtype::F64).unwrap();
        assert_eq!(found.coef, whole_ridge.coef, "{sizes:?}");
        assert_eq!(found.offset, whole_ridge.offset, "{sizes:?}");
    }
}

#[test]
fn given_landmarks_take_one_pass_and_halves_are_one_fit() {
    let ctx = Context::new(2);
    let x = dense(N);
    let y = targets(&x);
    let given = x.select(&(0..40).map(|i| 9 * i).collect::<Vec<_>>());
    let count = LandmarkCount::Given(GivenLandmarks::new(&given));
    let params = LandmarkParams::new(count).keep_sums(true);
    let ridge =
        KernelRidge::params("rbf(gamma=scale)".parse().unwrap()).alpha(0.1).landmarks(params);
    let mut once = Cut { most_passes: 1, ..Cut::new(&x, Some(&y), &[700]) };
    let found = KernelRidge::fit_blocks(&ctx, &ridge, &mut Regrouped::new(&mut once), Dtype::F64);
    let found = found.unwrap();
    let whole = ridge.fit_in(&ctx, &x, &Targets::matrix(y.clone())).unwrap();
    assert_eq!(found.coef, whole.coef);
    // How nearly the exact system is solved takes one more pass.
    let full_system = |model: &KernelRidge| model.report.landmarks.clone().unwrap().full_system;
    assert!(full_system(&found).is_none() && full_system(&whole).is_some());
    let half = |rows: std::ops::Range<usize>| {
        let rows: Vec<usize> = rows.collect();
        let y = Mat::from_fn(rows.len(), 1, |i, _| y[(rows[i], 0)]);
        (x.select(&rows), y)
    };
    let (first, second) = (half(0..2048), half(2048..N));
    let mut parts = Whole::new(&first.0, Some(&first.1), None);
    let mut model = KernelRidge::fit_blocks(&ctx, &ridge, &mut parts, Dtype::F64).unwrap();
    model.continue_with(&ctx, &mut Whole::new(&second.0, Some(&second.1), None)).unwrap();
    // Sums are added up in another order.
    let largest = whole.coef.data().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(difference(model.coef.data(), whole.coef.data()) < 1e-10 * largest);
    assert_eq!(model.report.landmarks.unwrap().rows, N as u64);
}

#[test]
fn a_detector_of_blocks_is_that_in_memory() {
    let ctx = Context::new(2);
    let x = dense(3000);
    let mut params = DetectorParams::new(rbf());
    params.pca.landmarks = Some(40.into());
    let whole = Detector::fit(&ctx, &params, &x).unwrap();
    let mut rows = Regrouped::new(Cut::new(&x, None, &[777]));
    let found = Detector::fit_blocks(&ctx, &params, &mut rows, Dtype::F64).unwrap();
    assert_eq!(found.training, whole.training);
    assert_eq!(found.threshold, whole.threshold);
}

#[test]
fn sources_that_end_early_or_change_are_refused() {
    let ctx = Context::new(1);
    let x = dense(3000);
    let pca = KernelPca::params(rbf()).components(2).landmarks(10);
    let refused = |rows: Cut<'_>| {
        let fit = KernelPca::fit_blocks(&ctx, &pca, &mut Regrouped::new(rows), Dtype::F64);
        fit.err().expect("refused").to_string()
    };
    let early = Cut { rows: Some(4000), ..Cut::new(&x, None, &[500]) };
    assert!(refused(early).contains("ended after 3000 of 4000 rows"));
    struct Shrinking(Whole<'static>, usize);
    impl RowBlocks for Shrinking {
        fn rewind(&mut self, _: usize) -> Result<()> {
            self.1 -= 700;
            let x = dense(self.1);
            self.0 = Whole::new(&x, None, None);
            Ok(())
        }
        fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
            self.0.next()
        }
    }
    let mut rows = Shrinking(Whole::new(&x, None, None), 3000);
    let fit = KernelPca::fit_blocks(&ctx, &pca, &mut rows, Dtype::F64);
    let error = fit.err().expect("refused").to_string();
    assert!(error.contains("rows in the first pass but"), "{error}");
}

#[test]
fn a_table_in_files_is_the_table_in_memory() {
    let ctx = Context::new(2);
    let x = dense(3000);
    let y = targets(&x);
    let folder = std::env::temp_dir().join(format!("mercer-models-streams-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let column = |j: usize| Column::F64((0..3000).map(|i| x.row(i)[j]).collect());
    let target = Column::F64((0..3000).map(|i| y[(i, 0)]).collect());
    let names = ["a", "b", "c", "y"].map(String::from).to_vec();
    let table = Table::new(names, vec![column(0), column(1), column(2), target]);
    write_table(&folder.join("t.csv"), &table).unwrap();
    let mut stream = TableStream::open(&folder.join("t.csv"), &ReadOptions::default()).unwrap();
    stream.set_block_rows(900);
    let convert = |table: Table| {
        let x = table.clone().keep(&[0, 1, 2]);
        let x = Dense::<f64>::from_vec(x.matrix()?, x.n_rows(), 3)?;
        let y = table.keep(&[3]).matrix::<f64>()?;
        let y = Mat::from_vec(y, x.n(), 1);
        Ok(Some(RowBlock { targets: Some(Cow::Owned(y)), ..RowBlock::new(x) }))
    };
    let ridge = KernelRidge::params(rbf()).alpha(0.1).landmarks(30);
    let mut rows = Regrouped::new(StreamRows::new(stream, true, convert));
    let found = KernelRidge::fit_blocks(&ctx, &ridge, &mut rows, Dtype::F64).unwrap();
    let whole = ridge.fit_in(&ctx, &x, &Targets::matrix(y.clone())).unwrap();
    assert_eq!(found.coef, whole.coef);
    std::fs::remove_dir_all(&folder).unwrap();
}
