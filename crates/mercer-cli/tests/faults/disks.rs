//! Disks that are full, folders that cannot be written or are gone, links that lead nowhere.

use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::folder::Folder;
use crate::shell::{allows, failed, sh};
use crate::verbs::{LINES, are_whole, clear, outputs, prepared};

/// Mounts a file system of its own for one script, which no other process sees.
const MOUNT: &str = "unshare --mount sh -c 'mkdir -p disk && mount -t tmpfs";

#[test]
fn a_full_disk_is_said_and_leaves_nothing() {
    let folder = prepared();
    if !allows(&folder, &format!("{MOUNT} none disk'")) {
        return;
    }
    for line in LINES {
        let there = line.split(' ').map(|word| match word {
            "t.csv" | "k.mercer" | "s.mercer" => format!("../{word}"),
            _ => word.replace('\'', "\""),
        });
        let there: Vec<String> = there.collect();
        let script = format!(
            "{MOUNT} -o size=4k none disk && cd disk && head -c 4096 /dev/zero > full && $MERCER {}; code=$?; ls -A; exit $code'",
            there.join(" ")
        );
        let run = sh(&folder, &script);
        failed(&run, &["No space left"]);
        assert_eq!(run.out, "full\n", "mercer {line}");
    }
    std::fs::remove_dir(folder.path().join("disk")).unwrap();
    assert!(outputs(&folder).is_empty());
}

/// Results of a table in blocks, of which some were written when the disk became full.
#[test]
fn a_disk_that_fills_while_a_table_is_read_in_blocks_is_said() {
    let folder = Folder::new();
    if !allows(&folder, &format!("{MOUNT} none disk'")) {
        return;
    }
    let rows = (0..20_000).map(|i| format!("{},{},{}\n", i % 97, i % 89, i % 83));
    folder.write("t.csv", format!("a,b,c\n{}", rows.collect::<String>()));
    folder.done("kpca t.csv -k 2 --landmarks 6 -m m.mercer");
    let lines = ["transform ../m.mercer ../t.csv", "kpca ../t.csv -k 2 --landmarks 6"];
    for (line, name) in lines.into_iter().flat_map(|line| [(line, "o.csv"), (line, "o.npy")]) {
        let script = format!(
            "{MOUNT} -o size=128k none disk && cd disk && $MERCER {line} -q --memory 2MB -o {name}; code=$?; ls -A; exit $code'"
        );
        let run = sh(&folder, &script);
        failed(&run, &["No space left"]);
        assert_eq!(run.out, "", "{line} -o {name}");
    }
    std::fs::remove_dir(folder.path().join("disk")).unwrap();
}

#[test]
fn a_device_without_room_is_said() {
    let folder = prepared();
    symlink("/dev/full", folder.path().join("o.csv")).unwrap();
    let run = folder.run("pca t.csv --label kind -q -m m.mercer -o o.csv");
    failed(&run, &["No space left"]);
    assert_eq!(outputs(&folder), ["o.csv"]);
    failed(&sh(&folder, "$MERCER pca t.csv --label kind -q > /dev/full"), &["No space left"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = prepared();
    if !allows(&folder, &format!("{MOUNT} -o ro none disk'")) {
        return;
    }
    let run = sh(
        &folder,
        &format!(
            "{MOUNT} -o ro none disk && $MERCER pca t.csv --label kind -q -o disk/o.csv -m m.mercer'"
        ),
    );
    failed(&run, &["disk/o.csv", "Read-only file system"]);
    assert_eq!(outputs(&folder), ["disk"]);
}

#[test]
fn a_folder_that_vanishes_is_said() {
    let folder = prepared();
    std::fs::create_dir(folder.path().join("gone")).unwrap();
    let mut command = folder.command();
    command.args(["pca", "-", "--label", "kind", "-o", "gone/o.csv", "-m", "m.mercer"]);
    command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::remove_dir(folder.path().join("gone")).unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, folder.read("t.csv").as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("gone/o.csv"), "{text}");
    assert!(outputs(&folder).is_empty(), "{:?}", outputs(&folder));
}

/// The link stays, and what it leads to is written.
fn written_through(folder: &Folder, link: &str, target: &str) {
    folder.done(&format!("pca t.csv --label kind -q -o {link}"));
    let meta = std::fs::symlink_metadata(folder.path().join(link)).unwrap();
    assert!(meta.is_symlink(), "{link} was replaced");
    assert_eq!(folder.read(target).lines().count(), 151);
}

#[test]
fn links_are_followed_also_where_they_lead_nowhere_yet() {
    let folder = prepared();
    std::fs::create_dir(folder.path().join("far")).unwrap();
    symlink("far/o.csv", folder.path().join("one.csv")).unwrap();
    symlink("one.csv", folder.path().join("two.csv")).unwrap();
    written_through(&folder, "two.csv", "far/o.csv");
    written_through(&folder, "two.csv", "far/o.csv");
    symlink("nowhere/o.csv", folder.path().join("lost.csv")).unwrap();
    let run = folder.run("pca t.csv --label kind -q -o lost.csv");
    failed(&run, &["nowhere does not exist"]);
    symlink("circle.csv", folder.path().join("circle.csv")).unwrap();
    assert_eq!(folder.run("pca t.csv --label kind -q -o circle.csv").code, Some(1));
}

#[test]
fn without_proc_everything_works() {
    let folder = prepared();
    let bare = "unshare --mount sh -c 'mount -t tmpfs none /proc &&";
    if !allows(&folder, &format!("{bare} true'")) {
        return;
    }
    for line in LINES {
        let run = sh(&folder, &format!("{bare} $MERCER {}'", line.replace('\'', "\"")));
        assert_eq!(run.code, Some(0), "{line}: {}", run.err);
        are_whole(&folder, line, false);
        clear(&folder);
    }
}
