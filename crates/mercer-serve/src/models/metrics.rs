//! Counts and times in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper ends of the histogram of times, in seconds.
const BOUNDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    counts: Mutex<Counts>,
    queue: AtomicUsize,
}

#[derive(Debug, Default)]
struct Counts {
    /// By path and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// By path.
    times: BTreeMap<&'static str, Times>,
    /// Rows that were evaluated, by model.
    rows: BTreeMap<String, u64>,
    /// Models that were read again, and that could not be.
    reloads: BTreeMap<(String, &'static str), u64>,
    batches: u64,
    batched_requests: u64,
    batched_rows: u64,
}

#[derive(Debug, Default)]
struct Times {
    below: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Metrics {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request was answered.
    pub fn request(&self, path: &'static str, status: u16, time: Duration) {
        let (mut counts, seconds) = (self.lock(), time.as_secs_f64());
        *counts.requests.entry((path, status)).or_default() += 1;
        let times = counts.times.entry(path).or_default();
        (times.count, times.sum) = (times.count + 1, times.sum + seconds);
        for (below, bound) in times.below.iter_mut().zip(BOUNDS) {
            *below += u64::from(seconds <= bound);
        }
    }

    /// Rows were evaluated for a request.
    pub fn rows(&self, model: &str, rows: usize) {
        let mut counts = self.lock();
        match counts.rows.get_mut(model) {
            Some(count) => *count += rows as u64,
            None => drop(counts.rows.insert(model.into(), rows as u64)),
        }
    }

    /// A model was read again, or could not be.
    pub fn reload(&self, model: &str, result: &'static str) {
        *self.lock().reloads.entry((model.into(), result)).or_default() += 1;
    }

    /// Requests were evaluated together.
    pub fn batch(&self, requests: usize, rows: usize) {
        let mut counts = self.lock();
        counts.batches += 1;
        counts.batched_requests += requests as u64;
        counts.batched_rows += rows as u64;
    }

    /// The number of requests that wait.
    pub fn queue_is(&self, length: usize) {
        self.queue.store(length, Ordering::Relaxed);
    }

    /// All of it.
    pub fn text(&self) -> String {
        let (counts, mut text) = (self.lock(), String::new());
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, String)>| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let all = counts.requests.iter();
        let lines = all.map(|((path, status), n)| {
            (format!("{{path=\"{path}\",status=\"{status}\"}}"), n.to_string())
        });
        family("mercer_requests_total", "counter", "Requests by path and status.", lines.collect());
        let all = counts.rows.iter();
        let lines =
            all.map(|(model, n)| (format!("{{model=\"{}\"}}", escaped(model)), n.to_string()));
        family("mercer_rows_total", "counter", "Rows evaluated, by model.", lines.collect());
        let all = counts.reloads.iter();
        let lines = all.map(|((model, result), n)| {
            (format!("{{model=\"{}\",result=\"{result}\"}}", escaped(model)), n.to_string())
        });
        family(
            "mercer_reloads_total",
            "counter",
            "Model files read again after a change.",
            lines.collect(),
        );
        let plain = |value: String| vec![(String::new(), value)];
        family(
            "mercer_batches_total",
            "counter",
            "Evaluations of models.",
            plain(counts.batches.to_string()),
        );
        let n = counts.batched_requests.to_string();
        family(
            "mercer_batched_requests_total",
            "counter",
            "Requests in these evaluations.",
            plain(n),
        );
        let n = counts.batched_rows.to_string();
        family("mercer_batched_rows_total", "counter", "Rows in these evaluations.", plain(n));
        let n = self.queue.load(Ordering::Relaxed).to_string();
        family("mercer_queue_length", "gauge", "Requests that wait.", plain(n));
        if let Some(bytes) = resident_bytes() {
            let help = "Resident memory size in bytes.";
            family("process_resident_memory_bytes", "gauge", help, plain(bytes.to_string()));
        }
        let info = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        family("mercer_build_info", "gauge", "The version.", vec![(info, "1".into())]);
        counts.push_times(&mut text);
        text
    }
}

impl Counts {
    fn push_times(&self, text: &mut String) {
        let name = "mercer_request_seconds";
        let _ = writeln!(text, "# HELP {name} Time to answer, by path.\n# TYPE {name} histogram");
        for (path, times) in &self.times {
            for (bound, below) in BOUNDS.iter().zip(times.below) {
                let _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"{bound}\"}} {below}");
            }
            let _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(text, "{name}_sum{{path=\"{path}\"}} {}", times.sum);
            let _ = writeln!(text, "{name}_count{{path=\"{path}\"}} {}", times.count);
        }
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Memory of this process, where the system reports it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_prometheus_text() {
        let metrics = Metrics::default();
        metrics.request("/predict", 200, Duration::from_millis(2));
        metrics.request("/predict", 200, Duration::from_secs(9));
        metrics.rows("a\"b", 3);
        metrics.batch(2, 3);
        metrics.reload("m", "failed");
        let text = metrics.text();
        for line in [
            "mercer_requests_total{path=\"/predict\",status=\"200\"} 2",
            "mercer_rows_total{model=\"a\\\"b\"} 3",
            "mercer_reloads_total{model=\"m\",result=\"failed\"} 1",
            "mercer_batched_requests_total 2",
            "mercer_request_seconds_bucket{path=\"/predict\",le=\"0.001\"} 0",
            "mercer_request_seconds_bucket{path=\"/predict\",le=\"0.0025\"} 1",
            "mercer_request_seconds_bucket{path=\"/predict\",le=\"+Inf\"} 2",
            "mercer_request_seconds_count{path=\"/predict\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
