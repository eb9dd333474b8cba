//! An interior-point method for small quadratic problems: nothing in common with the solver under test.
//!
//! ```text
//! minimise ½ xᵀHx + pᵀx     0 ≤ x ≤ upper,     Σ x over group g = sums_g, with signs
//! ```

/// A problem of n variables.
pub struct Quadratic {
    /// n × n.
    pub h: Vec<f64>,
    pub p: Vec<f64>,
    pub upper: f64,
    /// Constraints: n signs each, and what they sum up to.
    pub rows: Vec<(Vec<f64>, f64)>,
}

pub struct Optimum {
    pub objective: f64,
    /// The multiplier of each constraint.
    pub multipliers: Vec<f64>,
    /// How far the objective can be from its minimum, as a share of it.
    pub error: f64,
}

/// Solves (M + ridge) x = b for several b in place; M is n × n, positive definite.
fn cholesky_solve(m: &mut [f64], n: usize, rights: &mut [Vec<f64>]) {
    for j in 0..n {
        for k in 0..j {
            let factor = m[j * n + k];
            for i in j..n {
                m[i * n + j] -= m[i * n + k] * factor;
            }
        }
        let root = m[j * n + j].max(1e-300).sqrt();
        (j..n).for_each(|i| m[i * n + j] /= root);
    }
    for b in rights {
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| m[i * n + k] * b[k]).sum();
            b[i] = (b[i] - sum) / m[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| m[k * n + i] * b[k]).sum();
            b[i] = (b[i] - sum) / m[i * n + i];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a small dense system by elimination with pivots.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        let pivot = (j..n).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs())).unwrap();
        a.swap(j, pivot);
        b.swap(j, pivot);
        for i in j + 1..n {
            let factor = a[i][j] / a[j][j];
            for k in j..n {
                a[i][k] -= factor * a[j][k];
            }
            b[i] -= factor * b[j];
        }
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    b
}

/// Where the method is.
struct State {
    x: Vec<f64>,
    y: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Quadratic {
    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.h.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
    }

    fn objective(&self, x: &[f64]) -> f64 {
        0.5 * dot(&self.times(x), x) + dot(&self.p, x)
    }

    /// Newton's step towards x·low = target_low and room·high = target_high.
    fn step(&self, s: &State, room: &[f64], to_low: &[f64], to_high: &[f64]) -> State {
        let n = s.x.len();
        let hx = self.times(&s.x);
        let of_y =
            |i: usize| -> f64 { self.rows.iter().zip(&s.y).map(|((a, _), y)| a[i] * y).sum() };
        let mut m = self.h.clone();
        let mut right = vec![0.0; n];
        for i in 0..n {
            m[i * n + i] += s.low[i] / s.x[i] + s.high[i] / room[i];
            right[i] = -(hx[i] + self.p[i] - of_y(i)) + to_low[i] / s.x[i] - to_high[i] / room[i];
        }
        let mut rights = vec![right];
        rights.extend(self.rows.iter().map(|(a, _)| a.clone()));
        cholesky_solve(&mut m, n, &mut rights);
        let (base, along) = rights.split_first().unwrap();
        let schur = self.rows.iter().map(|(a, _)| along.iter().map(|l| dot(a, l)).collect());
        let missing = self.rows.iter().map(|(a, sum)| sum - dot(a, &s.x) - dot(a, base));
        let y = eliminate(schur.collect(), missing.collect());
        let x: Vec<f64> = (0..n)
            .map(|i| base[i] + along.iter().zip(&y).map(|(l, y)| l[i] * y).sum::<f64>())
            .collect();
        let low = (0..n).map(|i| (to_low[i] - s.low[i] * x[i]) / s.x[i] - s.low[i]).collect();
        let high = (0..n).map(|i| (to_high[i] + s.high[i] * x[i]) / room[i] - s.high[i]).collect();
        State { x, y, low, high }
    }

    /// Solves it in units of its largest number.
    pub fn solve(mut self) -> Optimum {
        let most = self.h.iter().chain(&self.p).fold(0.0_f64, |most, v| most.max(v.abs()));
        let unit = if most > 0.0 { most } else { 1.0 };
        self.h.iter_mut().chain(&mut self.p).for_each(|v| *v /= unit);
        let mut found = self.descend();
        found.objective *= unit;
        found.multipliers.iter_mut().for_each(|y| *y *= unit);
        found
    }

