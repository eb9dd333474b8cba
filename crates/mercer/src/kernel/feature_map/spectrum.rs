//! Random frequencies whose mean cosine is a kernel.
//!
//! A kernel of the difference δ of two rows with k(0) = 1 is the mean of cos(w·δ) over random frequencies w (Bochner's theorem), whose
//! distribution is
//!
//! ```text
//! rbf                  exp(−‖δ‖²/2)                  normal
//! Matérn               of smoothness ν               normal · √(2ν/χ²), χ² with 2ν degrees of freedom
//! rational quadratic   (1 + ‖δ‖²/(2α))^−α            normal · √g, g of the gamma distribution with mean 1 and shape α
//! Laplacian            exp(−Σ|δ_i|)                  Cauchy in each column
//! ```
//!
//! for columns of unit width; others scale the frequencies. The first three depend on ‖δ‖ alone, so that a frequency's direction is
//! uniform and its length independent of it. Orthogonal frequencies (Yu et al. 2016) take blocks of d directions that are orthogonal and
//! each uniform, with independent lengths: every frequency has the right distribution, hence the mean is the kernel, but frequencies
//! of a block are spread more evenly than independent ones.

use std::f64::consts::{PI, SQRT_2};

use super::build::Frequencies;
use crate::context::Stream;
use crate::error::{Error, Param, Result};
use crate::kernel::Leaf;
use crate::linalg::orthonormal::orthonormalize_all;
use crate::linalg::view::Mat;

/// What frequencies of unit width are multiplied by beside a normal vector, or that they are no such product.
#[derive(Clone, Copy, Debug)]
enum Law {
    Normal,
    /// With so many degrees of freedom.
    Student(u32),
    /// With this shape.
    GammaMixture(f64),
    Cauchy,
}

/// The distribution of the frequencies of a kernel on rows of d numbers.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    law: Law,
    /// What the frequencies of each column are multiplied by.
    scales: Vec<f64>,
}

impl Spectrum {
    /// That of a member of a family; `None` for families without one.
    pub(super) fn of(leaf: &Leaf, columns: usize) -> Option<Result<Self>> {
        let over = |value: f64| 1.0 / value;
        let (law, scales) = match leaf.family().name {
            "rbf" => {
                let gamma = scale(leaf, "gamma", |gamma| (2.0 * gamma).sqrt());
                let scales = gamma
                    .or_else(|| scale(leaf, "sigma", over))
                    .or_else(|| scale(leaf, "width", |width| SQRT_2 / width));
                (Law::Normal, scales)
            }
            "laplacian" => (Law::Cauchy, scale(leaf, "gamma", |gamma| gamma)),
            "matern" => {
                (Law::Student((2.0 * leaf.number("nu")) as u32), scale(leaf, "length", over))
            }
            "rational_quadratic" => {
                (Law::GammaMixture(leaf.number("alpha")), scale(leaf, "length", over))
            }
            _ => return None,
        };
        Some(Self::new(law, scales.unwrap_or_default(), columns))
    }

    fn new(law: Law, scales: Vec<f64>, columns: usize) -> Result<Self> {
        let scales = match scales.as_slice() {
            [one] => vec![*one; columns],
            _ => scales,
        };
        if scales.len() != columns {
            let message = format!(
                "has {} widths, but the samples have {columns} columns: give one for each column, or a single one",
                scales.len()
            );
            return Err(Error::parameter(Param::Kernel, message));
        }
        Ok(Self { law, scales })
    }

    /// The way that `asked` stands for.
    pub(super) fn frequencies(&self, asked: Frequencies) -> Result<Frequencies> {
        match (asked, self.law) {
            (Frequencies::Orthogonal, Law::Cauchy) => Err(Error::parameter(
                Param::Kernel,
                "laplacian has no orthogonal frequencies, since it depends on more than the Euclidean distance: use independent ones",
            )),
            (Frequencies::Auto, Law::Cauchy) => Ok(Frequencies::Independent),
            (Frequencies::Auto, _) => Ok(Frequencies::Orthogonal),
            (asked, _) => Ok(asked),
        }
    }

    /// `count` frequencies, in columns: d × count.
    pub(super) fn draw(&self, stream: &mut Stream, count: usize, orthogonal: bool) -> Mat<f64> {
        let d = self.scales.len();
        let mut rows = Mat::zeros(count, d);
        match orthogonal {
            true => self.draw_blocks(stream, &mut rows),
            false => (0..count).for_each(|i| self.draw_one(stream, rows.row_mut(i))),
        }
        Mat::from_fn(d, count, |column, i| rows[(i, column)] * self.scales[column])
    }

    fn draw_one(&self, stream: &mut Stream, row: &mut [f64]) {
        if let Law::Cauchy = self.law {
            return row.iter_mut().for_each(|v| *v = (PI * (stream.uniform() - 0.5)).tan());
        }
        let factor = self.law.factor(stream);
        row.iter_mut().for_each(|v| *v = stream.normal() * factor);
    }

    /// Blocks of up to d orthogonal directions, each with the length of a frequency of its own.
    fn draw_blocks(&self, stream: &mut Stream, rows: &mut Mat<f64>) {
        let (count, d) = (rows.rows(), rows.cols());
        let mut one = vec![0.0; d];
        for start in (0..count).step_by(d) {
            let size = d.min(count - start);
            let normal = (0..size * d).map(|_| stream.normal()).collect();
            let mut block = Mat::from_vec(normal, size, d);
            orthonormalize_all(&mut block);
            for i in 0..size {
                self.draw_one(stream, &mut one);
                let length = one.iter().map(|v| v * v).sum::<f64>().sqrt();
                let places = rows.row_mut(start + i).iter_mut().zip(block.row(i));
                places.for_each(|(to, direction)| *to = direction * length);
            }
        }
    }
}

/// `f` of the number that a parameter has, or of each of those that it has for the columns.
fn scale(leaf: &Leaf, name: &str, f: impl Fn(f64) -> f64) -> Option<Vec<f64>> {
    let one = leaf.optional(name).map(|number| vec![f(number)]);
    one.or_else(|| leaf.list(name).map(|numbers| numbers.iter().map(|&v| f(v)).collect()))
}

impl Law {
    /// What a normal vector is multiplied by.
    fn factor(self, stream: &mut Stream) -> f64 {
        match self {
            Law::Normal | Law::Cauchy => 1.0,
            Law::Student(freedom) => {
                let chi2: f64 = (0..freedom).map(|_| stream.normal().powi(2)).sum();
                (f64::from(freedom) / chi2).sqrt()
            }
            Law::GammaMixture(shape) => (gamma(stream, shape) / shape).sqrt(),
        }
    }
}

/// A number of the gamma distribution with a shape and scale 1 (Marsaglia & Tsang 2000).
fn gamma(stream: &mut Stream, shape: f64) -> f64 {
    if shape < 1.0 {
        let power = (1.0 - stream.uniform()).powf(1.0 / shape);
        return gamma(stream, shape + 1.0) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = stream.normal();
        let v = (1.0 + c * normal).powi(3);
        let u = 1.0 - stream.uniform();
        if v > 0.0 && u.ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        for shape in [0.3, 1.0, 4.5] {
            let mut stream = Stream::new(3, "gamma");
            let all: Vec<f64> = (0..200_000).map(|_| gamma(&mut stream, shape)).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let spread = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64;
            assert!((mean - shape).abs() < 0.02 * shape.max(1.0), "{shape}: mean {mean}");
            assert!((spread - shape).abs() < 0.05 * shape.max(1.0), "{shape}: {spread}");
        }
    }
}
