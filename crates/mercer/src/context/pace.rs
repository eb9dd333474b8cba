//! How long work of several phases still takes: estimated from what it costs by its sizes, and more and more from what was measured.
//!
//! Costs by sizes are seconds of some machine, of which only the ratios count: what a phase took says how much faster or slower this machine reads, or computes,
//! and so what the phases after it will take. Within a phase the rest is what its own rate says.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::monitor::{Monitor, Step};

/// What a phase is expected to take: seconds of one thread that reads, and of all threads that compute. Both go on at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Of reading.
    pub read: f64,
    /// Of computing.
    pub compute: f64,
}

/// Seconds of measurements that the expected cost counts as.
const PRIOR: f64 = 0.1;

/// A clock in seconds.
type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The phases of a piece of work, in their order.
pub(super) struct Pace {
    /// What the whole is called.
    stage: &'static str,
    /// The phases that there will be.
    phases: &'static [usize],
    threads: f64,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    costs: Vec<Cost>,
    /// When the first report came.
    began: Option<f64>,
    current: Option<Current>,
    /// The factors of both kinds of costs on this machine.
    speed: Speed,
    /// The share that was reported last.
    reported: f64,
}

#[derive(Clone, Copy)]
struct Speed {
    read: f64,
    compute: f64,
}

impl Default for Speed {
    fn default() -> Self {
        Self { read: 1.0, compute: 1.0 }
    }
}

/// The phase that is going on.
#[derive(Clone, Copy)]
struct Current {
    phase: usize,
    /// When it was first heard of, and its share that was done by then.
    first: (f64, f64),
    last: (f64, f64),
}

impl Current {
    /// The seconds of the whole phase, as far as measured: a time, and the share done in it.
    fn measured(&self) -> (f64, f64) {
        (self.last.0 - self.first.0, self.last.1 - self.first.1)
    }
}

impl Pace {
    /// Work of these phases on so many threads.
    pub fn new(stage: &'static str, phases: &'static [usize], threads: usize) -> Self {
        let started = Instant::now();
        Self::with_clock(stage, phases, threads, Arc::new(move || started.elapsed().as_secs_f64()))
    }

    fn with_clock(
        stage: &'static str,
        phases: &'static [usize],
        threads: usize,
        clock: Clock,
    ) -> Self {
        let (threads, state) = (threads as f64, Mutex::default());
        Self { stage, phases, threads, clock, state }
    }

    /// Says what a phase is expected to take.
    pub fn expect(&self, phase: usize, cost: Cost) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.costs.len() <= phase {
            state.costs.resize(phase + 1, Cost::default());
        }
        state.costs[phase] = cost;
    }

    /// Hears that a share of a phase is done. Returns the share of the whole, which does not fall, and the seconds that are left, if anything is known of them.
    fn report(&self, phase: usize, share: f64) -> (f64, Option<f64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (self.clock)();
        let began = *state.began.get_or_insert(now);
        match &mut state.current {
            Some(current) if current.phase == phase => current.last = (now, share),
            current => {
                let before =
                    current.replace(Current { phase, first: (now, share), last: (now, share) });
                if let Some(before) = before {
                    self.learn(&mut state, &before);
                }
            }
        }
        let left = self.left(&state);
        if let Some(left) = left {
            let (elapsed, is_over) = (now - began, left <= 0.0);
            let whole = if is_over { 1.0 } else { elapsed / (elapsed + left) };
            state.reported = state.reported.max(whole);
        }
        (state.reported, left)
    }

    /// Learns from a phase that is over.
    fn learn(&self, state: &mut State, phase: &Current) {
        let (seconds, share) = phase.measured();
        let Some(cost) = state.costs.get(phase.phase).copied() else { return };
        if share <= 0.0 || seconds <= 0.0 {
            return;
        }
        let seconds = seconds / share;
        if cost.compute > 0.0 {
            let rest = seconds - cost.read * state.speed.read / self.threads;
            // Where reading took all of the time, nothing is known of computing.
            if seconds > cost.read * state.speed.read && rest > 0.0 {
                state.speed.compute = rest / cost.compute;
            }
        } else if cost.read > 0.0 {
            state.speed.read = seconds / cost.read;
        }
    }

    /// What a phase is expected to take on this machine.
    fn expected(&self, state: &State, phase: usize) -> f64 {
        let cost = state.costs.get(phase).copied().unwrap_or_default();
        let (read, compute) = (cost.read * state.speed.read, cost.compute * state.speed.compute);
        // Beside work, reading takes its share of the threads.
        read.max(compute + read / self.threads)
    }

    /// The seconds that are left of all phases; none if nothing is known of the one that goes on.
    fn left(&self, state: &State) -> Option<f64> {
        let current = state.current.as_ref()?;
        let mut state_now =
            State { costs: state.costs.clone(), speed: state.speed, ..State::default() };
        let (seconds, share) = current.measured();
        let rate = match self.expected(state, current.phase) {
            // What the phase has shown outweighs what was expected.
            expected if expected > 0.0 => (seconds + PRIOR) / (share + PRIOR / expected),
            _ if share > 0.0 => seconds / share,
            _ if current.last.1 < 1.0 => return None,
            _ => 0.0,
        };
        if seconds > 10.0 * PRIOR {
            self.learn(&mut state_now, current);
        }
        let later = self.phases.iter().filter(|phase| **phase > current.phase);
        let later: f64 = later.map(|phase| self.expected(&state_now, *phase)).sum();
        Some(rate * (1.0 - current.last.1).max(0.0) + later)
    }
}

