//! The loops. A block of W × 4 entries of the product, W numbers in 64 bytes, is summed in registers, in the order of k, so that an entry does not depend on the
//! block it falls into.

use std::mem::MaybeUninit;

use num_complex::Complex;

/// Entries of the left matrix that are copied to the stack where its columns are not contiguous. faer asks for no more.
const MOST: usize = 4096;

/// A matrix that is read.
#[derive(Clone, Copy)]
pub struct Matrix<T> {
    pub data: *const T,
    pub strides: [isize; 2],
    pub is_conjugate: bool,
}

/// `out ← factors[0] · out + factors[1] · left · right`, with shape m × n × k.
#[derive(Clone, Copy)]
pub struct Product<T> {
    pub shape: [usize; 3],
    pub out: *mut T,
    pub strides: [isize; 2],
    pub left: Matrix<T>,
    pub right: Matrix<T>,
    pub factors: [T; 2],
}

impl<T: Copy> Matrix<T> {
    fn transposed(self) -> Self {
        Self { strides: [self.strides[1], self.strides[0]], ..self }
    }

    /// # Safety
    ///
    /// The entry exists.
    #[inline(always)]
    unsafe fn at(&self, row: usize, column: usize) -> *const T {
        // SAFETY: the entry exists, as the caller promises.
        unsafe {
            self.data.offset(row as isize * self.strides[0] + column as isize * self.strides[1])
        }
    }
}

impl<T: Copy> Product<T> {
    /// The same, or its transpose, so that columns of the result are what is nearest to contiguous.
    pub fn with_long_columns(self) -> Self {
        if self.strides[0].unsigned_abs() <= self.strides[1].unsigned_abs() {
            return self;
        }
        let [m, n, k] = self.shape;
        Self {
            shape: [n, m, k],
            strides: [self.strides[1], self.strides[0]],
            left: self.right.transposed(),
            right: self.left.transposed(),
            ..self
        }
    }
}

/// f32 or f64.
pub trait Number: Copy + Default + PartialEq + std::ops::Mul<Output = Self> {
    /// `a · b + c`, rounded once if `FUSED`.
    fn multiply_add<const FUSED: bool>(a: Self, b: Self, c: Self) -> Self;
}

macro_rules! number {
    ($number:ty) => {
        impl Number for $number {
            #[inline(always)]
            fn multiply_add<const FUSED: bool>(a: Self, b: Self, c: Self) -> Self {
                if FUSED { a.mul_add(b, c) } else { a * b + c }
            }
        }
    };
}
number!(f32);
number!(f64);

