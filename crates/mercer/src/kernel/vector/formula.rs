//! Profiles as formulas that a device computes.

/// A function of the measured number v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Formula {
    /// v.
    Identity,
    /// 1.
    One,
    /// 1 − v/share.
    Complement {
        /// What v is divided by.
        share: f64,
    },
    /// (gamma·v + coef0)^degree.
    Power {
        /// The factor.
        gamma: f64,
        /// The constant.
        coef0: f64,
        /// The exponent.
        degree: u32,
    },
    /// exp(−rate·v).
    Exponential {
        /// The rate.
        rate: f64,
    },
    /// (1 + s·(linear + s·square))·exp(−s) with s = rate·√v.
    Matern {
        /// The rate.
        rate: f64,
        /// The coefficient of s.
        linear: f64,
        /// The coefficient of s².
        square: f64,
    },
    /// (1 + rate·v)^−alpha.
    RationalQuadratic {
        /// The exponent.
        alpha: f64,
        /// The rate.
        rate: f64,
    },
    /// −v^exponent, 0 for a negative v.
    NegativePower {
        /// The exponent.
        exponent: f64,
    },
    /// tanh(gamma·v + coef0).
    Tanh {
        /// The factor.
        gamma: f64,
        /// The constant.
        coef0: f64,
    },
}
