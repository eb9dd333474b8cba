//! Fits on a Dask cluster: the Python package does them, with the words of the command line.

use std::ffi::OsString;
use std::process::Command;

use mercer::Error;
use mercer::error::Param;

use crate::failure::Failure;

/// Runs `python3 -m mercer.dask` with the words of the command line.
pub fn run(words: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let python = std::env::var_os("MERCER_PYTHON").unwrap_or_else(|| "python3".into());
    let known = Command::new(&python).args(["-c", "import mercer.dask"]).output();
    if !known.is_ok_and(|known| known.status.success()) {
        let message = format!(
            "needs the Python package with Dask, which {} does not have: pip install 'mercer[dask]', or set MERCER_PYTHON to another interpreter",
            python.display()
        );
        return Err(Error::parameter(Param::Named("--dask"), message).into());
    }
    let status = Command::new(&python).args(["-m", "mercer.dask"]).args(words).status();
    match status.ok().and_then(|status| status.code()) {
        Some(0) => Ok(()),
        code => Err(Failure::Elsewhere(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}
