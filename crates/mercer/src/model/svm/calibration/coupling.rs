//! From the probabilities of pairs of classes to those of all: the second method of Wu, Lin and Weng (2004).
//!
//! Given r, where r_ij is the probability of class i among classes i and j: minimise Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²
//! over p with Σ p = 1. The minimum, pᵀQp with Q_ii = Σ_{j≠i} r_ji² and Q_ij = −r_ji r_ij, has Qp equal in all places and
//! p ≥ 0 without asking for it.

use crate::linalg::view::Mat;

/// How nearly equal the places of Qp must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// As in LIBSVM, which is content with two or three digits: for the same probabilities as there.
    Libsvm,
    /// As far as rounding errors allow.
    Rounding,
}

impl Accuracy {
    fn tolerance(self, classes: usize) -> f64 {
        match self {
            Accuracy::Libsvm => 0.005 / classes as f64,
            Accuracy::Rounding => 1e-15 * classes as f64,
        }
    }

    fn sweeps(self, classes: usize) -> usize {
        match self {
            Accuracy::Libsvm => classes.max(100),
            Accuracy::Rounding => classes.max(1000),
        }
    }
}

/// Sets `p` (classes) to the coupled probabilities of `r` (classes × classes, inside of (0, 1) off the diagonal).
///
/// Each step sets one p_t to its best value given the ratios of the others, which never raises pᵀQp. Every state on the way is a
/// set of probabilities, so that the end of the sweeps gives one too, if only a less accurate one.
pub(super) fn couple(r: &Mat<f64>, accuracy: Accuracy, p: &mut [f64]) {
    let classes = p.len();
    let q = quadratic(r);
    p.fill(1.0 / classes as f64);
    let mut qp = vec![0.0; classes];
    for _ in 0..accuracy.sweeps(classes) {
        // Computed anew in every sweep, so that rounding errors of the updates do not add up.
        for t in 0..classes {
            qp[t] = q.row(t).iter().zip(&*p).map(|(a, b)| a * b).sum();
        }
        let mut pqp: f64 = p.iter().zip(&qp).map(|(a, b)| a * b).sum();
        let error = qp.iter().map(|place| (place - pqp).abs()).fold(0.0, f64::max);
        if error < accuracy.tolerance(classes) {
            break;
        }
        for t in 0..classes {
            let step = (pqp - qp[t]) / q[(t, t)];
            let shrink = 1.0 + step;
            p[t] += step;
            pqp = (pqp + step * (step * q[(t, t)] + 2.0 * qp[t])) / shrink / shrink;
            for j in 0..classes {
                qp[j] = (qp[j] + step * q[(t, j)]) / shrink;
                p[j] /= shrink;
            }
        }
    }
    normalise(p);
}

fn quadratic(r: &Mat<f64>) -> Mat<f64> {
    let classes = r.rows();
    let diagonal = |t| (0..classes).filter(|&i| i != t).map(|i| r[(i, t)] * r[(i, t)]).sum();
    Mat::from_fn(classes, classes, |t, j| if t == j { diagonal(t) } else { -r[(j, t)] * r[(t, j)] })
}

/// Takes rounding errors out of the sum. A single class has nothing to be coupled with.
fn normalise(p: &mut [f64]) {
    p.iter_mut().for_each(|share| *share = share.max(0.0));
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|share| *share /= sum);
}

/// By which share a class that is to be the most probable stands above others that would be equal. It survives a conversion
/// to single precision.
const LEAD: f64 = 1e-6;

/// Makes class `c` the most probable with the least change in the sense of least squares: the classes that are above it share
/// their probabilities with it in equal parts, but for a lead of `c`.
pub(super) fn prefer(p: &mut [f64], c: usize) {
    let mut others: Vec<usize> = (0..p.len()).filter(|&class| class != c).collect();
    others.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let (mut sum, mut size) = (p[c], 1.0);
    let mut pool = 0;
    // The same ratio as the one that pooling two classes leaves, so that two probabilities rise with the decision.
    while pool < others.len() && p[others[pool]] * (1.0 + LEAD) > sum / size * (1.0 - LEAD) {
        sum += p[others[pool]];
        size += 1.0;
        pool += 1;
    }
    if pool == 0 {
        return;
    }
    let mean = sum / size;
    others[..pool].iter().for_each(|&class| p[class] = mean * (1.0 - LEAD));
    p[c] = mean * (1.0 + (size - 1.0) * LEAD);
}
