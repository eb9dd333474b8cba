//! The feature map of the polynomial kernel.
//!
//! With z = (√coef0, √gamma·x), the constant left out if it is 0, the kernel is (zᵀz')^p, and
//!
//! ```text
//! (zᵀz')^p = Σ p!/(α_1!…α_m!) z^α z'^α      over all α with α_1 + … + α_m = p
//! ```
//!
//! so the features are √(p!/α!)·z^α. They are listed as combinations i_1 ≤ … ≤ i_p of places of z, in the order of a
//! dictionary; that is by rising degree in x, as polynomial features usually are. Those that begin with place v or later
//! are the last ones of the list, hence the list for one more factor is, for each v, z_v times the end of this list.

use super::check::check_dimension;
use super::name::Name;
use crate::error::{Error, Param, Result};

/// Above this degree the coefficients leave the range of numbers.
const MOST_DEGREE: u32 = 1000;

#[derive(Clone, Debug)]
pub(super) struct Monomials {
    degree: u32,
    gamma: f64,
    coef0: f64,
    /// m: places of z.
    places: usize,
    /// p!/α! of each feature.
    counts: Vec<f64>,
}

impl Monomials {
    pub(super) fn new(columns: usize, degree: u32, gamma: f64, coef0: f64) -> Result<Self> {
        let refuse = |message: String| Err(Error::parameter(Param::Kernel, message));
        if !(gamma > 0.0 && gamma.is_finite()) || degree == 0 {
            return refuse(format!(
                "poly needs a positive degree and gamma, not {degree}, {gamma}"
            ));
        }
        if !(coef0 >= 0.0 && coef0.is_finite()) {
            return refuse(format!(
                "poly with coef0={coef0} is not positive definite, so it has no feature map: coef0 must not be negative"
            ));
        }
        let places = columns + usize::from(coef0 > 0.0);
        check_dimension(combinations(places, degree))?;
        if degree > MOST_DEGREE {
            return refuse(format!(
                "the coefficients of poly(degree={degree}) exceed the range of f64: its feature map is available \
                 up to degree {MOST_DEGREE}"
            ));
        }
        let mut map = Self { degree, gamma, coef0, places, counts: Vec::new() };
        let mut counts = Vec::new();
        map.each(|combination| counts.push(multinomial(combination)));
        map.counts = counts;
        Ok(map)
    }

    pub(super) fn dimension(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn fill(&self, x: &[f64], out: &mut [f64]) {
        let z = self.factors(x);
        let mut level = vec![1.0];
        // How many of the list begin with place v or later.
        let mut ends = vec![1; self.places];
        for _ in 0..self.degree {
            let starts = ends.iter().map(|end| level.len() - end);
            let next: Vec<f64> = z
                .iter()
                .zip(starts)
                .flat_map(|(z, start)| level[start..].iter().map(move |value| z * value))
                .collect();
            for v in (0..self.places).rev() {
                ends[v] += ends.get(v + 1).copied().unwrap_or(0);
            }
            level = next;
        }
        let both = level.iter().zip(&self.counts);
        out.iter_mut().zip(both).for_each(|(to, (value, count))| *to = value * count.sqrt());
    }

    /// z.
    fn factors(&self, x: &[f64]) -> Vec<f64> {
        let root = self.gamma.sqrt();
        let constant = (self.coef0 > 0.0).then(|| self.coef0.sqrt());
        constant.into_iter().chain(x.iter().map(|x| root * x)).collect()
    }

    pub(super) fn names(&self, columns: &[String]) -> Vec<Name> {
        let mut names = Vec::with_capacity(self.counts.len());
        let constants = self.places - columns.len();
        self.each(|combination| {
            let (of_constant, of_columns) =
                combination.split_at(combination.partition_point(|&place| place < constants));
            let runs = of_columns.chunk_by(|a, b| a == b);
            let factors: Vec<String> = runs
                .map(|run| match run.len() {
                    1 => columns[run[0] - constants].clone(),
                    power => format!("{}^{power}", columns[run[0] - constants]),
                })
                .collect();
            let weight = self.counts[names.len()]
                * self.coef0.powi(of_constant.len() as i32)
                * self.gamma.powi(of_columns.len() as i32);
            names.push(Name::of(factors.join("·")).scaled(weight));
        });
        names
    }

    /// Calls `f` with every combination of places, in order.
    fn each(&self, mut f: impl FnMut(&[usize])) {
        let mut combination = vec![0; self.degree as usize];
        loop {
            f(&combination);
            let Some(last) = combination.iter().rposition(|&place| place + 1 < self.places) else {
                return;
            };
            let place = combination[last] + 1;
            combination[last..].fill(place);
        }
    }
}

/// C(places + degree − 1, degree), or the largest number if that is beyond counting.
fn combinations(places: usize, degree: u32) -> u128 {
    let (a, b) = (places as u128 - 1, u128::from(degree));
    let mut count: u128 = 1;
    for i in 1..=a.min(b) {
        match count.checked_mul(a.max(b) + i) {
            Some(product) => count = product / i,
            None => return u128::MAX,
        }
    }
    count
}

/// p! / (α_1! … α_m!) of a combination with repetitions α.
fn multinomial(combination: &[usize]) -> f64 {
    let (mut count, mut run) = (1.0, 0.0);
    for (i, place) in combination.iter().enumerate() {
        run = if i > 0 && combination[i - 1] == *place { run + 1.0 } else { 1.0 };
        // Whole at every step, so nothing is rounded while it stays below 2^53.
        count = count * (i + 1) as f64 / run;
    }
    count
}
