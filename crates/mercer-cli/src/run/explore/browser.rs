//! The browser of this machine.

use std::process::{Command, Stdio};

/// Opens `url`; where there is no browser the address that was printed is all there is.
pub fn open(url: &str, quiet: bool) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quietly = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    match quietly(Command::new(program).arg(url)) {
        Ok(mut child) => {
            // Waited for, so that nothing is left of it.
            std::thread::spawn(move || child.wait());
        }
        Err(_) if quiet => {}
        Err(error) => eprintln!("mercer: no browser was opened ({program}: {error})"),
    }
}
