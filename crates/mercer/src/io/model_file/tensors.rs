//! Arrays as bytes, little endian, and back.

use std::borrow::Cow;
use std::io::{self, Write};

use safetensors::tensor::{Dtype, Metadata, TensorInfo};

use super::frame::{CHECKSUM, Fault, Frame};
use crate::linalg::view::Mat;
use crate::points::{self, Dense, with_dtype};
use crate::real::{Numbers, Real};

/// Bytes that are converted at a time.
const CHUNK: usize = 1 << 16;

/// An array to be written.
pub struct Tensor<'a> {
    pub name: Cow<'static, str>,
    pub shape: Vec<usize>,
    pub content: Content<'a>,
}

/// The numbers of an array, row after row: the model's own, or made for the file.
pub enum Content<'a> {
    Real(Numbers<'a>),
    Made(Vec<f64>),
    Single(Vec<f32>),
    Places(Vec<u64>),
    Bytes(Vec<u8>),
}

impl<'a> Tensor<'a> {
    /// An array of real numbers.
    pub fn real<T: Real>(
        name: impl Into<Cow<'static, str>>,
        shape: &[usize],
        numbers: &'a [T],
    ) -> Self {
        Self {
            name: name.into(),
            shape: shape.to_vec(),
            content: Content::Real(T::numbers(numbers)),
        }
    }

    /// Numbers that have the type `dtype` in files.
    pub fn rounded(
        name: impl Into<Cow<'static, str>>,
        shape: &[usize],
        numbers: &'a [f64],
        dtype: points::Dtype,
    ) -> Self {
        let content = match dtype {
            points::Dtype::F64 => Content::Real(Numbers::F64(numbers)),
            points::Dtype::F32 => Content::Single(numbers.iter().map(|&v| v as f32).collect()),
        };
        Self { name: name.into(), shape: shape.to_vec(), content }
    }

    /// A matrix.
    pub fn matrix(name: impl Into<Cow<'static, str>>, matrix: &'a Mat<f64>) -> Self {
        Self::real(name, &[matrix.rows(), matrix.cols()], matrix.data())
    }

    /// One number.
    pub fn number(name: impl Into<Cow<'static, str>>, number: &'a f64) -> Self {
        Self::real(name, &[], std::slice::from_ref(number))
    }

    /// Whole numbers.
    pub fn places(
        name: impl Into<Cow<'static, str>>,
        shape: &[usize],
        places: impl Iterator<Item = u64>,
    ) -> Self {
        Self {
            name: name.into(),
            shape: shape.to_vec(),
            content: Content::Places(places.collect()),
        }
    }

    /// Text in UTF-8.
    pub fn text(name: impl Into<Cow<'static, str>>, text: &str) -> Self {
        let content = Content::Bytes(text.as_bytes().to_vec());
        Self { name: name.into(), shape: vec![text.len()], content }
    }

    /// Rows of numbers.
    pub fn dense<T: Real>(name: impl Into<Cow<'static, str>>, points: &'a Dense<T>) -> Self {
        Self::real(name, &[points.n(), points.d()], points.data())
    }

    pub fn dtype(&self) -> Dtype {
        match &self.content {
            Content::Real(Numbers::F32(_)) | Content::Single(_) => Dtype::F32,
            Content::Real(Numbers::F64(_)) | Content::Made(_) => Dtype::F64,
            Content::Places(_) => Dtype::U64,
            Content::Bytes(_) => Dtype::U8,
        }
    }

    pub fn len(&self) -> usize {
        match &self.content {
            Content::Real(Numbers::F32(numbers)) => size_of_val(*numbers),
            Content::Real(Numbers::F64(numbers)) => size_of_val(*numbers),
            Content::Made(numbers) => size_of_val(numbers.as_slice()),
            Content::Single(numbers) => size_of_val(numbers.as_slice()),
            Content::Places(places) => size_of_val(places.as_slice()),
            Content::Bytes(bytes) => bytes.len(),
        }
    }

    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.content {
            Content::Real(Numbers::F32(numbers)) => write(out, numbers, |v| v.to_le_bytes()),
            Content::Real(Numbers::F64(numbers)) => write(out, numbers, |v| v.to_le_bytes()),
            Content::Made(numbers) => write(out, numbers, |v| v.to_le_bytes()),
            Content::Single(numbers) => write(out, numbers, |v| v.to_le_bytes()),
            Content::Places(places) => write(out, places, |v| v.to_le_bytes()),
            Content::Bytes(bytes) => out.write_all(bytes),
        }
    }
}

fn write<T: Copy, const N: usize>(
    out: &mut impl Write,
    numbers: &[T],
    bytes_of: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK.min(N * numbers.len()));
    for chunk in numbers.chunks(CHUNK / N) {
        buffer.clear();
        chunk.iter().for_each(|&number| buffer.extend_from_slice(&bytes_of(number)));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// The arrays of a file, taken out one by one.
pub struct Tensors<'a> {
    metadata: &'a Metadata,
    data: &'a [u8],
    taken: Vec<String>,
}

impl<'a> Tensors<'a> {
    pub fn new(frame: &'a Frame<'a>) -> Self {
        Self { metadata: &frame.tensors, data: frame.data, taken: vec![CHECKSUM.into()] }
    }

