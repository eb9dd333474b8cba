//! Where the time of a run went.

use std::time::Instant;

/// The stages of a run, each with the moment it began.
#[derive(Default)]
pub struct Stages(Vec<(&'static str, Instant)>);

impl Stages {
    /// Records the start of `stage`, unless it is the current one.
    pub fn begin(&mut self, stage: &'static str) {
        if self.0.last().is_none_or(|(last, _)| *last != stage) {
            self.0.push((stage, Instant::now()));
        }
    }

    /// The seconds of each stage until `end`. Repeated stages, as in cross-validation, are summed.
    pub fn seconds(&self, end: Instant) -> Vec<(&'static str, f64)> {
        let mut all: Vec<(&'static str, f64)> = Vec::new();
        for (place, &(stage, began)) in self.0.iter().enumerate() {
            let next = self.0.get(place + 1).map_or(end, |(_, next)| *next);
            let seconds = next.saturating_duration_since(began).as_secs_f64();
            match all.iter_mut().find(|(name, _)| *name == stage) {
                Some((_, sum)) => *sum += seconds,
                None => all.push((stage, seconds)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn stages_that_come_back_are_counted_together() {
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        let stages = Stages(vec![("a", begin), ("b", after(1)), ("a", after(3)), ("c", after(4))]);
        assert_eq!(stages.seconds(after(9)), [("a", 2.0), ("b", 2.0), ("c", 5.0)]);
    }
}
