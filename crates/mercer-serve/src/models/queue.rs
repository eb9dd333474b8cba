//! A bounded queue of requests, and the threads that evaluate models for them. Requests for the same model that wait are evaluated
//! together: nothing waits to be joined by others, so that a single request is not slower for it.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mercer::context::{Monitor, Step};
use mercer::io::{Column, Table};
use mercer::{Context, panics};

use super::Predictor;
use super::metrics::Metrics;
use super::rows::Refusal;
use crate::http::Stop;

/// Requests that wait, and that wait no longer.
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Job>>,
    has_come: Condvar,
    most: usize,
    stop: Stop,
    metrics: Arc<Metrics>,
    /// For a few rows: on one thread, without handing them over to others.
    alone: Context,
    /// For many rows.
    shared: Context,
}

/// One request.
struct Job {
    model: Arc<dyn Predictor>,
    rows: Table,
    until: Instant,
    reply: SyncSender<Result<Table, Refusal>>,
}

/// Rows that are evaluated together at most, by requests that hold fewer.
const BATCH: usize = 1024;
/// Rows that are worth several threads.
const MANY: usize = 2048;

impl Queue {
    /// A queue of at most `most` requests, evaluated on `workers` threads in `context`.
    pub fn new(context: &Context, most: usize, metrics: Arc<Metrics>, stop: &Stop) -> Arc<Self> {
        let queue = Arc::new(Self {
            waiting: Mutex::default(),
            has_come: Condvar::new(),
            most,
            stop: stop.clone(),
            metrics,
            alone: Context::new(1).with_budget(context.limit()),
            shared: context.clone(),
        });
        for _ in 0..context.threads() {
            let queue = queue.clone();
            let thread = std::thread::Builder::new().name(panics::THREAD.into());
            thread.spawn(move || queue.work()).expect("a thread of the queue");
        }
        queue
    }

    /// The results of `model` for `rows`, within `time`.
    pub fn evaluate(
        &self,
        model: Arc<dyn Predictor>,
        rows: Table,
        time: Duration,
    ) -> Result<Table, Refusal> {
        let (reply, answer) = sync_channel(1);
        let until = Instant::now() + time;
        self.push(Job { model, rows, until, reply })?;
        wait(&answer, until)
    }

    fn push(&self, job: Job) -> Result<(), Refusal> {
        let mut waiting = self.lock();
        if waiting.len() >= self.most {
            return Err((503, "too many requests wait; try again in a moment".into()));
        }
        waiting.push_back(job);
        self.metrics.queue_is(waiting.len());
        drop(waiting);
        self.has_come.notify_one();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(jobs) = self.next() {
            self.metrics.batch(jobs.len(), jobs.iter().map(|job| job.rows.n_rows()).sum());
            self.answer(jobs);
        }
    }

    /// The next request with others like it; nothing once the server has stopped and none waits.
    fn next(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        let first = loop {
            match waiting.pop_front() {
                Some(job) if job.until > Instant::now() => break job,
                Some(_) => continue,
                None if self.stop.is_set() => return None,
                None => {
                    let tick = Duration::from_millis(200);
                    let woken = self.has_come.wait_timeout(waiting, tick);
                    waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        };
        let mut batch = vec![first];
        let mut rows = batch[0].rows.n_rows();
        let mut place = 0;
        while place < waiting.len() {
            let more = waiting[place].rows.n_rows();
            if rows + more <= BATCH && batch[0].is_like(&waiting[place]) {
                rows += more;
                batch.extend(waiting.remove(place));
            } else {
                place += 1;
            }
        }
        self.metrics.queue_is(waiting.len());
        Some(batch)
    }

    /// Evaluates requests together; one by one if that fails, so that a faulty one is refused alone.
    fn answer(&self, jobs: Vec<Job>) {
        if jobs.len() > 1
            && let Some(joined) = joined(&jobs)
            && let Ok(results) = self.evaluated(&jobs, joined)
            && results.n_rows() == jobs.iter().map(|job| job.rows.n_rows()).sum::<usize>()
        {
            let mut start = 0;
            for job in jobs {
                let rows: Vec<usize> = (start..start + job.rows.n_rows()).collect();
                start += rows.len();
                let _ = job.reply.send(Ok(results.take_rows(&rows)));
            }
            return;
        }
        for mut job in jobs {
            let rows = std::mem::take(&mut job.rows);
            let result = self.evaluated(std::slice::from_ref(&job), rows);
            let _ = job.reply.send(result);
        }
    }

    fn evaluated(&self, jobs: &[Job], rows: Table) -> Result<Table, Refusal> {
        let context = if rows.n_rows() < MANY { &self.alone } else { &self.shared };
        let until = jobs.iter().map(|job| job.until).max().unwrap_or_else(Instant::now);
        let context = context.clone().with_monitor(Arc::new(Until(until)));
        match panics::catch(|| jobs[0].model.evaluate(&context, rows)) {
            Ok(Ok(results)) => Ok(results),
            Ok(Err(mercer::Error::Interrupted)) => Err(too_long()),
            Ok(Err(error)) if error.is_memory() => Err((413, error.to_string())),
            Ok(Err(error)) => Err((422, error.to_string())),
            Err(panicked) => {
                let place = panicked.place.as_deref().unwrap_or("unknown location");
                eprintln!("mercer: this is a bug in mercer: {} (at {place})", panicked.message);
                Err((
                    500,
                    "this is a bug in mercer; the message is on the server's standard error".into(),
                ))
            }
        }
    }
}

fn too_long() -> Refusal {
    (504, "the request took too long".into())
}

fn wait(answer: &Receiver<Result<Table, Refusal>>, until: Instant) -> Result<Table, Refusal> {
    let left = until.saturating_duration_since(Instant::now());
    answer.recv_timeout(left).unwrap_or_else(|_| Err(too_long()))
}

impl Job {
    /// Whether it can be evaluated together with `other`.
    fn is_like(&self, other: &Job) -> bool {
        let kinds =
            |job: &Job| job.rows.columns.iter().map(std::mem::discriminant).collect::<Vec<_>>();
        Arc::ptr_eq(&self.model, &other.model) && kinds(self) == kinds(other)
    }
}

/// The rows of all, in order.
fn joined(jobs: &[Job]) -> Option<Table> {
    let mut all = jobs[0].rows.clone();
    for job in &jobs[1..] {
        for (to, from) in all.columns.iter_mut().zip(&job.rows.columns) {
            match (to, from) {
                (Column::F64(to), Column::F64(from)) => to.extend_from_slice(from),
                (Column::Text(to), Column::Text(from)) => to.extend_from_slice(from),
                _ => return None,
            }
        }
    }
    Some(all)
}

/// Ends work at a time.
struct Until(Instant);

impl Monitor for Until {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        if Instant::now() < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
