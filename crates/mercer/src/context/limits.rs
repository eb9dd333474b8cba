//! The memory that the computer and the operating system leave for this process.

use std::path::{Path, PathBuf};

/// Cores this process may use (affinity and cgroup quota included).
#[doc(hidden)]
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Nine tenths of the memory that is free for this process: the least of what the machine reports as available, what each
/// of the control groups around the process still allows, and what its own limits (`ulimit -v`, `ulimit -d`) leave. Where
/// none of them can be read, as without `/proc`, 4 GiB.
#[doc(hidden)]
pub fn available_memory() -> u64 {
    available_memory_under(Path::new("/"))
}

/// The same, read from the files of a system whose root is `root`.
fn available_memory_under(root: &Path) -> u64 {
    let group = groups(root).into_iter().filter_map(|group| group.left()).min();
    let free = [machine_available(root), group, process_left(root)].into_iter().flatten().min();
    free.unwrap_or(4 << 30) / 10 * 9
}

/// The bytes that the process's own limits leave to `threads` threads, less a tenth for what no one counts; `None` where
/// there is no such limit.
pub(super) fn process_limit(threads: usize) -> Option<u64> {
    let products = PRODUCTS.saturating_mul(threads as u64 + 1);
    process_left(Path::new("/")).map(|left| left.saturating_sub(products) / 10 * 9)
}

/// Addresses that matrix products set aside on each thread, most of which are never touched.
const PRODUCTS: u64 = 64 << 20;

fn machine_available(root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// The number of a line such as `VmSize:   1234 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// What the limits on address space and on data leave.
fn process_left(root: &Path) -> Option<u64> {
    let limits = std::fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let soft = |name: &str| -> Option<u64> {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let (space, data) = (soft("Max address space"), soft("Max data size"));
    if space.is_none() && data.is_none() {
        return None;
    }
    let status = std::fs::read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let left = |limit: Option<u64>, name: &str| {
        limit.map(|limit| limit.saturating_sub(kibibytes(&status, name).unwrap_or(0)))
    };
    [left(space, "VmSize:"), left(data, "VmData:")].into_iter().flatten().min()
}

/// A control group's folder and what its files are called.
struct Group {
    folder: PathBuf,
    limits: &'static [&'static str],
    usage: &'static str,
    /// The line of `memory.stat` that counts cached files, which are dropped when memory is needed.
    cached: &'static str,
}

impl Group {
    fn left(&self) -> Option<u64> {
        let read = |name: &str| std::fs::read_to_string(self.folder.join(name)).ok();
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        let limit = self.limits.iter().filter_map(|name| number(name)).min()?;
        let cached = || {
            let stat = read("memory.stat")?;
            let line = stat.lines().find_map(|line| line.strip_prefix(self.cached))?;
            line.trim().parse::<u64>().ok()
        };
        let used = number(self.usage)?.saturating_sub(cached().unwrap_or(0));
        Some(limit.saturating_sub(used))
    }
}

/// The control groups that the process is in, each with all groups around it: a limit may stand at any of them, as in nested
/// slices or the steps of a batch job.
fn groups(root: &Path) -> Vec<Group> {
    let text = std::fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let (mut unified, mut memory) = ("/", "/");
    for line in text.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        match controllers {
            "" => unified = path,
            list if list.split(',').any(|name| name == "memory") => memory = path,
            _ => {}
        }
    }
    let mounted = root.join("sys/fs/cgroup");
    let second = around(&mounted, unified).into_iter().map(|folder| Group {
        folder,
        limits: &["memory.max", "memory.high"],
        usage: "memory.current",
        cached: "inactive_file ",
    });
    let first = around(&mounted.join("memory"), memory).into_iter().map(|folder| Group {
        folder,
        limits: &["memory.limit_in_bytes"],
        usage: "memory.usage_in_bytes",
        cached: "total_inactive_file ",
    });
    second.chain(first).collect()
}

/// The folder of a group and those above it, up to where groups are mounted.
fn around(mounted: &Path, group: &str) -> Vec<PathBuf> {
    let folder = mounted.join(group.trim_start_matches('/'));
    let count = folder.components().count().saturating_sub(mounted.components().count()) + 1;
    folder.ancestors().take(count).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of files in a folder of its own.
    struct System(PathBuf);

    impl System {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let id = std::process::id();
            let root = std::env::temp_dir().join(format!("mercer-limits-{name}-{id}"));
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(root)
        }

        fn memory(&self) -> u64 {
            available_memory_under(&self.0)
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const MACHINE: (&str, &str) =
        ("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:   8000 kB\nSwapFree: 1 kB\n");
    const UNLIMITED: &str = "Max address space         unlimited            unlimited            bytes\n\
                             Max data size             unlimited            unlimited            bytes\n";

    #[test]
    fn without_proc_there_is_a_default() {
        assert_eq!(System::new("none", &[]).memory(), (4 << 30) / 10 * 9);
    }

    #[test]
    fn the_machine_alone() {
        let system = System::new("machine", &[MACHINE, ("proc/self/limits", UNLIMITED)]);
        assert_eq!(system.memory(), 8_192_000 / 10 * 9);
    }

    #[test]
    fn the_tightest_of_nested_groups_counts() {
        let step = "sys/fs/cgroup/slurm/job_7/step_0";
        let files = [
            MACHINE,
            ("proc/self/cgroup", "0::/slurm/job_7/step_0\n"),
            (&format!("{step}/memory.max"), "max\n"),
            (&format!("{step}/memory.current"), "1000\n"),
            ("sys/fs/cgroup/slurm/job_7/memory.max", "500000\n"),
            ("sys/fs/cgroup/slurm/job_7/memory.current", "300000\n"),
            ("sys/fs/cgroup/slurm/job_7/memory.stat", "anon 7\ninactive_file 100000\nslab 3\n"),
            ("sys/fs/cgroup/slurm/memory.max", "7000000\n"),
            ("sys/fs/cgroup/slurm/memory.current", "300000\n"),
        ];
        assert_eq!(System::new("nested", &files).memory(), 300_000 / 10 * 9);
    }

    #[test]
    fn the_first_version_of_groups_and_a_container_without_a_path_of_its_own() {
        let files = [
            MACHINE,
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n3:memory:/docker/abc\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "900000"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "400000"),
        ];
        assert_eq!(System::new("first", &files).memory(), 500_000 / 10 * 9);
    }

    #[test]
    fn limits_of_the_process_less_what_it_uses() {
        let limits = UNLIMITED.replacen("unlimited", "3000000  ", 1);
        let files = [
            MACHINE,
            ("proc/self/limits", limits.as_str()),
            ("proc/self/status", "Name:\tx\nVmSize:\t    1000 kB\nVmData:\t  10 kB\n"),
        ];
        assert_eq!(System::new("space", &files).memory(), (3_000_000 - 1_024_000) / 10 * 9);
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(available_memory() > 1 << 20);
        assert!(available_threads() > 0);
    }
}
