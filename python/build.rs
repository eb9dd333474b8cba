//! Functions of equal machine code are linked once, where the linker can do that: a twentieth of the extension module.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const ONCE: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") && links(ONCE) == Some(true) {
        println!("cargo::rustc-cdylib-link-arg={ONCE}");
    }
}

/// Whether a program can be linked with `argument`.
fn links(argument: &str) -> Option<bool> {
    let folder = env::var("OUT_DIR").ok()?;
    let source = Path::new(&folder).join("probe.rs");
    fs::write(&source, "fn main() {}").ok()?;
    let mut rustc = Command::new(env::var("RUSTC").ok()?);
    rustc.arg(&source).args(["--target", &env::var("TARGET").ok()?, "--out-dir", &folder]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let made = rustc.arg(format!("-Clink-arg={argument}")).output().ok()?;
    Some(made.status.success())
}
