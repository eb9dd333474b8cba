//! Every target on its corpus and on mutations of it, within a limit of memory. The mutations are the same in every run;
//! `MERCER_FUZZ_ROUNDS` sets how many there are of each target.

#![allow(unsafe_code)] // an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer_fuzz::{TARGETS, Target, mutated};

/// Bytes that one input may take. Inputs have a few KiB, and what is made of them is bounded by a budget of 1 MiB.
const LIMIT: usize = 64 << 20;

/// The system's allocator, which counts.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is; the counters are no part of the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `place` came from `alloc` above with this layout.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests run side by side, and the counters are one.
static ALONE: Mutex<()> = Mutex::new(());

fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| (path.display().to_string(), std::fs::read(path).unwrap());
    paths.iter().map(read).collect()
}

/// Runs one input; what goes wrong names the input, which is written where it can be run again.
fn survive(target: Target, name: &str, what: &str, input: &[u8]) {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let ended = catch_unwind(AssertUnwindSafe(|| target(input)));
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    if ended.is_err() || taken > LIMIT {
        let path = std::env::temp_dir().join(format!("mercer-fuzz-{name}"));
        std::fs::write(&path, input).unwrap();
        panic!("{name}, {what}: {taken} bytes taken; the input is in {}", path.display());
    }
}

fn smoke(name: &str, rounds: u64) {
    let _alone = ALONE.lock().unwrap_or_else(|broken| broken.into_inner());
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "{name} has no corpus");
    survive(target, name, "nothing", &[]);
    for (path, input) in &corpus {
        survive(target, name, path, input);
    }
    let rounds = std::env::var("MERCER_FUZZ_ROUNDS").map_or(rounds, |text| text.parse().unwrap());
    for round in 0..rounds {
        let pick = |shift: u64| &corpus[((round + shift) % corpus.len() as u64) as usize].1;
        let input = mutated(pick(0), pick(round / corpus.len() as u64), round);
        survive(target, name, &format!("round {round}"), &input);
    }
}

macro_rules! smokes {
    ($($name:ident: $rounds:expr),*) => {
        $(#[test]
        fn $name() {
            smoke(stringify!($name), $rounds);
        })*

        #[test]
        fn every_target_is_smoked() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

smokes!(
    model_file: 4000,
    libsvm_model: 4000,
    csv: 4000,
    npy: 4000,
    parquet: 4000,
    arrow: 4000,
    libsvm_text: 4000,
    kernel_spec: 4000,
    problem: 3000
);
