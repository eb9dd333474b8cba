//! The rows that landmarks are chosen among, for what else depends on the data.

use super::LandmarkParams;
use super::candidates::sample;
use super::capacity::{Capacity, direct_bytes};
use super::rows::RowBlocks;
use crate::context::Context;
use crate::error::Result;
use crate::points::{AnySamples, Dtype, with_dtype};

/// The sample of the rows of a source that landmarks are chosen among, in one pass: all rows of positive weight if there are at most 20,000.
pub fn sampled(
    ctx: &Context,
    landmarks: &LandmarkParams,
    source: &mut dyn RowBlocks,
    dtype: Dtype,
) -> Result<AnySamples> {
    source.rewind(1)?;
    with_dtype!(dtype, T => {
        let mut capacity = Capacity::new(ctx, landmarks, &direct_bytes::<T>);
        Ok(sample::<T>(ctx, source, &mut capacity, landmarks.seed)?.samples.into())
    })
}