    /// Mehrotra's predictor and corrector.
    fn descend(&self) -> Optimum {
        let n = self.p.len();
        let start = (0.5 * self.upper).min(1.0);
        let mut s = State {
            x: vec![start; n],
            y: vec![0.0; self.rows.len()],
            low: vec![1.0; n],
            high: vec![if self.upper.is_finite() { 1.0 } else { 0.0 }; n],
        };
        for _ in 0..200 {
            let room: Vec<f64> = s.x.iter().map(|x| self.upper - x).collect();
            let finite = self.upper.is_finite();
            let of = |x: &[f64], room: &[f64], low: &[f64], high: &[f64]| -> f64 {
                dot(x, low) + if finite { dot(room, high) } else { 0.0 }
            };
            let gap = of(&s.x, &room, &s.low, &s.high);
            if gap <= 1e-13 * self.objective(&s.x).abs() {
                break;
            }
            let nothing = vec![0.0; n];
            let guess = self.step(&s, &room, &nothing, &nothing);
            let length = |d: &State| {
                let mut most = 1.0_f64;
                for i in 0..n {
                    for (at, by) in [(s.x[i], d.x[i]), (s.low[i], d.low[i])] {
                        most = if by < 0.0 { most.min(-at / by) } else { most };
                    }
                    for (at, by) in [(room[i], -d.x[i]), (s.high[i], d.high[i])] {
                        most = if by < 0.0 { most.min(-at / by) } else { most };
                    }
                }
                most
            };
            let l = length(&guess);
            let moved = |at: &[f64], by: &[f64], l: f64| -> Vec<f64> {
                at.iter().zip(by).map(|(a, b)| a + l * b).collect()
            };
            let (x, low) = (moved(&s.x, &guess.x, l), moved(&s.low, &guess.low, l));
            let (r, high) = (moved(&room, &guess.x, -l), moved(&s.high, &guess.high, l));
            let count = if finite { 2 * n } else { n } as f64;
            let mu = (of(&x, &r, &low, &high) / gap).powi(3) * gap / count;
            let to_low: Vec<f64> = (0..n).map(|i| mu - guess.x[i] * guess.low[i]).collect();
            let to_high: Vec<f64> = match finite {
                true => (0..n).map(|i| mu + guess.x[i] * guess.high[i]).collect(),
                false => nothing,
            };
            let d = self.step(&s, &room, &to_low, &to_high);
            let l = (0.995 * length(&d)).min(1.0);
            s.x = moved(&s.x, &d.x, l);
            s.low = moved(&s.low, &d.low, l);
            s.high = moved(&s.high, &d.high, l);
            // `step` gives the new multipliers less the old ones.
            s.y = moved(&s.y, &d.y, l);
            if s.x.iter().any(|v| !v.is_finite()) {
                return Optimum { objective: f64::NAN, multipliers: s.y, error: f64::INFINITY };
            }
        }
        self.assess(&s)
    }

    /// The objective, and by how much it can be wrong: what is left of complementarity, of slopes and of constraints.
    fn assess(&self, s: &State) -> Optimum {
        let objective = self.objective(&s.x);
        let hx = self.times(&s.x);
        let mut left = 0.0;
        for i in 0..s.x.len() {
            let of_y: f64 = self.rows.iter().zip(&s.y).map(|((a, _), y)| a[i] * y).sum();
            let slope = hx[i] + self.p[i] - of_y;
            left += (slope - s.low[i] + s.high[i]).abs() * s.x[i] + s.low[i] * s.x[i];
            if self.upper.is_finite() {
                left += s.high[i] * (self.upper - s.x[i]);
            }
        }
        let missing = self.rows.iter().zip(&s.y);
        left += missing.map(|((a, sum), y)| ((sum - dot(a, &s.x)) * y).abs()).sum::<f64>();
        let error = left / objective.abs().max(f64::MIN_POSITIVE);
        Optimum { objective, multipliers: s.y.clone(), error }
    }
}
