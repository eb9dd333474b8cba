//! One coefficient: where it is, where it may go, and what its linear cost is on the way.

/// A coefficient β with lower ≤ β ≤ upper and the cost linear · β + kink · |β|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    /// The value.
    pub beta: f64,
    /// The least it may be.
    pub lower: f64,
    /// The most it may be.
    pub upper: f64,
    /// The cost of a unit.
    pub linear: f64,
    /// The cost of a unit of size, not negative; where it is positive, 0 lies within the bounds.
    pub kink: f64,
}

impl Variable {
    /// A coefficient that cannot move.
    pub const FIXED: Variable =
        Variable { beta: 0.0, lower: 0.0, upper: 0.0, linear: 0.0, kink: 0.0 };

    /// What to add to (Kβ)_i for the slope of the objective as β rises; infinite if it cannot.
    pub fn add_up(&self) -> f64 {
        match self.beta < self.upper {
            true if self.beta < 0.0 => self.linear - self.kink,
            true => self.linear + self.kink,
            false => f64::INFINITY,
        }
    }

    /// What to add to (Kβ)_i for the slope of the objective as β falls; −∞ if it cannot.
    pub fn add_down(&self) -> f64 {
        match self.beta > self.lower {
            true if self.beta > 0.0 => self.linear + self.kink,
            true => self.linear - self.kink,
            false => f64::NEG_INFINITY,
        }
    }

    /// How far it may rise with one slope.
    pub fn room_up(&self) -> f64 {
        let end = if self.kink > 0.0 && self.beta < 0.0 { 0.0 } else { self.upper };
        end - self.beta
    }

    /// How far it may fall with one slope.
    pub fn room_down(&self) -> f64 {
        let end = if self.kink > 0.0 && self.beta > 0.0 { 0.0 } else { self.lower };
        self.beta - end
    }

    /// Raises by `step`, which is at most `room_up`. A step of all the room ends exactly at the end.
    pub fn rise(&mut self, step: f64) {
        let room = self.room_up();
        let end = self.beta + room;
        self.beta =
            if step >= room { end_of(end, self.upper, self.kink) } else { self.beta + step };
    }

    /// Lowers by `step`, which is at most `room_down`.
    pub fn fall(&mut self, step: f64) {
        let room = self.room_down();
        let end = self.beta - room;
        self.beta =
            if step >= room { end_of(end, self.lower, self.kink) } else { self.beta - step };
    }

    /// Whether it is at neither end of its range, nor at the kink.
    pub fn is_free(&self) -> bool {
        self.beta > self.lower && self.beta < self.upper && !(self.kink > 0.0 && self.beta == 0.0)
    }

    /// Whether it is not 0 and at an end of its range.
    pub fn is_bounded(&self) -> bool {
        self.beta != 0.0 && (self.beta <= self.lower || self.beta >= self.upper)
    }

    /// linear · β + kink · |β|.
    pub fn cost(&self) -> f64 {
        self.linear * self.beta + self.kink * self.beta.abs()
    }
}

/// β + (end − β) may miss `end` by a rounding error: the end is the bound or the kink, whichever is nearer.
fn end_of(reached: f64, bound: f64, kink: f64) -> f64 {
    if kink > 0.0 && reached.abs() < (reached - bound).abs() { 0.0 } else { bound }
}
