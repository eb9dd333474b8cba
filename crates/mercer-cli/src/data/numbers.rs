//! The numbers of a table, scaled.

use mercer::io::{Column, Table};
use mercer::model::{Scaling, ScalingKind};
use mercer::points::AnyMatrix;
use mercer::real::Real;
use mercer::{Csr, Dense, Dtype, Mat, MatRef, Result};

use crate::run::Session;

/// The source of the scaling.
#[derive(Debug, Clone, Copy)]
pub enum Scales<'a> {
    /// Computed from the rows.
    Learn(ScalingKind),
    /// Given; none leaves the rows unchanged.
    Apply(Option<&'a Scaling>),
}

/// The scaled rows of a table in either number type, with their scaling.
pub struct Rows {
    /// The numbers: n × d.
    pub values: AnyMatrix<'static>,
    /// What was done to every column.
    pub scaling: Option<Scaling>,
}

impl Rows {
    /// The rows of `features` in the number type `dtype`.
    pub fn of(
        session: &Session,
        features: &Table,
        scales: Scales<'_>,
        dtype: Dtype,
    ) -> Result<Self> {
        Ok(match dtype {
            Dtype::F32 => Numbers::<f32>::of(session, features, scales)?.into(),
            Dtype::F64 => Numbers::<f64>::of(session, features, scales)?.into(),
        })
    }
}

impl<T: Real> From<Numbers<T>> for Rows
where
    Mat<T>: Into<AnyMatrix<'static>>,
{
    fn from(rows: Numbers<T>) -> Self {
        let Numbers { values, n, d, scaling } = rows;
        Self { values: Mat::from_vec(values, n, d).into(), scaling }
    }
}

/// The scaled rows of a table (n × d, row-major) with their scaling.
#[derive(Debug)]
pub struct Numbers<T> {
    /// The numbers.
    pub values: Vec<T>,
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// What was done to every column.
    pub scaling: Option<Scaling>,
}

impl<T: Real> Numbers<T> {
    /// The rows of `features`. Rows of a table in double precision are scaled before they are
    /// rounded to single precision: a column far from zero keeps its digits that way.
    pub fn of(session: &Session, features: &Table, scales: Scales<'_>) -> Result<Self> {
        if features.is_sparse() {
            let count = features.n_rows().saturating_mul(features.n_columns()) as u64;
            let hint = "use fewer rows or columns, or raise the memory budget";
            let bytes = count.saturating_mul(size_of::<T>() as u64);
            session.context.need("the dense table", bytes, hint)?;
        }
        if T::NAME == "f32" && !features.is_f32() {
            let wide = Numbers::<f64>::scaled(features, scales)?;
            let values = narrowed(wide.values, wide.n, wide.d)?;
            return Ok(Numbers { values, n: wide.n, d: wide.d, scaling: wide.scaling });
        }
        Self::scaled(features, scales)
    }

    fn scaled(features: &Table, scales: Scales<'_>) -> Result<Self> {
        let (n, d) = (features.n_rows(), features.n_columns());
        let mut values = features.matrix::<T>()?;
        let scaling = match scales {
            Scales::Learn(ScalingKind::None) => None,
            Scales::Learn(kind) => {
                let mut scaling = Scaling::learn(kind, &values, d);
                // Zeros and ones of categories stay: a rare category must not weigh more than a frequent one.
                for &column in &features.indicators {
                    (scaling.shift[column], scaling.factor[column]) = (0.0, 1.0);
                }
                Some(scaling)
            }
            Scales::Apply(scaling) => scaling.cloned(),
        };
        if let Some(scaling) = &scaling {
            scaling.apply(&mut values, d)?;
        }
        Ok(Self { values, n, d, scaling })
    }

    /// The rows in place.
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::new(&self.values, self.n, self.d, self.d)
    }

    /// A copy of the rows as samples of a kernel method.
    pub fn copied(&self) -> Result<Dense<T>> {
        Dense::from_rows(&self.values, self.n, self.d)
    }

    /// The rows as samples of a kernel method.
    pub fn dense(self) -> Result<Dense<T>> {
        Dense::from_vec(self.values, self.n, self.d)
    }
}

fn narrowed<T: Real>(values: Vec<f64>, n: usize, d: usize) -> Result<Vec<T>> {
    let narrow: Vec<T> = values.iter().map(|&v| T::from_f64(v)).collect();
    if narrow.iter().all(|v| v.is_finite()) {
        return Ok(narrow);
    }
    // The library's own conversion reports what is wrong, and where.
    Dense::from_vec(values, n, d)?.convert::<T>().map(|rows| rows.data().to_vec())
}

/// The rows of `features`, as sparse rows, and their scaling. Columns are scaled but never shifted,
/// which would destroy sparsity.
pub fn sparse<T: Real>(
    mut features: Table,
    scales: Scales<'_>,
) -> Result<(Csr<T>, Option<Scaling>)> {
    let scaling = match scales {
        Scales::Learn(ScalingKind::None) => None,
        Scales::Learn(kind) => Some(stretch(kind, &features)),
        Scales::Apply(scaling) => scaling.cloned(),
    };
    if let Some(scaling) = &scaling {
        for (column, factor) in features.columns.iter_mut().zip(&scaling.factor) {
            match column {
                Column::Sparse(column) => column.stretch(*factor),
                column => {
                    let number = |row| column.number(row).map(|value| value * factor);
                    let numbers: Option<Vec<f64>> = (0..column.len()).map(number).collect();
                    // A text among the numbers is refused with its place when the rows are made.
                    if let Some(numbers) = numbers {
                        *column = Column::F64(numbers);
                    }
                }
            }
        }
    }
    Ok((features.sparse_rows()?, scaling))
}

/// Factors that bring the columns to standard deviation 1, or the largest size to 1.
fn stretch(kind: ScalingKind, features: &Table) -> Scaling {
    let width = |column: &Column| match kind {
        ScalingKind::None => 1.0,
        ScalingKind::Standard => deviation(column),
        ScalingKind::Minmax => entries(column).map(f64::abs).fold(0.0, f64::max),
    };
    let factor = |column: &Column| match 1.0 / width(column) {
        factor if factor.is_finite() && factor > 0.0 => factor,
        _ => 1.0,
    };
    let factor: Vec<f64> = features.columns.iter().map(factor).collect();
    Scaling { kind, shift: vec![0.0; factor.len()], factor }
}

/// The standard deviation of a column, zeros and all; 0 where it is rounding noise.
fn deviation(column: &Column) -> f64 {
    let rows = column.len() as f64;
    let mean = entries(column).sum::<f64>() / rows;
    let (count, squares) =
        entries(column).fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + (v - mean).powi(2)));
    let deviation = ((squares + (rows - count) * mean * mean) / rows).sqrt();
    if deviation <= 8.0 * f64::EPSILON * mean.abs() { 0.0 } else { deviation }
}

/// The numbers of a column; zeros that are left out of it are left out here too.
fn entries(column: &Column) -> Box<dyn Iterator<Item = f64> + '_> {
    match column {
        Column::Sparse(column) => Box::new(column.entries().map(|(_, value)| value)),
        column => Box::new((0..column.len()).filter_map(|row| column.number(row))),
    }
}
