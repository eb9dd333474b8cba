//! Named streams of random numbers.

/// A stream of random numbers that depends on a seed and a name, and on nothing else: two purposes never share
/// numbers, and adding a purpose does not change the others. SplitMix64, whose 64-bit state suits starting vectors
/// and samples of rows; it is not for secrets.
#[derive(Debug, Clone)]
pub struct Stream(u64);

impl Stream {
    /// The stream called `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a of the name, then one scramble, so that neighbouring seeds start far apart.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        let mut stream = Self(seed ^ hash);
        stream.0 = stream.bits();
        stream
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard normal number (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// An integer in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "no integer lies below 0");
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// `count` distinct integers of `0..n`, ascending.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        assert!(count <= n, "cannot draw {count} distinct integers below {n}");
        // Floyd's method: `count` draws, no list of n.
        let mut chosen = std::collections::BTreeSet::new();
        for top in n - count..n {
            let draw = self.below(top + 1);
            if !chosen.insert(draw) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }
}
