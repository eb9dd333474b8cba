//! `mercer doctor`: system information and a self-test.

mod python;
mod self_test;

use mercer::context::available_threads;
use mercer::device::{self, DeviceInfo};
use mercer::error::bytes;
use mercer::linalg::simd;
use serde::Serialize;

use self::python::Python;
use self::self_test::Test;
use super::Session;
use crate::args::DoctorArgs;
use crate::facts::counted;
use crate::failure::Failure;
use crate::stdout;
use crate::summary::{self, Lines};

/// The report.
#[derive(Debug, Serialize)]
struct Health {
    command: &'static str,
    version: &'static str,
    /// Operating system and processor architecture.
    system: String,
    /// How the command was compiled.
    build: &'static str,
    cores: usize,
    threads: usize,
    /// The vector instructions that hot loops run with.
    simd: String,
    /// Those that could be forced on this processor, as values of `MERCER_SIMD`, the best last.
    simd_levels: Vec<&'static str>,
    /// Bytes that work may take.
    memory_budget: u64,
    /// CUDA devices.
    devices: Vec<DeviceInfo>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_devices: Option<String>,
    /// The Python that a shell would start; null if there is none.
    python: Option<Python>,
    tests: Vec<Test>,
    healthy: bool,
}

/// Runs `mercer doctor`.
pub fn doctor(session: &Session, args: &DoctorArgs) -> Result<(), Failure> {
    session.progress.begin("system information");
    let python = python::look();
    let (devices, no_devices) = match device::list() {
        Ok(devices) => (devices, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    session.progress.begin("self-test");
    let tests = self_test::run(&session.context, &devices)?;
    session.progress.clear();
    let health = Health {
        command: "doctor",
        version: env!("CARGO_PKG_VERSION"),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        build: if cfg!(debug_assertions) { "debug" } else { "release" },
        cores: available_threads(),
        threads: session.context.threads(),
        simd: instructions(simd::level(), simd::highest()),
        simd_levels: levels(),
        memory_budget: session.context.limit(),
        devices,
        no_devices,
        python,
        healthy: tests.iter().all(|test| test.passed),
        tests,
    };
    match args.json {
        true => summary::print_object(&health),
        false => stdout::print(&lines(&health).text()),
    }
    .map_err(Failure::Print)?;
    if health.healthy { Ok(()) } else { Err(Failure::Unhealthy) }
}

fn levels() -> Vec<&'static str> {
    let offered = simd::Level::ALL.into_iter().filter(|level| *level <= simd::highest());
    offered.map(simd::Level::value).collect()
}

/// The vector instructions, and the best of the processor if they are others.
fn instructions(used: simd::Level, highest: simd::Level) -> String {
    match used == highest {
        true => used.name().into(),
        false => format!(
            "{} (set by {}; the processor supports {})",
            used.name(),
            simd::VARIABLE,
            highest.name()
        ),
    }
}

fn lines(health: &Health) -> Lines {
    let Health { version, system, build, .. } = health;
    let mut lines = Lines::titled(format!("mercer {version}, {system}, {build}"));
    let (cores, threads) = (counted(health.cores, "core"), counted(health.threads, "thread"));
    lines.add("processor", format!("{cores}, {threads}, {}", health.simd));
    let budget = bytes(health.memory_budget);
    lines.add("memory", format!("budget {budget} (change with --memory)"));
    match &health.no_devices {
        Some(reason) => lines.add("CUDA", format!("not available: {reason}")),
        None => {
            for DeviceInfo { device, name, memory, free, capability } in &health.devices {
                let (free, memory) = (bytes(*free), bytes(*memory));
                let text =
                    format!("{device}: {name}, {free} of {memory} free, capability {capability}");
                lines.add("CUDA", text);
            }
        }
    }
    match &health.python {
        None => lines.add("Python", "not found (not needed by the command line)"),
        Some(python) => {
            lines.add("Python", format!("{} ({})", python.version, python.path));
            let listed = python::PACKAGES.map(|name| {
                let version = python.packages.get(name).and_then(Option::as_deref);
                format!("{name} {}", version.unwrap_or("not installed"))
            });
            lines.add("packages", listed.join(", "));
        }
    }
    for (place, test) in health.tests.iter().enumerate() {
        let verdict = if test.passed { "ok" } else { "FAILED" };
        let name = if place == 0 { "self-test" } else { "" };
        lines.add(name, format!("{verdict}: {}: {}", test.name, test.found));
    }
    if !health.healthy {
        let note =
            "the self-test failed on this machine: please report this, with the output above";
        lines.warn(&[note]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_test_is_reported() {
        let test = Test { name: "sums", passed: false, found: "1 + 1 = 3".into(), seconds: 0.1 };
        let health = Health {
            command: "doctor",
            version: "0",
            system: "linux".into(),
            build: "release",
            cores: 2,
            threads: 1,
            simd: instructions(simd::Level::Avx2, simd::Level::Avx512),
            simd_levels: Vec::new(),
            memory_budget: 3 << 30,
            devices: Vec::new(),
            no_devices: Some("no CUDA driver was found".into()),
            python: None,
            tests: vec![test],
            healthy: false,
        };
        let text = lines(&health).text();
        let processor =
            "2 cores, 1 thread, AVX2 (set by MERCER_SIMD; the processor supports AVX-512)";
        for part in [
            processor,
            "3.00 GiB",
            "not available: no CUDA driver",
            "not found",
            "FAILED: sums: 1 + 1 = 3",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.contains("please report this"), "{text}");
    }
}
