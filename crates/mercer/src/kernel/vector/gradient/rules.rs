//! The rules by which gradients of combined kernels follow from those of their parts.

use super::diagonal::Diagonal;
use crate::kernel::vector::measure::inverse_roots;
use crate::real::Real;

/// Kernel values of rows z and columns x with their gradients by z, ∇_z k(z, x) = `across`·x + `along`·z, row-major.
#[derive(Debug, Clone, Default)]
pub struct Gradients<T> {
    /// k(z, x).
    pub values: Vec<T>,
    /// The factor of x.
    pub across: Vec<T>,
    /// The factor of z.
    pub along: Vec<T>,
}

impl<T: Real> Gradients<T> {
    pub(super) fn resize(&mut self, rows: usize, cols: usize) {
        for numbers in [&mut self.values, &mut self.across, &mut self.along] {
            numbers.resize(rows * cols, T::ZERO);
        }
    }

    pub(super) fn scale(&mut self, scale: T) {
        if scale != T::ONE {
            for numbers in [&mut self.values, &mut self.across, &mut self.along] {
                numbers.iter_mut().for_each(|v| *v = scale * *v);
            }
        }
    }

    /// The sum of this kernel and `scale` times another.
    pub(super) fn add(&mut self, scale: T, other: &Self) {
        let add = |sum: &mut Vec<T>, more: &[T]| {
            sum.iter_mut().zip(more).for_each(|(sum, &v)| *sum += scale * v);
        };
        add(&mut self.values, &other.values);
        add(&mut self.across, &other.across);
        add(&mut self.along, &other.along);
    }

    /// The product of this kernel and another: ∇(k k') = k ∇k' + k' ∇k.
    pub(super) fn multiply(&mut self, other: &Self) {
        for at in 0..self.values.len() {
            let (k, more) = (self.values[at], other.values[at]);
            self.across[at] = k * other.across[at] + more * self.across[at];
            self.along[at] = k * other.along[at] + more * self.along[at];
            self.values[at] = k * more;
        }
    }

    /// k(z, x) / √(k(z, z) k(x, x)), given `diagonal` of the rows and k(x, x) of the columns. With ∇ k(z, z) = c·z the
    /// quotient rule takes half of c / k(z, z) times the normalised value away along z.
    pub(super) fn normalize(&mut self, diagonal: &Diagonal<T>, cols: &[T]) {
        let (left, right) = (inverse_roots(&diagonal.values), inverse_roots(cols));
        let half = T::from_f64(0.5);
        for (i, &l) in left.iter().enumerate() {
            let loss = half * diagonal.along[i] * l * l;
            for (j, &r) in right.iter().enumerate() {
                let at = i * right.len() + j;
                let value = self.values[at] * l * r;
                self.values[at] = value;
                self.across[at] = self.across[at] * l * r;
                self.along[at] = self.along[at] * l * r - loss * value;
            }
        }
    }
}
