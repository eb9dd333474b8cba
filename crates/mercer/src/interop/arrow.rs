//! Record batches of Apache Arrow, which is what polars, DataFusion and others hand over.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};

use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::points::Dense;

/// The columns as features, in double precision. Missing values and columns that are not numbers are refused by name.
impl TryFrom<&RecordBatch> for Dense<f64> {
    type Error = Error;

    fn try_from(batch: &RecordBatch) -> Result<Self> {
        let (n, d) = (batch.num_rows(), batch.num_columns());
        let schema = batch.schema();
        let mut data = vec![0.0; n * d];
        for (j, column) in batch.columns().iter().enumerate() {
            let name = schema.field(j).name();
            if column.null_count() > 0 {
                let count = column.null_count();
                return Err(Error::Shape(format!(
                    "column {name:?} has {count} missing values: impute them or drop the rows first"
                )));
            }
            let values = numbers(column).ok_or_else(|| {
                let kind = column.data_type();
                Error::Shape(format!("column {name:?} holds {kind}, not numbers: leave it out"))
            })?;
            values.into_iter().enumerate().for_each(|(i, value)| data[i * d + j] = value);
        }
        Dense::from_vec(data, n, d)
    }
}

fn numbers(column: &ArrayRef) -> Option<Vec<f64>> {
    macro_rules! any {
        ($($kind:ty),*) => {
            $(if let Some(values) = column.as_primitive_opt::<$kind>() {
                return Some(values.values().iter().map(|&v| v as f64).collect());
            })*
        };
    }
    any!(
        Float64Type,
        Float32Type,
        Int64Type,
        Int32Type,
        Int16Type,
        Int8Type,
        UInt64Type,
        UInt32Type,
        UInt16Type,
        UInt8Type
    );
    None
}

/// A matrix as a record batch, with a name for each column.
pub fn record_batch(mat: &Mat<f64>, names: &[&str]) -> Result<RecordBatch> {
    if names.len() != mat.cols() {
        let (names, cols) = (names.len(), mat.cols());
        return Err(Error::Shape(format!("there are {names} names for {cols} columns")));
    }
    let column = |j: usize| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..mat.rows()).map(|i| mat[(i, j)])))
    };
    let columns = names.iter().enumerate().map(|(j, name)| (*name, column(j)));
    RecordBatch::try_from_iter(columns).map_err(|error| Error::Shape(error.to_string()))
}