/// Reports the steps of a phase as those of the whole.
pub(super) struct Phase {
    pub outer: Arc<dyn Monitor>,
    pub pace: Arc<Pace>,
    pub phase: usize,
}

impl Monitor for Phase {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        let share = step.done / step.total;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let (done, left) = self.pace.report(self.phase, share);
        let message = step.message.clone().unwrap_or_else(|| step.stage.to_string());
        let whole = Step::new(self.pace.stage, done, 1.0);
        self.outer.step(&Step { message: Some(message), remaining: left, ..whole })
    }

    fn poll(&self) -> ControlFlow<()> {
        self.outer.poll()
    }

    fn is_out_of_time(&self) -> bool {
        self.outer.is_out_of_time()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine whose clock goes on with its work.
    struct Machine {
        now: Arc<Mutex<f64>>,
        pace: Pace,
    }

    impl Machine {
        fn new(phases: &'static [usize]) -> Self {
            let now = Arc::new(Mutex::new(0.0));
            let own = now.clone();
            let pace = Pace::with_clock("fit", phases, 2, Arc::new(move || *own.lock().unwrap()));
            Self { now, pace }
        }

        /// Works on a phase that takes so many seconds in all, in so many steps; what was reported at each: the time, the share and the seconds left.
        fn work(&self, phase: usize, seconds: f64, steps: usize) -> Vec<(f64, f64, f64)> {
            let step = |i: usize| {
                *self.now.lock().unwrap() += seconds / steps as f64;
                let (share, left) = self.pace.report(phase, (i + 1) as f64 / steps as f64);
                (*self.now.lock().unwrap(), share, left.unwrap_or(f64::NAN))
            };
            (0..steps).map(step).collect()
        }
    }

    const READ: Cost = Cost { read: 10.0, compute: 0.0 };
    const CHOOSE: Cost = Cost { read: 0.0, compute: 1.0 };
    const SUMS: Cost = Cost { read: 10.0, compute: 100.0 };

    fn planned() -> Machine {
        let machine = Machine::new(&[0, 1, 2, 3]);
        for (phase, cost) in [READ, CHOOSE, SUMS, CHOOSE].into_iter().enumerate() {
            machine.pace.expect(phase, cost);
        }
        machine
    }

    #[test]
    fn a_machine_as_expected_is_told_exactly() {
        let machine = planned();
        let reported = [(0, 10.0), (1, 1.0), (2, 105.0), (3, 1.0)];
        let reported: Vec<_> = reported
            .iter()
            .flat_map(|&(phase, seconds)| machine.work(phase, seconds, 50))
            .collect();
        for (now, share, left) in &reported {
            assert!((now + left - 117.0).abs() < 0.01 * 117.0, "{now} {left}");
            assert!((share - now / 117.0).abs() < 0.02, "{now} {share}");
        }
        assert_eq!(reported.last().map(|reported| (reported.1, reported.2)), Some((1.0, 0.0)));
    }

    #[test]
    fn a_slower_machine_is_known_before_the_long_phase_begins() {
        let machine = planned();
        machine.work(0, 30.0, 50);
        // Three times slower at reading, five times at computing: the sums will take 500 + 30 / 2, and the end 5.
        machine.work(1, 5.0, 20);
        let (_, _, left) = machine.work(2, 515.0, 10_000)[0];
        assert!((left - 520.0).abs() < 0.02 * 520.0, "{left}");
    }

    #[test]
    fn a_phase_that_costs_other_than_expected_is_told_within_a_percent_after_a_while() {
        for seconds in [30.0, 90.0, 700.0] {
            let machine = planned();
            machine.work(0, 12.0, 50);
            machine.work(1, 0.7, 20);
            let reported = machine.work(2, seconds, 2000);
            // The end is as much faster or slower than expected as the sums were.
            let end = reported.last().unwrap().0 + (seconds - 6.0) / 100.0;
            for (now, _, left) in
                reported.iter().filter(|reported| reported.0 > 12.7 + 0.2 * seconds)
            {
                assert!((now + left - end).abs() < 0.01 * end, "{seconds}: {now} {left} {end}");
            }
            assert!(reported.windows(2).all(|pair| pair[0].1 <= pair[1].1), "the bar goes on");
        }
    }

    #[test]
    fn without_expectations_the_rate_of_the_phase_counts() {
        let machine = Machine::new(&[0]);
        let reported = machine.work(0, 20.0, 10);
        assert!(reported[0].2.is_nan() && reported[0].1 == 0.0, "one report says nothing");
        assert!(reported[1..].iter().all(|(now, _, left)| (now + left - 20.0).abs() < 1e-9));
    }
}