    pub fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// Real numbers of the given shape, all finite.
    pub fn real<T: Real>(&mut self, name: &str, shape: &[usize]) -> Result<Vec<T>, Fault> {
        let numbers = if T::NAME == "f32" {
            let bytes = self.bytes(name, Dtype::F32, Some(shape))?;
            // Both conversions are exact: f32 → f64 always, f64 → f32 for what was one.
            decode(bytes, |v| T::from_f64(f32::from_le_bytes(v).into()))
        } else {
            let bytes = self.bytes(name, Dtype::F64, Some(shape))?;
            decode(bytes, |v| T::from_f64(f64::from_le_bytes(v)))
        };
        match numbers.iter().position(|v| !v.is_finite()) {
            None => Ok(numbers),
            Some(at) => Err(Fault::Invalid(format!(
                "entry {at} (zero-based) of its tensor '{name}' is not finite"
            ))),
        }
    }

    /// Real numbers of the given shape that have the type `dtype` in the file.
    pub fn widened(
        &mut self,
        name: &str,
        shape: &[usize],
        dtype: points::Dtype,
    ) -> Result<Vec<f64>, Fault> {
        with_dtype!(dtype, T => {
            Ok(self.real::<T>(name, shape)?.into_iter().map(T::to_f64).collect())
        })
    }

    pub fn matrix(&mut self, name: &str, rows: usize, cols: usize) -> Result<Mat<f64>, Fault> {
        Ok(Mat::from_vec(self.real(name, &[rows, cols])?, rows, cols))
    }

    pub fn number(&mut self, name: &str) -> Result<f64, Fault> {
        Ok(self.real(name, &[])?[0])
    }

    pub fn dense<T: Real>(&mut self, name: &str, n: usize, d: usize) -> Result<Dense<T>, Fault> {
        let numbers = self.real(name, &[n, d])?;
        if n == 0 && d > 0 {
            return Ok(Dense::empty(d));
        }
        Dense::from_vec(numbers, n, d)
            .map_err(|error| Fault::Invalid(format!("its tensor '{name}': {error}")))
    }

    /// Whole numbers of the given shape.
    pub fn places(&mut self, name: &str, shape: &[usize]) -> Result<Vec<u64>, Fault> {
        Ok(decode(self.bytes(name, Dtype::U64, Some(shape))?, u64::from_le_bytes))
    }

    /// A list of whole numbers that count or point to something.
    pub fn counts(&mut self, name: &str, length: usize) -> Result<Vec<usize>, Fault> {
        let too_large = || Fault::Invalid(format!("a number of its tensor '{name}' is too large"));
        let places = self.places(name, &[length])?;
        places.into_iter().map(|place| usize::try_from(place).map_err(|_| too_large())).collect()
    }

    /// Real numbers of the given shape that may be NaN or infinite: values of a report, not computed with.
    pub fn reported(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f64>, Fault> {
        Ok(decode(self.bytes(name, Dtype::F64, Some(shape))?, f64::from_le_bytes))
    }

    /// How many numbers the list `name` holds. The frame has checked that it lies within the file.
    pub fn length(&self, name: &str) -> Result<usize, Fault> {
        match self.metadata.info(name).map(|info| info.shape.as_slice()) {
            Some([length]) => Ok(*length),
            Some(_) => Err(Fault::Invalid(format!("its tensor '{name}' is not a vector"))),
            None => Err(missing(name)),
        }
    }

    /// How many columns the matrix `name` has.
    pub fn columns(&self, name: &str) -> Result<usize, Fault> {
        match self.metadata.info(name).map(|info| info.shape.as_slice()) {
            Some([_, columns]) => Ok(*columns),
            Some(_) => Err(Fault::Invalid(format!("its tensor '{name}' is not a matrix"))),
            None => Err(missing(name)),
        }
    }

    /// The bytes of tensor `name`, which must have this type and, if one is given, this shape. The frame has checked
    /// that the byte range lies within the file and has the length that the shape says.
    pub fn bytes(
        &mut self,
        name: &str,
        dtype: Dtype,
        shape: Option<&[usize]>,
    ) -> Result<&'a [u8], Fault> {
        let info = self.metadata.info(name).ok_or_else(|| missing(name))?;
        if info.dtype != dtype || shape.is_some_and(|shape| shape != info.shape) {
            return Err(mismatch(name, info, dtype, shape));
        }
        self.taken.push(name.into());
        Ok(&self.data[info.data_offsets.0..info.data_offsets.1])
    }

    /// Refuses arrays that nobody took: they may mean something that this reader does not know.
    pub fn finish(self) -> Result<(), Fault> {
        let names = self.metadata.offset_keys();
        match names.iter().find(|name| !self.taken.contains(name)) {
            None => Ok(()),
            Some(name) => Err(Fault::Invalid(format!(
                "it holds a tensor {name:?} that does not belong there"
            ))),
        }
    }
}

fn missing(name: &str) -> Fault {
    Fault::Invalid(format!("its tensor '{name}' is missing"))
}

fn mismatch(name: &str, info: &TensorInfo, dtype: Dtype, shape: Option<&[usize]>) -> Fault {
    let shape = shape.map(|shape| format!(" of shape {shape:?}")).unwrap_or_default();
    let (found_dtype, found) = (info.dtype, &info.shape);
    Fault::Invalid(format!(
        "its tensor '{name}' is {found_dtype:?} of shape {found:?}, but should be {dtype:?}{shape}"
    ))
}

fn decode<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|chunk| number(*chunk)).collect()
}