/// The product with the best registers of the processor.
///
/// # Safety
///
/// Every entry of the matrices exists; `out` overlaps neither of the others, nor itself.
pub unsafe fn multiply<T: Number, const W: usize>(product: Product<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions; the rest is the caller's promise.
            return unsafe { with_avx512::<T, W>(&product) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: as above.
            return unsafe { with_avx2::<T, W>(&product) };
        }
    }
    // SAFETY: the caller's promise is that of the function called.
    unsafe { all_blocks::<T, W, { cfg!(target_arch = "aarch64") }>(&product) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn with_avx512<T: Number, const W: usize>(product: &Product<T>) {
    // SAFETY: the caller's promise is that of the function called.
    unsafe { all_blocks::<T, W, true>(product) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2<T: Number, const W: usize>(product: &Product<T>) {
    // SAFETY: the caller's promise is that of the function called.
    unsafe { all_blocks::<T, W, true>(product) }
}

/// The whole product, with the left matrix as contiguous columns: as it is, or copied.
#[inline(always)]
unsafe fn all_blocks<T: Number, const W: usize, const FUSED: bool>(product: &Product<T>) {
    let [m, _, k] = product.shape;
    if product.left.strides[0] == 1 {
        // SAFETY: columns of the left matrix are contiguous; the rest is the caller's promise.
        return unsafe {
            columns::<T, W, FUSED>(product, product.left.data, product.left.strides[1])
        };
    }
    let mut buffer = [const { MaybeUninit::<T>::uninit() }; MOST];
    if m * k > MOST {
        // SAFETY: the caller's promise is that of the function called.
        return unsafe { multiply_one_by_one::<T, FUSED>(product) };
    }
    for q in 0..k {
        for i in 0..m {
            // SAFETY: the entry exists.
            buffer[q * m + i].write(unsafe { *product.left.at(i, q) });
        }
    }
    // SAFETY: the buffer holds m · k numbers, column by column; the rest is the caller's promise.
    unsafe { columns::<T, W, FUSED>(product, buffer.as_ptr().cast(), m as isize) }
}

#[inline(always)]
unsafe fn columns<T: Number, const W: usize, const FUSED: bool>(
    product: &Product<T>,
    left: *const T,
    step: isize,
) {
    let n = product.shape[1];
    let mut j = 0;
    // SAFETY: columns j … lie within the product; the rest is the caller's promise.
    unsafe {
        while j + 4 <= n {
            rows::<T, W, 4, FUSED>(product, left, step, j);
            j += 4;
        }
        if j + 2 <= n {
            rows::<T, W, 2, FUSED>(product, left, step, j);
            j += 2;
        }
        if j < n {
            rows::<T, W, 1, FUSED>(product, left, step, j);
        }
    }
}

#[inline(always)]
unsafe fn rows<T: Number, const W: usize, const C: usize, const FUSED: bool>(
    product: &Product<T>,
    left: *const T,
    step: isize,
    j: usize,
) {
    let m = product.shape[0];
    let mut i = 0;
    // SAFETY: rows i … lie within the product; the rest is the caller's promise.
    unsafe {
        while i + W <= m {
            block::<T, W, C, FUSED>(product, left, step, [i, j]);
            i += W;
        }
        while i + 4 <= m {
            block::<T, 4, C, FUSED>(product, left, step, [i, j]);
            i += 4;
        }
        while i + 2 <= m {
            block::<T, 2, C, FUSED>(product, left, step, [i, j]);
            i += 2;
        }
        if i < m {
            block::<T, 1, C, FUSED>(product, left, step, [i, j]);
        }
    }
}

/// R × C entries, from `place` on.
#[inline(always)]
unsafe fn block<T: Number, const R: usize, const C: usize, const FUSED: bool>(
    product: &Product<T>,
    left: *const T,
    step: isize,
    place: [usize; 2],
) {
    let mut sums = [[T::default(); R]; C];
    for q in 0..product.shape[2] {
        // SAFETY: the caller promises R rows of the left matrix from place[0] on, contiguous, and C columns of the right one from place[1] on.
        unsafe {
            let a = left.offset(q as isize * step).add(place[0]).cast::<[T; R]>().read();
            for c in 0..C {
                let b = *product.right.at(q, place[1] + c);
                for r in 0..R {
                    sums[c][r] = T::multiply_add::<FUSED>(a[r], b, sums[c][r]);
                }
            }
        }
    }
    for c in 0..C {
        // SAFETY: the entries exist, as the caller promises.
        unsafe { store_column::<T, R, FUSED>(product, [place[0], place[1] + c], sums[c]) };
    }
}

/// Puts the sums of a column to their places.
#[inline(always)]
unsafe fn store_column<T: Number, const R: usize, const FUSED: bool>(
    product: &Product<T>,
    place: [usize; 2],
    sums: [T; R],
) {
    let [alpha, beta] = product.factors;
    if product.strides[0] != 1 {
        for r in 0..R {
            // SAFETY: the entry exists, as the caller promises.
            unsafe { store::<T, FUSED>(product, [place[0] + r, place[1]], sums[r]) };
        }
        return;
    }
    // SAFETY: the R entries exist, and are contiguous; without `alpha` they are not read.
    unsafe {
        let start = product.out.add(place[0]).offset(place[1] as isize * product.strides[1]);
        let column = start.cast::<[T; R]>();
        let mut out = [T::default(); R];
        if alpha != T::default() {
            out = column.read();
        }
        for r in 0..R {
            out[r] = T::multiply_add::<FUSED>(beta, sums[r], alpha * out[r]);
        }
        column.write(out);
    }
}

/// Puts a sum to its place.
#[inline(always)]
unsafe fn store<T: Number, const FUSED: bool>(product: &Product<T>, [i, j]: [usize; 2], sum: T) {
    let [alpha, beta] = product.factors;
    let offset = i as isize * product.strides[0] + j as isize * product.strides[1];
    // SAFETY: the entry exists, as the caller promises; without `alpha` it is not read.
    unsafe {
        let out = product.out.offset(offset);
        let before = if alpha == T::default() { T::default() } else { alpha * *out };
        *out = T::multiply_add::<FUSED>(beta, sum, before);
    }
}

/// Products that are larger than faer asks for.
#[cold]
unsafe fn multiply_one_by_one<T: Number, const FUSED: bool>(product: &Product<T>) {
    let [m, n, k] = product.shape;
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let mut sum = T::default();
        for q in 0..k {
            // SAFETY: the entries exist.
            sum = unsafe {
                T::multiply_add::<FUSED>(*product.left.at(i, q), *product.right.at(q, j), sum)
            };
        }
        // SAFETY: the entry exists.
        unsafe { store::<T, FUSED>(product, [i, j], sum) };
    }
}

macro_rules! complex {
    ($name:ident, $number:ty) => {
        /// Products of complex numbers, which no code of the workspace computes.
        ///
        /// # Safety
        ///
        /// As for [`multiply`].
        pub unsafe fn $name(product: Product<Complex<$number>>) {
            let zero = Complex::new(0.0, 0.0);
            let read = |of: &Matrix<Complex<$number>>, i, j| {
                // SAFETY: the entry exists.
                let entry = unsafe { *of.at(i, j) };
                if of.is_conjugate { Complex::new(entry.re, -entry.im) } else { entry }
            };
            let ([m, n, k], [alpha, beta]) = (product.shape, product.factors);
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let one = |q| read(&product.left, i, q) * read(&product.right, q, j);
                let sum = (0..k).map(one).fold(zero, |sum, one| sum + one);
                let offset = i as isize * product.strides[0] + j as isize * product.strides[1];
                // SAFETY: the entry exists; without `alpha` it is not read.
                unsafe {
                    let out = product.out.offset(offset);
                    let before = if alpha == zero { zero } else { alpha * *out };
                    *out = before + beta * sum;
                }
            }
        }
    };
}
complex!(multiply_c32, f32);
complex!(multiply_c64, f64);
